import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../crds/kubernetes.ts';
import {
  aSetPod,
  halfWayPod,
  PARALLEL,
  setPlan,
  setPods,
  terminating,
  told,
  updating,
} from '../../../test/support/sets.ts';

const at = (partition: number | string, paused = false) => ({ revision: 'r2', partition, paused });
const surging = (maxSurge: number | string, maxUnavailable: number | string = 0) => ({
  ...PARALLEL,
  ...updating({ maxSurge, maxUnavailable }),
});

describe('maxSurge (game-workloads §2.4, §6.2)', () => {
  it.each([
    { updated: 'none is updated', pods: 'ooooo', moves: '+5@r2 +6@r2' },
    { updated: 'four are', pods: 'ouuuu', moves: '+5@r2' },
    { updated: 'all are', pods: 'uuuuu', moves: '' },
  ])('row 71: maxSurge 2 of five, $updated', ({ pods, moves }) => {
    expect(told(setPlan({ spec: surging(2), pods: setPods(pods) }))).toBe(moves);
  });

  it('row 72: 50 % of five, partition 3: two, also where the partition is that of a canary step', () => {
    expect(told(setPlan({ spec: surging('50%'), allowance: at(3), pods: setPods('ooooo') }))).toBe('+5@r2 +6@r2');
  });

  it('row 70: with maxUnavailable 0 the surge funds the update', () => {
    expect(told(setPlan({ spec: surging(1), pods: setPods('ooooou') }))).toBe('-4');
    expect(told(setPlan({ spec: surging(1), pods: setPods('oooooU') }))).toBe('');
  });

  it('the extra pods stay until the last slot is updated and in service, then they go', () => {
    expect(told(setPlan({ spec: surging(1, 1), pods: setPods('Uuuuuu') }))).toBe('');
    expect(told(setPlan({ spec: surging(1, 1), pods: setPods('uuuuuu') }))).toBe('-5');
  });

  it('one is made for a pod that is half way, also below a partition that was raised since', () => {
    const spec = { ...PARALLEL, ...updating({ maxSurge: 2, maxUnavailable: 0 }, 'InplaceUpdate') };
    const pods = [halfWayPod(0, false), ...setPods('-oo')];
    expect(told(setPlan({ spec: { replicas: 3, ...spec }, allowance: at(3), pods }))).toBe('+3@r2');
    expect(told(setPlan({ spec: { replicas: 3, ...spec }, allowance: at(3), pods: setPods('uoo') }))).toBe('');
  });

  it('none is made for an updated pod that is not ready', () => {
    expect(told(setPlan({ spec: surging(1, 1), pods: setPods('Uuuuu') }))).toBe('');
  });

  it('an extra pod of a superseded revision is updated as well', () => {
    const pods = [...setPods('oooo'), aSetPod(4, 'r2').build(), aSetPod(5, 'r3').build()];
    expect(told(setPlan({ spec: surging(1, 1), pods }))).toBe('-5 -3');
  });

  it('while paused extra pods at the target stay, and none is made', () => {
    expect(told(setPlan({ spec: surging(2), allowance: at(3, true), pods: setPods('oooouu') }))).toBe('');
    expect(told(setPlan({ spec: surging(2), allowance: at(3, true), pods: setPods('ooooo') }))).toBe('');
  });

  it.each([
    { when: 'paused, decision 8', paused: true, moves: '-4 -3' },
    { when: 'not paused', paused: false, moves: '-4 -3 -2' },
  ])('old pods that a scale-in leaves over are no surge: $when', ({ paused, moves }) => {
    const spec = { ...surging(2, 1), replicas: 3 };
    const p = setPlan({ spec, allowance: at(0, paused), pods: setPods('ooooo') });
    const going = p.moves.filter((move) => 'reason' in move && move.reason.includes('beyond replicas'));
    expect([told(p), going.length]).toEqual([moves, 2]);
  });

  it('an ordinal whose pod does not go leaves the surge to the next one', () => {
    const lost = (pod: ReturnType<typeof aSetPod>) => pod.node('node-2').notReady().build();
    const nodes = { 'node-1': { ready: true }, 'node-2': { ready: false } };
    const ask = (extra: Pod) => told(setPlan({ spec: surging(2), nodes, pods: [...setPods('ouuuu'), extra] }));
    expect(ask(terminating(lost(aSetPod(5, 'r2'))))).toBe('+6@r2');
    expect(ask(lost(aSetPod(5, 'r2')))).toBe('+6@r2');
    expect(ask(aSetPod(5, 'r2').build())).toBe('-0');
  });

  it('the way back to the stable revision gives them up', () => {
    const stable = { revision: 'r1', partition: 0, paused: false };
    const p = setPlan({ spec: surging(1, 1), allowance: stable, updateRevision: 'r1', pods: setPods('ooooou') });
    expect(told(p)).toBe('-5');
  });
});

describe('reached (decisions 13 and 15)', () => {
  const reached = (pods: string, partition: number, spec = {}) =>
    setPlan({ spec, allowance: at(partition), pods: setPods(pods) }).reached;

  it.each<[pods: string, partition: number, isReached: boolean]>([
    ['ooouu', 3, true],
    ['oooou', 3, false],
    ['oooUu', 3, false],
    ['OOOuu', 3, true],
    ['uuouu', 3, true],
    ['ouuuu', 3, true],
    ['ooooo', 5, true],
    ['uuuuu', 0, true],
    ['uuuu-', 0, false],
  ])('%s under partition %i: %s', (pods, partition, isReached) => {
    expect(reached(pods, partition)).toBe(isReached);
  });

  it('not while pods of the surge are there, which do not count either', () => {
    expect(reached('uuuuuu', 0, surging(1))).toBe(false);
    expect(reached('oooouu', 3, surging(1))).toBe(false);
  });

  it('as many stay old as the partition says, also where one below it is new already (protocol §6)', () => {
    const p = setPlan({ spec: PARALLEL, allowance: at(3), pods: setPods('uoouo') });
    expect([told(p), p.reached]).toEqual(['', true]);
  });

  it('row 118: five replicas, partition 3 after the update: current 3, updated 2, ready 5', () => {
    const { counts } = setPlan({ allowance: at(3), pods: setPods('ooouu') });
    expect(counts).toMatchObject({ perRevision: { r1: 3, r2: 2 }, updated: 2, updatedReady: 2, ready: 5, replicas: 5 });
  });
});
