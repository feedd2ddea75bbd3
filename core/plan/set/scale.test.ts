import { describe, expect, it } from 'vitest';
import { NOW, revision, templateOf } from '../../../test/support/pods.ts';
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

const STABLE = { updateRevision: 'r2', stableRevision: 'r2' };
const at = (partition: number | string, paused = false) => ({ revision: 'r2', partition, paused });
const failed = (ordinal: number, revision: string) => aSetPod(ordinal, revision).phase('Failed').notReady().build();

describe('creation', () => {
  const rows: { sentence: string; changes: SetChanges; moves: string }[] = [
    { sentence: 'OrderedReady begins with the lowest ordinal', changes: {}, moves: '+0@r2' },
    { sentence: 'Parallel makes all at once', changes: { spec: PARALLEL }, moves: '+0@r2 +1@r2 +2@r2 +3@r2 +4@r2' },
    {
      sentence: 'the next one comes when the one before is in service',
      changes: { pods: setPods('uu') },
      moves: '+2@r2',
    },
    {
      sentence: 'ordered creation halts at a pod that is not ready (in-place-peers 42)',
      changes: { pods: setPods('uU') },
      moves: '',
    },
    {
      sentence: 'Parallel goes on beside it (in-place-peers 43)',
      changes: { spec: { ...PARALLEL, replicas: 3 }, pods: setPods('uU') },
      moves: '+2@r2',
    },
    { sentence: 'a hole is filled first', changes: { pods: setPods('u-uu') }, moves: '+1@r2' },
    {
      sentence: 'an ordinal waits until its terminating pod is gone (report 35)',
      changes: { spec: { replicas: 2, ...PARALLEL }, pods: [setPods('u')[0]!, terminating(aSetPod(1, 'r1').build())] },
      moves: '',
    },
    {
      sentence: 'a create without an answer is repeated, one with an answer is waited for',
      changes: {
        spec: { replicas: 3, ...PARALLEL },
        pods: setPods('u'),
        issued: [
          { pod: 'lobby-1', revision: 'r2' },
          { pod: 'lobby-2', revision: 'r2' },
        ],
        unresolved: [{ act: 'create', pod: 'lobby-1', outcome: 'unknown' }],
      },
      moves: '+1@r2',
    },
    {
      sentence: 'pods of other names are none of ours',
      changes: {
        spec: { replicas: 1 },
        pods: [aSetPod(0, 'r2').build(), { ...aSetPod(7, 'r2').build(), metadata: { name: 'lobby-x' } }],
      },
      moves: '',
    },
  ];
  it.each(rows)('$sentence', ({ changes, moves }) => {
    expect(told(setPlan({ ...STABLE, ...changes }))).toBe(moves);
  });

  it('names that were not answered are given back where there are more than replicas', () => {
    const open = [1, 2, 3].map((ordinal) => ({ pod: `lobby-${ordinal}`, revision: 'r2' }));
    const unresolved = open.map(({ pod }) => ({ act: 'create' as const, pod, outcome: 'unknown' as const }));
    const spec = { replicas: 3, reserveOrders: [0], ...PARALLEL };
    const p = setPlan({ ...STABLE, spec, pods: setPods('U'), issued: open, unresolved });
    expect([told(p), p.retired]).toEqual(['-0 +1@r2 +2@r2', ['lobby-3']]);
  });

  it('an observation waits for the terminating pod', () => {
    const p = setPlan({ ...STABLE, spec: { replicas: 1 }, pods: [terminating(aSetPod(0, 'r2').build())] });
    expect([p.moves, p.inTransition, p.reached]).toEqual([[], true, false]);
  });

  it.each([
    { policy: PARALLEL, pods: setPods('u--u'), moves: '+2@r2 +4@r2' },
    { policy: {}, pods: setPods('u-uu'), moves: '' },
    { policy: {}, pods: setPods('--uu'), moves: '+0@r2' },
  ])('a name that the API has refused waits for itself (protocol §4): $moves', ({ policy, pods, moves }) => {
    const backOff = { count: 1, untilMs: NOW + 1 };
    const unresolved = [{ act: 'create' as const, pod: 'lobby-1', outcome: 'refused' as const, backOff }];
    const given = { ...STABLE, spec: policy, pods, unresolved, issued: [{ pod: 'lobby-1', revision: 'r2' }] };
    // That of other creates is none of its business.
    const waiting = setPlan({ ...given, backOff: { count: 9, untilMs: NOW + 600_000 } });
    expect([told(waiting), waiting.lookAgainAtMs]).toEqual([moves, NOW + 1]);
    expect(told(setPlan({ ...given, nowMs: NOW + 1 }))).toContain(moves === '+0@r2' ? '+0@r2' : '+1@r2');
  });

  it('nothing is created at a revision that is gone', () => {
    const gone = setPlan({ ...STABLE, revisions: [] });
    expect([gone.moves, gone.blockers[0]?.reason]).toEqual([[], 'RevisionMissing']);
  });

  it('createBatch: Parallel makes its first pods batch by batch, OrderedReady knows nothing of it', () => {
    const spec = { ...PARALLEL, scaleStrategy: { createBatch: 2 } };
    expect(told(setPlan({ ...STABLE, spec }))).toBe('+0@r2 +1@r2');
    expect(told(setPlan({ ...STABLE, spec, pods: setPods('uU') }))).toBe('');
    expect(told(setPlan({ ...STABLE, spec, pods: setPods('uu') }))).toBe('+2@r2 +3@r2');
    const later = { spec, pods: setPods('u'), status: { createdInFull: true } };
    expect(told(setPlan({ ...STABLE, ...later }))).toBe('+1@r2 +2@r2 +3@r2 +4@r2');
    expect(told(setPlan({ ...STABLE, spec: { scaleStrategy: { createBatch: 2 } }, pods: setPods('u') }))).toBe('+1@r2');
  });
});

