import { describe, expect, test } from 'vitest';
import { PARTS, readBenchArguments } from './arguments.ts';

describe('arguments of the bench', () => {
  test('the parts and numbers of the issues are the defaults', () => {
    expect(readBenchArguments([])).toMatchObject({
      ...{ parts: PARTS, kind: 'gamedeployment', pods: 500, slowPods: 1000, hooks: 500 },
      ...{ largePods: 3000, workloads: 300, podsEach: 10 },
    });
  });

  test.each([
    ['--pods', '0'],
    ['--pods', 'many'],
    ['--slow-pods', '1.5'],
    ['--slow-seconds', '0'],
    ['--workloads', '-1'],
  ])('%s %s is refused by name', (flag, value) => {
    expect(() => readBenchArguments([`${flag}=${value}`])).toThrow(`${flag} must be a whole number`);
  });

  test('parts run in their order, whatever the order in which they are named', () => {
    expect(readBenchArguments(['--parts', 'herd,speed']).parts).toEqual(['speed', 'herd']);
    expect(readBenchArguments(['--parts', 'all']).parts).toEqual(PARTS);
  });

  test('an unknown kind is refused with those that there are', () => {
    expect(readBenchArguments(['--kind', 'gamestatefulset']).kind).toBe('gamestatefulset');
    expect(() => readBenchArguments(['--kind', 'deployment'])).toThrow(
      '--kind: no "deployment"; there are gamedeployment and gamestatefulset',
    );
  });

  test('an unknown part is refused with those that there are', () => {
    expect(() => readBenchArguments(['--parts', 'speed,idle'])).toThrow(
      '--parts: no "idle"; there are speed, slow, hooks, large, herd and all',
    );
  });
});
