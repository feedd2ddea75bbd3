import { describe, expect, it } from 'vitest';
import { revision } from '../../../test/support/pods.ts';
import { aSetPod, PARALLEL, setPlan, setPods, told, updating } from '../../../test/support/sets.ts';

const at = (partition: number | string) => ({ revision: 'r2', partition, paused: false });

describe('old pods under a partition, one of them broken', () => {
  const spec = updating({ maxUnavailable: 1 });

  it.each(['Parallel', 'OrderedReady'] as const)('the broken one is the one that is updated (%s)', (policy) => {
    const changes = { spec: { ...spec, podManagementPolicy: policy }, allowance: at(3) };
    expect(told(setPlan({ ...changes, pods: setPods('uooOo') }))).toBe('-3');
    expect(setPlan({ ...changes, pods: setPods('uoouo') }).reached).toBe(true);
  });

  it('one that the partition keeps holds up ordered creation, one that is replaced does not', () => {
    const status = { createdInFull: true };
    const replicas = { ...spec, replicas: 6 };
    expect(told(setPlan({ spec: replicas, status, allowance: at(3), pods: setPods('uooOo') }))).toBe('-3 +5@r2');
    expect(told(setPlan({ spec: replicas, status, allowance: at(4), pods: setPods('uooOo') }))).toBe('');
  });

  const superseded = (three: 'ready' | 'broken') => {
    const pod = aSetPod(3, 'r3');
    return [...setPods('ooo'), (three === 'broken' ? pod.notReady() : pod).build(), aSetPod(4, 'r3').build()];
  };

  it.each(['Parallel', 'OrderedReady'] as const)(
    'game-workloads §5, 8: a broken pod of a superseded canary below the partition goes back to stable (%s)',
    (policy) => {
      const status = { createdInFull: true };
      const changes = { spec: { ...spec, podManagementPolicy: policy }, status, allowance: at(4) };
      const first = setPlan({ ...changes, pods: superseded('broken') });
      expect([told(first), first.moves[0]]).toMatchObject([
        '-3',
        { spends: false, reason: expect.stringContaining('r1') },
      ]);
      const gone = superseded('broken').filter(({ metadata }) => metadata.name !== 'lobby-3');
      expect(told(setPlan({ ...changes, pods: gone }))).toBe('+3@r1');
      const back = [...setPods('oooo'), aSetPod(4, 'r3').build()];
      expect(told(setPlan({ ...changes, pods: back }))).toBe('-4');
    },
  );

  it('so does one beyond it that stays old for a new one below (Parallel)', () => {
    const pods = [...setPods('oouo'), aSetPod(4, 'r3').notReady().build()];
    const p = setPlan({ spec: { ...spec, ...PARALLEL }, allowance: at(4), pods });
    expect([told(p), p.moves[0]?.reason]).toEqual(['-4', 'it is broken, and goes back from r3 to r1']);
    expect(told(setPlan({ spec: { ...spec, ...PARALLEL }, allowance: at(4), pods: pods.slice(0, 4) }))).toBe('+4@r1');
  });

  it('while those are away no more become new than leave as many old as the partition says', () => {
    const old = (ordinal: number) => aSetPod(ordinal, 'r3').notReady().build();
    const pods = [...setPods('uu'), old(2), old(3), old(4), aSetPod(5, 'r1').build()];
    const six = { ...spec, ...PARALLEL, replicas: 6 };
    expect(told(setPlan({ spec: six, allowance: at(2), pods }))).toBe('-2 -4');
  });

  it('game-workloads §5, 8: under Parallel healthy ones are the first that may go, in order they wait for their turn', () => {
    const pods = [...setPods('oo'), aSetPod(2, 'r3').build(), aSetPod(3, 'r1').build(), aSetPod(4, 'r1').build()];
    const ask = (partition: number, more = {}) =>
      told(setPlan({ spec: { ...spec, ...more }, allowance: at(partition), pods }));
    expect([ask(2, PARALLEL), ask(3, PARALLEL), ask(2)]).toEqual(['-2', '-4', '-4']);
  });

  it('a healthy one serves on there, and nothing of it goes while paused or under OnDelete', () => {
    const changes = { spec: { ...spec, ...PARALLEL }, allowance: at(4) };
    expect(told(setPlan({ ...changes, pods: superseded('ready') }))).toBe('-4');
    const pods = superseded('broken');
    expect(setPlan({ ...changes, allowance: { ...at(4), paused: true }, pods }).moves).toEqual([]);
    const byHand = { ...PARALLEL, ...updating({}, 'OnDelete') };
    expect(setPlan({ ...changes, spec: byHand, pods }).moves).toEqual([]);
  });

  it('OrderedReady goes on below a pod that is kept because it cannot be updated in place (decision 27)', () => {
    const revisions = [revision('r1', 1), revision('r2', 2), revision('r3', 3)];
    Object.assign(revisions[0]!.template.spec, { hostNetwork: true });
    const updateStrategy = { type: 'InplaceUpdate', inPlaceUpdateStrategy: { fallback: 'Fail' } } as const;
    const pods = [aSetPod(0, 'r3').build(), aSetPod(1, 'r1').build()];
    expect(told(setPlan({ spec: { replicas: 2, updateStrategy }, revisions, pods }))).toBe('close-gate 0');
  });
});