describe('the revision of a new pod (decisions 11 and 22, kubernetes 70442)', () => {
  const spec = { ...PARALLEL, ...updating({ maxUnavailable: 1 }) };

  it('in-place-peers 37, 48: it is that of its place: stable below the partition, the target from there on', () => {
    expect(told(setPlan({ spec, allowance: at(3), pods: setPods('-oou-') }))).toBe('+0@r1 +4@r2');
    expect(told(setPlan({ spec, allowance: at(0), pods: setPods('-oouu') }))).toBe('+0@r2');
  });

  it('a reserved ordinal moves new pods below the partition: as many old ones are made beyond it', () => {
    const reserving = (ordinals: number[], replicas = 5) => ({ ...spec, replicas, reserveOrders: ordinals });
    const ask = (given: SetChanges) => told(setPlan({ allowance: at(3), ...given }));
    expect(ask({ spec: reserving([1]), pods: setPods('o-ouu') })).toBe('+5@r1');
    expect(ask({ spec: reserving([1], 6), pods: setPods('o-ouu') })).toBe('+5@r1 +6@r2');
    expect(ask({ spec: reserving([1]), pods: [...setPods('o-ouu'), aSetPod(5, 'r1').build()] })).toBe('');
    expect(ask({ spec: reserving([1], 6), pods: setPods('o-ouu'), issued: [{ pod: 'lobby-5', revision: 'r1' }] })).toBe(
      '+6@r2',
    );
  });

  it('M11: partition 2, three replicas: 2 is updated; scaled to five, 2, 3 and 4 are new', () => {
    const three = { ...spec, replicas: 3 };
    expect(told(setPlan({ spec: three, allowance: at(2), pods: setPods('ooo') }))).toBe('-2');
    expect(told(setPlan({ spec, allowance: at(2), pods: setPods('oou') }))).toBe('+3@r2 +4@r2');
  });

  it('while paused it is stable where the partition is a number, and by its place where it is a percentage', () => {
    expect(told(setPlan({ spec, allowance: at(3, true), pods: setPods('ooo') }))).toBe('+3@r1 +4@r1');
    expect(told(setPlan({ spec, allowance: at('60%', true), pods: setPods('oo') }))).toBe('+2@r1 +3@r2 +4@r2');
  });

  it('under OnDelete a pod that somebody deletes comes back updated, partition permitting', () => {
    const byHand = { ...PARALLEL, ...updating({}, 'OnDelete') };
    expect(told(setPlan({ spec: byHand, allowance: at(3), pods: setPods('o-oo-') }))).toBe('+1@r1 +4@r2');
  });

  it('a label that only changes mends nothing: ordered creation waits for the pod that starts', () => {
    const relabelled = [
      revision('r1', 1),
      { ...revision('r2', 2, 'game:r1'), template: { ...templateOf('game:r1'), metadata: {} } },
    ];
    const starting = aSetPod(0, 'r1').phase('Pending').notReady().build();
    const p = setPlan({ spec: updating({}, 'InplaceUpdate'), revisions: relabelled, pods: [starting] });
    expect(told(p)).toBe('patch-metadata 0');
  });

  it('ordered creation goes on beside a broken old pod that is replaced, and waits for one that stays', () => {
    expect(told(setPlan({ pods: setPods('ooO') }))).toBe('-2 +3@r2');
    const status = { createdInFull: true };
    expect(told(setPlan({ status, allowance: at(3), pods: setPods('ooO') }))).toBe('');
  });

  it.each<[pods: string, moves: string]>([
    ['O', '-0 +1@r2'],
    ['-', '+0@r2'],
    ['U', ''],
    ['u', '+1@r2'],
    ['oO', '-1 +2@r2'],
    ['Oo', '-0 +2@r2'],
    ['uo', '+2@r2'],
    ['-o', '+0@r2'],
    ['oOo', '-1 +3@r2'],
    ['o-', '+1@r2'],
    ['ooo', '+3@r2'],
    ['oouuu', ''],
  ])(
    'kubernetes 67250: an ordered set that never was complete keeps no broken pods old under partition 3: %s',
    (pods, moves) => {
      expect(told(setPlan({ allowance: at(3), pods: setPods(pods), status: { createdInFull: false } }))).toBe(moves);
    },
  );

  it('the partition holds again once it is complete, for Parallel always', () => {
    const { reached, resolved } = setPlan({ allowance: at(3), pods: setPods('uuuuu') });
    expect([reached, resolved.partition]).toEqual([true, 3]);
    expect(told(setPlan({ spec, allowance: at(3), pods: setPods('O') }))).toBe('+1@r1 +2@r1 +3@r2 +4@r2');
    expect(told(setPlan({ allowance: at(3, true), pods: setPods('O') }))).toBe('');
  });
});

