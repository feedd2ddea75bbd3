import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../crds/kubernetes.ts';
import { iso, NOW } from '../../../test/support/pods.ts';
import {
  aSetPod,
  PARALLEL,
  type SetChanges,
  setPlan,
  setPods,
  terminating,
  told,
  updating,
} from '../../../test/support/sets.ts';
import { READINESS_GATE } from '../../keys.ts';

const CLOSED = { type: READINESS_GATE, status: 'False', reason: 'StartInPlaceUpdate', message: 'r2' } as const;
const at = (partition: number | string) => ({ revision: 'r2', partition, paused: false });
const PERMISSIVE = updating({ maxUnavailable: 5 });

describe('which pods of a GameStatefulSet are updated (game-workloads §6.2)', () => {
  const rows: { row: string; changes: SetChanges; moves: string }[] = [
    {
      row: '64 partition 3, 25 % of 5, Parallel',
      changes: { spec: PARALLEL, allowance: at(3), pods: setPods('ooooo') },
      moves: '-4 -3',
    },
    { row: '64 the same, OrderedReady: first 4', changes: { allowance: at(3), pods: setPods('ooooo') }, moves: '-4' },
    { row: '64 the same, OrderedReady: then 3', changes: { allowance: at(3), pods: setPods('oooou') }, moves: '-3' },
    {
      row: '64 the same, OrderedReady: then no more',
      changes: { allowance: at(3), pods: setPods('ooouu') },
      moves: '',
    },
    {
      row: '66 maxUnavailable 2, the two updated ones are not ready',
      changes: { spec: { ...PARALLEL, ...updating({ maxUnavailable: 2 }) }, pods: setPods('oooUU') },
      moves: '',
    },
    {
      row: '67 maxUnavailable 1, pod 0 is old and not ready: it goes first and needs no budget',
      changes: { spec: { ...PARALLEL, ...updating({ maxUnavailable: 1 }) }, pods: setPods('Ooooo') },
      moves: '-0',
    },
    {
      row: '68 as protocol §6 promises it: below the partition a pod that is not ready counts as well',
      changes: { spec: { ...PARALLEL, ...updating({ maxUnavailable: 1 }) }, allowance: at(3), pods: setPods('Ooooo') },
      moves: '',
    },
    {
      row: '68 and maxUnavailable 2 has room for one more',
      changes: { spec: { ...PARALLEL, ...updating({ maxUnavailable: 2 }) }, allowance: at(3), pods: setPods('Ooooo') },
      moves: '-4',
    },
    {
      row: '69 partition 50 % of 5 rounds down',
      changes: { spec: { ...PARALLEL, ...PERMISSIVE }, allowance: at('50%'), pods: setPods('ooooo') },
      moves: '-4 -3 -2',
    },
  ];
  it.each(rows)('row $row', ({ changes, moves }) => {
    expect(told(setPlan(changes))).toBe(moves);
  });

  it('the partition of the spec counts where the rollout has no steps; above the replicas it only stages', () => {
    const spec = { ...PARALLEL, ...updating({ partition: 4, maxUnavailable: 5 }) };
    const allowance = { revision: 'r2', partition: 'spec', paused: false } as const;
    expect(told(setPlan({ spec, allowance, pods: setPods('ooooo') }))).toBe('-4');
    const staged = setPlan({ spec: { ...spec, ...updating({ partition: 9 }) }, allowance, pods: setPods('ooooo') });
    expect([staged.moves, staged.reached, staged.resolved.partition]).toEqual([[], true, 5]);
  });

  it('paused by the user moves nothing (game-workloads §5, 12)', () => {
    const updateStrategy = { ...updating().updateStrategy, paused: true };
    expect(told(setPlan({ spec: { updateStrategy }, pods: setPods('ooooo') }))).toBe('');
  });

  it('of a third revision in mid-canary every pod beyond the partition gets its turn, the highest first', () => {
    const pods = [...setPods('ooo'), aSetPod(3, 'r3').build(), aSetPod(4, 'r3').build()];
    expect(told(setPlan({ spec: { ...PARALLEL, ...PERMISSIVE }, allowance: at(2), pods }))).toBe('-4 -3 -2');
  });

  it('pods on lost nodes are not touched, and OrderedReady waits for them', () => {
    const lost = aSetPod(4, 'r1').node('node-2').notReady().build();
    const nodes = { 'node-1': { ready: true }, 'node-2': { ready: false } };
    const pods = [...setPods('oooo'), lost];
    const spec = updating({ maxUnavailable: 3 });
    expect(told(setPlan({ spec: { ...spec, ...PARALLEL }, nodes, pods }))).toBe('-3 -2');
    const ordered = setPlan({ spec, nodes, pods });
    expect([told(ordered), ordered.blockers[0]?.message]).toEqual([
      '',
      'Pod lobby-4 is not available: its node node-2 is not Ready.',
    ]);
  });
});

