import { describe, expect, it } from 'vitest';
import { firstOrdinals, ordinalOf, ordinalPodName } from './ordinals.ts';

describe('ordinalOf', () => {
  it.each([
    ['lobby-0', 0],
    ['lobby-12', 12],
    ['lobby-007', undefined],
    ['lobby-', undefined],
    ['lobby-x7k2p', undefined],
    ['lobby-1-2', undefined],
    ['hall-1', undefined],
    ['lobby-9999999999', undefined],
  ])('%s is %s', (name, ordinal) => {
    expect(ordinalOf('lobby', name)).toBe(ordinal);
  });

  it('reads what ordinalPodName writes, also where the set itself ends in a number', () => {
    expect(ordinalOf('lobby-2', ordinalPodName('lobby-2', 3))).toBe(3);
    expect(ordinalOf('lobby', 'lobby-2-3')).toBeUndefined();
  });
});

describe('firstOrdinals (reserveOrders, game-workloads §1.2)', () => {
  it.each([
    [3, [], [0, 1, 2]],
    [3, [1], [0, 2, 3]],
    [2, [1], [0, 2]],
    [2, [0, 1, 9], [2, 3]],
    [0, [0], []],
  ])('%i without %j are %j', (count, reserved, wanted) => {
    expect(firstOrdinals(count, new Set(reserved))).toEqual(wanted);
  });
});