describe('pods that failed (decision 23)', () => {
  const pods = [failed(0, 'r1'), aSetPod(1, 'r1').build(), failed(2, 'r3')];
  const spec = { replicas: 3 };

  it('row 73: OrderedReady deletes and makes again 0 only', () => {
    const p = setPlan({ spec, pods });
    expect([told(p), p.replacesFailed]).toEqual(['-0', 1]);
    expect(told(setPlan({ spec, pods: pods.slice(1) }))).toBe('+0@r2');
    expect(told(setPlan({ spec, pods: [aSetPod(0, 'r2').build(), ...pods.slice(1)] }))).toBe('-2');
  });

  it('row 74: Parallel replaces 0 and 2, then updates 1 when the budget allows', () => {
    const inPlace = { ...spec, ...PARALLEL, ...updating({ maxUnavailable: 1 }, 'InplaceUpdate') };
    expect(told(setPlan({ spec: inPlace, pods }))).toBe('-0 -2');
    expect(told(setPlan({ spec: inPlace, pods: pods.slice(1, 2) }))).toBe('+0@r2 +2@r2');
    expect(told(setPlan({ spec: inPlace, pods: setPods('uou') }))).toBe('close-gate 1');
  });

  it('a Failed pod that waits for its turn takes no place from the slot that has it', () => {
    const pods = [aSetPod(0, 'r2').build(), failed(2, 'r2'), aSetPod(3, 'r2').build()];
    expect(told(setPlan({ ...STABLE, spec: { ...spec, reserveOrders: [3] }, pods }))).toBe('+1@r2');
  });

  it('but it has its place in the batch of a first creation', () => {
    const batched = { ...PARALLEL, scaleStrategy: { createBatch: 2 } };
    const given = { ...STABLE, spec: batched, pods: [failed(0, 'r2'), ...setPods('-U')] };
    expect(told(setPlan({ ...given, failures: { count: 1, untilMs: NOW + 5 } }))).toBe('');
  });

  it('in-place-peers 44: an evicted pod is replaced after its back-off, and keeps its place until then', () => {
    const evicted = [failed(0, 'r2'), ...setPods('-u')];
    const waiting = setPlan({
      ...STABLE,
      spec: { ...spec, ...PARALLEL },
      pods: evicted,
      failures: { count: 1, untilMs: NOW + 5 },
    });
    expect([told(waiting), waiting.lookAgainAtMs]).toEqual(['+2@r2', NOW + 5]);
  });
});

describe('reserveOrders (game-workloads §1.2, report 31 of in-place-peers)', () => {
  const reserve = (reserveOrders: number[], replicas = 3, more = {}) => ({
    ...STABLE,
    spec: { replicas, reserveOrders, ...more },
  });

  it('three pods without 1 are 0, 2 and 3; with two replicas they are 0 and 2', () => {
    expect(told(setPlan({ ...reserve([1], 3, PARALLEL) }))).toBe('+0@r2 +2@r2 +3@r2');
    expect(told(setPlan({ ...reserve([1], 2, PARALLEL), pods: setPods('u-uu') }))).toBe('-3');
  });

  it('a pod that is there is deleted first, so that there is never one too many, then the higher one comes', () => {
    const first = setPlan({ ...reserve([1]), pods: setPods('uuu') });
    expect([told(first), first.moves[0]?.reason]).toEqual(['-1', 'spec.reserveOrders has ordinal 1']);
    expect(told(setPlan({ ...reserve([1]), pods: setPods('u-u') }))).toBe('+3@r2');
  });

  it('where maxUnavailable is 0 the surge brings the higher one first', () => {
    const spec = { ...PARALLEL, ...updating({ maxUnavailable: 0, maxSurge: 1 }) };
    expect(told(setPlan({ ...reserve([1], 3, spec), pods: setPods('uuu') }))).toBe('+3@r2');
    expect(told(setPlan({ ...reserve([1], 3, spec), pods: setPods('uuuu') }))).toBe('-1');
  });

  it('an ordinal that is left over above all does not keep the reserved one from going', () => {
    const pods = [...setPods('uuu'), aSetPod(7, 'r2').build()];
    expect(told(setPlan({ ...reserve([1]), pods }))).toBe('-7');
  });

  it('the partition counts pods, whatever their ordinals are', () => {
    const spec = { replicas: 4, reserveOrders: [0, 2], ...PARALLEL, ...updating({ maxUnavailable: 4 }) };
    expect(told(setPlan({ spec, allowance: at(2), pods: setPods('-o-ooo') }))).toBe('-5 -4');
    expect(told(setPlan({ spec, allowance: at(2) }))).toBe('+1@r1 +3@r1 +4@r2 +5@r2');
  });
});