describe('maxUnavailable beside broken and terminating pods (kubernetes-controllers §6.7)', () => {
  const withTerminating = (letters: string, ordinal: number): Pod[] =>
    setPods(letters).map((pod, index) => (index === ordinal ? terminating(pod) : pod));
  const rows: {
    row: string;
    replicas: number;
    max: number;
    pods: Pod[];
    partition?: number;
    moves: string;
    ordered?: string;
  }[] = [
    { row: 'M3 the only pod is broken', replicas: 1, max: 1, pods: setPods('O'), moves: '-0' },
    { row: 'M4 one of three is broken', replicas: 3, max: 1, pods: setPods('ooO'), moves: '-2' },
    { row: 'M4 two of five are broken', replicas: 5, max: 2, pods: setPods('oooOO'), moves: '-4 -3' },
    {
      row: 'M6, M7 4 terminating and 3 crashing',
      replicas: 5,
      max: 3,
      pods: withTerminating('oooOo', 4),
      moves: '-3 -2',
      ordered: '-3',
    },
    {
      row: 'M6, M7 3 terminating and 4 crashing',
      replicas: 5,
      max: 3,
      pods: withTerminating('ooooO', 3),
      moves: '-4 -2',
      ordered: '-4',
    },
    { row: 'M8 partition 2, 4 is broken', replicas: 5, max: 1, partition: 2, pods: setPods('ooooO'), moves: '-4' },
    { row: 'M8 partition 2, 2 is broken', replicas: 5, max: 1, partition: 2, pods: setPods('ooOoo'), moves: '-2' },
    { row: 'M8 partition 2, 1 is broken', replicas: 5, max: 1, partition: 2, pods: setPods('oOooo'), moves: '' },
    {
      row: 'M9 partition 3, 3 and 4 are broken',
      replicas: 5,
      max: 2,
      partition: 3,
      pods: setPods('oooOO'),
      moves: '-4 -3',
    },
    {
      row: 'M9 partition 3, 1 and 4 are broken',
      replicas: 5,
      max: 2,
      partition: 3,
      pods: setPods('oOooO'),
      moves: '-4',
    },
  ];
  it.each(rows)('row $row', ({ replicas, max, pods, partition = 0, moves, ordered = moves }) => {
    const spec = { replicas, ...updating({ maxUnavailable: max }) };
    const allowance = at(partition);
    expect(told(setPlan({ spec: { ...spec, ...PARALLEL }, allowance, pods }))).toBe(moves);
    expect(told(setPlan({ spec, allowance, pods }))).toBe(ordered);
  });
});

describe('the budgets of a GameStatefulSet (decisions 19 and 20)', () => {
  it.each([
    { given: {}, replicas: 10, budgets: [3, 0] },
    { given: { maxUnavailable: '25%', maxSurge: '10%' }, replicas: 10, budgets: [3, 1] },
    { given: { maxUnavailable: 0, maxSurge: 2 }, replicas: 5, budgets: [0, 2] },
    { given: { maxUnavailable: '0%' }, replicas: 5, budgets: [1, 0] },
    { given: { maxUnavailable: 5, maxSurge: '50%' }, replicas: 5, budgets: [5, 3] },
  ])('Parallel, $replicas replicas, $given', ({ given, replicas, budgets }) => {
    const { maxUnavailable, maxSurge } = setPlan({ spec: { replicas, ...PARALLEL, ...updating(given) } }).resolved;
    expect([maxUnavailable, maxSurge]).toEqual(budgets);
  });

  it('OrderedReady and OnDelete have no surge, and so maxUnavailable 0 counts as one', () => {
    const budget = { maxUnavailable: 0, maxSurge: 2 };
    for (const spec of [updating(budget), { ...PARALLEL, ...updating(budget, 'OnDelete') }]) {
      expect(setPlan({ spec }).resolved).toMatchObject({ maxUnavailable: 1, maxSurge: 0 });
    }
  });
});

