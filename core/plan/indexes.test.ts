import { describe, expect, it } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { indexed, numbered, rangeOf } from '../../test/support/indexes.ts';
import { acts, plan, r } from '../../test/support/plans.ts';
import { aPod, NOW, revision } from '../../test/support/pods.ts';
import { UNNUMBERED_ANNOTATION } from '../keys.ts';
import { indexOf, withIndex } from '../pod-index.ts';

const DRAIN = { hook: { templateName: 'drain' } };

const leaving = (index: number) =>
  numbered(index).with((pod) => {
    pod.metadata.deletionTimestamp = new Date(NOW).toISOString();
  });
const given = (p: ReturnType<typeof plan>) =>
  acts(p, 'create').map((move) => (move.act === 'create' ? move.index : undefined));

describe('indexes (game-workloads §1.5)', () => {
  it('row 34: range [1,5), 1, 2 and 3 are used: the next is 4', () => {
    const pods = [1, 2, 3].map((index) => numbered(index).build());
    expect(given(indexed(rangeOf(1, 5), { spec: { replicas: 4 }, pods }))).toEqual([4]);
  });

  it('row 36: three are wanted, two of them at the stable revision; of two indexes the third pod gets none', () => {
    const pods = [numbered(0, 'r1').build(), numbered(1).build()];
    const p = indexed(rangeOf(0, 4), {
      spec: { replicas: 4, updateStrategy: { maxSurge: 1 } },
      ...{ stableRevision: 'r1', allowance: { revision: 'r2', partition: 3, paused: false } },
      pods: [...pods, aPod('r2').build()],
      issued: [],
    });
    expect(
      acts(p, 'create').map((move) => [move.act === 'create' && move.revision, 'index' in move && move.index]),
    ).toEqual([['r1', 2]]);
    const short = indexed(rangeOf(0, 4), {
      spec: { replicas: 4, updateStrategy: { maxSurge: 2, maxUnavailable: 0 } },
      ...{ stableRevision: 'r1', allowance: { revision: 'r2', partition: 0, paused: false } },
      pods: [numbered(0, 'r1').build(), numbered(1, 'r1').build(), aPod('r1').build()],
    });
    expect(given(short)).toEqual([2, 3, undefined]);
    expect(acts(short, 'create').map((move) => 'isUnnumbered' in move)).toEqual([false, false, true]);
  });

  describe('a pod that an update made beyond the range', () => {
    const surgeOf = (revisionName: string) =>
      aPod(revisionName, 'lobby-surge')
        .annotated({ [UNNUMBERED_ANNOTATION]: 'true' })
        .build();
    const surge = surgeOf('r2');
    const [zero, one] = [numbered(0).build(), numbered(1).build()];
    const updateStrategy = { maxSurge: 1, maxUnavailable: 0 };
    const ask = (pods: Pod[], spec: object = {}, more = {}) =>
      indexed(rangeOf(0, 3), { spec: { replicas: 3, updateStrategy, ...spec }, pods, ...more });

    it('is no replica: one with the index that is left comes for it, then it goes', () => {
      const first = ask([zero, one, surge]);
      expect([given(first), acts(first, 'delete'), first.reached]).toEqual([[2], [], false]);
      const then = ask([zero, one, surge, numbered(2).build()]);
      expect([then.moves.map(({ act, pod }) => [act, pod]), then.reached]).toEqual([
        [['delete', 'lobby-surge']],
        false,
      ]);
      expect(ask([zero, one, numbered(2).build()])).toMatchObject({ moves: [], reached: true });
    });

    it('goes at once where the budget allows it, which says why', () => {
      const p = ask([zero, one, surge], { updateStrategy: { maxUnavailable: 1 } });
      expect(p.moves).toMatchObject([{ act: 'delete', reason: 'it has no index, and a pod with one takes its place' }]);
    });

    it('is old where it was made at a revision of before: what comes for it is, too', () => {
      const four = [numbered(0, 'r1').build(), numbered(1, 'r1').build(), surge];
      const given = {
        stableRevision: 'r1',
        updateRevision: 'r3',
        allowance: { revision: 'r3', partition: 3, paused: false },
      };
      const revisions = ['r1', 'r2', 'r3'].map((name, number) => revision(name, number));
      const first = ask(four, {}, { ...given, revisions });
      expect(first.moves).toMatchObject([{ act: 'create', revision: 'r1', index: 2 }]);
      const then = ask([...four, numbered(2, 'r1').build()], {}, { ...given, revisions });
      expect(then.moves).toMatchObject([{ act: 'delete', pod: 'lobby-surge' }]);
    });

    it('needs no surge of its own under a partition: one too many would be updated for it, and made again for ever', () => {
      const four = [numbered(0, 'r1').build(), surgeOf('r1'), numbered(1).build(), numbered(2).build()];
      const held = { stableRevision: 'r1', allowance: { revision: 'r2', partition: 2, paused: false } };
      const spec = { replicas: 4, updateStrategy: { maxSurge: 2, maxUnavailable: 0 } };
      const ask = (pods: Pod[]) => indexed(rangeOf(0, 5), { spec, pods, ...held });
      expect(ask(four).moves).toMatchObject([{ act: 'create', revision: 'r1', index: 3 }]);
      expect(ask([...four, numbered(3, 'r1').notReady().build()]).moves).toEqual([]);
      expect(ask([...four, numbered(3, 'r1').build()]).moves).toMatchObject([{ act: 'delete', pod: 'lobby-surge' }]);
    });

    it('waits for the index of a pod on its way out', () => {
      const p = ask([zero, one, leaving(2).build(), surge]);
      expect([p.moves, p.reached, p.blockers[0]?.reason]).toEqual([[], false, 'WaitsForIndex']);
    });

    it.each([
      ['while the update needs it', [zero, numbered(1, 'r1').build(), surge], { stableRevision: 'r1' }, ['create']],
      [
        'while the update is paused',
        [zero, one, surge],
        { allowance: { revision: 'r2', partition: 0, paused: true } },
        [],
      ],
      ['and where none has an index by its own right: switching indexes on moves no pod', [zero, one, r('r2')], {}, []],
    ])('stays %s', (_sentence, pods, more, want) => {
      const p = ask(pods, {}, { updateRevision: 'r2', ...more });
      expect(p.moves.map(({ act }) => act)).toEqual(want);
    });

    it('stays while no index is free: a pod that waits for its hook keeps its own', () => {
      const scaleStrategy = { podsToDelete: [zero.metadata.name] };
      const p = ask([zero, one, numbered(2).build(), surge], { scaleStrategy, preDeleteUpdateStrategy: DRAIN });
      expect(p.moves.filter(({ pod }) => pod === 'lobby-surge')).toEqual([]);
    });
  });

  it('the smallest first, and none that a name given out before has', () => {
    const pods = [numbered(1).build()];
    const issued = [{ pod: 'lobby-x', revision: 'r2', index: 0 }];
    expect(given(indexed(rangeOf(0, 9), { spec: { replicas: 4 }, pods, issued }))).toEqual([2, 3]);
  });

  it('a create that is repeated has the index of before', () => {
    const issued = [{ pod: 'lobby-x', revision: 'r2', index: 7 }];
    const unresolved = [{ act: 'create' as const, pod: 'lobby-x', outcome: 'unknown' as const }];
    const p = indexed(rangeOf(0, 9), { spec: { replicas: 1 }, issued, unresolved });
    expect(p.moves).toMatchObject([{ act: 'create', pod: 'lobby-x', index: 7 }]);
  });

  it('a pod on its way out keeps its index: the new one waits for it, and the plan says so', () => {
    const pods = [numbered(0).build(), leaving(1).build()];
    const p = indexed(rangeOf(0, 2), { spec: { replicas: 2 }, pods });
    expect(p.moves).toEqual([]);
    expect(p.blockers).toMatchObject([{ reason: 'WaitsForIndex', pod: pods[1]!.metadata.name }]);
    expect(p.inTransition).toBe(true);
    expect(given(indexed(rangeOf(0, 3), { spec: { replicas: 2 }, pods }))).toEqual([2]);
  });

  it.each<[range: string | undefined, replicas: number, why: string]>([
    [undefined, 2, 'must be JSON'],
    ['0-10', 2, 'must be JSON'],
    [rangeOf(5, 5), 2, 'must be JSON'],
    [rangeOf(-1, 5), 2, 'must be JSON'],
    [JSON.stringify({ podStartIndex: '0', podEndIndex: 5 }), 2, 'must be JSON'],
    [rangeOf(0, 2), 3, 'has 2 indexes, which is less than replicas (3)'],
  ])('range %s for %i replicas: nothing is created or recreated, scale-in goes on', (range, replicas, why) => {
    const p = indexed(range, { spec: { replicas }, pods: [r('r2')] });
    expect(p.moves).toEqual([]);
    expect(p.blockers[0]).toMatchObject({ reason: 'FailedScale', message: expect.stringContaining(why) });
    const allowance = { revision: 'r2', partition: 0, paused: false };
    const update = { stableRevision: 'r1', allowance, pods: [r('r1'), r('r1'), r('r1')] };
    expect(indexed(range, { spec: { replicas: 3 }, ...update }).moves).toEqual([]);
    const updateStrategy = { type: 'InplaceUpdate' as const };
    expect(acts(indexed(range, { spec: { replicas: 3, updateStrategy }, ...update }), 'close-gate')).toHaveLength(1);
    const fewer = indexed(range === rangeOf(0, 2) ? undefined : range, {
      spec: { replicas: 1 },
      pods: [r('r2'), r('r2')],
    });
    expect(acts(fewer, 'delete')).toHaveLength(1);
  });

  it('pods without a number of their own are given up first', () => {
    const twin = numbered(1)
      .with((pod) => {
        pod.metadata.creationTimestamp = new Date(NOW - 1_000).toISOString();
      })
      .build();
    const pods = [numbered(0).build(), numbered(1).build(), twin, r('r2')];
    const p = indexed(rangeOf(0, 9), { spec: { replicas: 2, updateStrategy: { maxUnavailable: '100%' } }, pods });
    expect(
      acts(p, 'delete')
        .map(({ pod }) => pod)
        .sort(),
    ).toEqual([twin, pods[3]!].map(({ metadata }) => metadata.name).sort());
  });

  it('switched off, nobody has one', () => {
    expect(given(plan({ spec: { replicas: 1 }, stableRevision: 'r2' }))).toEqual([undefined]);
  });
});

describe('a pod with its index', () => {
  const container = {
    name: 'game',
    env: [
      { name: 'POD_INDEX', value: 'x' },
      { name: 'URL', value: '/$(POD_INDEX)' },
    ],
  };
  const pod = aPod('r2')
    .with(({ spec }) => Object.assign(spec, { containers: [container, { name: 'side' }] }))
    .build();

  it('is told in an annotation and in every container, before the variables that may use it', () => {
    const told = withIndex(pod, { index: 4 });
    expect(indexOf(told)).toBe(4);
    const variable = { name: 'POD_INDEX', value: '4' };
    expect(told.spec.containers).toEqual([
      { name: 'game', env: [variable, { name: 'URL', value: '/$(POD_INDEX)' }] },
      { name: 'side', env: [variable] },
    ]);
  });

  it('that the range has none for it, is told as well', () => {
    expect(withIndex(pod, { isUnnumbered: true }).metadata.annotations).toMatchObject({
      [UNNUMBERED_ANNOTATION]: 'true',
    });
  });

  it('is as it was where it gets none', () => {
    expect(withIndex(pod, {})).toBe(pod);
    expect(indexOf(pod)).toBeUndefined();
  });
});