describe('OrderedReady updates one pod after the other', () => {
  const spec = updating({ maxUnavailable: 5 });

  it.each([
    { sentence: 'the next one waits for the one before', pods: 'ooooU', moves: '' },
    { sentence: 'and for every other pod of the target that is not in service', pods: 'uUoou', moves: '' },
    { sentence: 'and for a slot that is empty', pods: 'o-ooo', moves: '+1@r2' },
    { sentence: 'broken old pods are replaced outside the order (kubernetes 67250)', pods: 'OoOou', moves: '-2 -0' },
    {
      sentence: 'a fix of a template that broke all of them replaces all (in-place-peers 47)',
      pods: 'OOOOO',
      moves: '-4 -3 -2 -1 -0',
    },
  ])('$sentence', ({ pods, moves }) => {
    expect(told(setPlan({ spec, pods: setPods(pods) }))).toBe(moves);
  });

  const inPlace = { ...updating({ maxUnavailable: 5 }, 'InplaceUpdate') };
  const inGrace = aSetPod(2, 'r1')
    .condition({ ...CLOSED, lastTransitionTime: iso(NOW - 4_000) })
    .notReady(3_000)
    .build();

  it('in place one gate closes, and nothing more while its pod is on its way', () => {
    expect(told(setPlan({ spec: { replicas: 3, ...inPlace }, pods: setPods('ooo') }))).toBe('close-gate 2');
    const grace = { ...inPlace.updateStrategy, inPlaceUpdateStrategy: { gracePeriodSeconds: 10 } };
    const during = setPlan({ spec: { replicas: 3, updateStrategy: grace }, pods: [...setPods('oo'), inGrace] });
    expect([during.moves, during.lookAgainAtMs]).toEqual([[], NOW + 6_000]);
    const after = setPlan({ spec: { replicas: 3, ...inPlace }, pods: [...setPods('oo'), inGrace] });
    expect(told(after)).toBe('patch-images 2');
  });

  it('in place and Parallel as many as the budget allows, the highest first', () => {
    const spec = { replicas: 3, ...PARALLEL, ...updating({ maxUnavailable: 2 }, 'InplaceUpdate') };
    expect(told(setPlan({ spec, pods: setPods('ooo') }))).toBe('close-gate 2 close-gate 1');
  });

  it('a pod that waits for its hook keeps its mark while the order holds it up', () => {
    const mark = JSON.stringify({ kind: 'update', attempt: '99', hookRun: 'run', revision: 'r2' });
    const marked = aSetPod(2, 'r1').annotated({ 'holdfast.dev/move': mark }).build();
    const p = setPlan({
      spec: { replicas: 3, ...spec },
      pods: [aSetPod(0, 'r2').notReady().build(), aSetPod(1, 'r1').build(), marked],
    });
    expect(p.moves).toEqual([]);
  });
});

describe('other types', () => {
  it('OnDelete updates nothing and says who is waited for (in-place-peers 38)', () => {
    const p = setPlan({ spec: { ...PARALLEL, ...updating({}, 'OnDelete') }, allowance: at(3), pods: setPods('ooooo') });
    expect(p.moves).toEqual([]);
    expect(p.blockers).toMatchObject([
      {
        reason: 'WaitsForDeletion',
        message: expect.stringContaining('2 pods do not run r2 yet, such as lobby-3;'),
        pod: 'lobby-3',
      },
    ]);
  });

  it('HotPatchUpdate writes images without gate, paced by the budget (decision 29)', () => {
    const spec = { replicas: 3, ...PARALLEL, ...updating({ maxUnavailable: 2 }, 'HotPatchUpdate') };
    expect(setPlan({ spec, pods: setPods('ooo') }).moves).toMatchObject([
      { act: 'patch-images', pod: 'lobby-2', isHot: true },
      { act: 'patch-images', pod: 'lobby-1', isHot: true },
    ]);
  });
});
