import { describe, expect, it } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { acts, created, deletedRevisions, n, plan, r } from '../../test/support/plans.ts';
import { aPod, NOW, pods } from '../../test/support/pods.ts';

describe('scale', () => {
  const at = (partition: number | string, paused = false) => ({ revision: 'r2', partition, paused });
  it('row 17: one pod, one replica, nothing to do', () => {
    expect(plan({ spec: { replicas: 1 }, pods: pods(1, 'r2') }).moves).toEqual([]);
  });

  it('row 18: five pods, partition 1, three old: none too many, two may move', () => {
    const p = plan({ spec: { replicas: 5 }, allowance: at(1), pods: [...pods(3, 'r1'), ...pods(2, 'r2')] });
    expect(p.remaining).toBe(2);
    expect(acts(p, 'create')).toEqual([]);
  });

  it('row 19: seven pods with surge 1: one old pod is too many', () => {
    const given = [...pods(3, 'r1'), ...pods(4, 'r2')];
    const p = plan({
      spec: { replicas: 5, updateStrategy: { maxSurge: 1, maxUnavailable: 0 } },
      allowance: at(1),
      pods: given,
    });
    expect(deletedRevisions(p, given).filter((name) => name === 'r1').length).toBeGreaterThanOrEqual(1);
    expect(p.remaining).toBe(1);
  });

  it.each([
    { row: '21 no surge', updateStrategy: {} },
    { row: '22 surge 0', updateStrategy: { maxSurge: 0 } },
    { row: '22 surge 1', updateStrategy: { maxSurge: 1 } },
  ])('row $row: a lost old pod comes back at the stable revision', ({ updateStrategy }) => {
    const p = plan({ spec: { replicas: 4, updateStrategy }, allowance: at(3), pods: [...pods(2, 'r1'), r('r2')] });
    expect(created(p)).toEqual(['r1']);
  });

  it.each([
    { row: '23', partition: 2, old: 2, fresh: 3, replicas: 3, expected: ['r2', 'r2'] },
    { row: '24', partition: 2, old: 4, fresh: 1, replicas: 3, expected: ['r1', 'r1'] },
    { row: '26', partition: 0, old: 1, fresh: 4, replicas: 2, expected: ['r1', 'r2', 'r2'] },
  ])(
    'row $row: scale-in takes old pods beyond the partition first',
    ({ partition, old, fresh, replicas, expected }) => {
      const given = [...pods(old, 'r1'), ...pods(fresh, 'r2')];
      const p = plan({
        spec: { replicas, updateStrategy: { maxUnavailable: '100%' } },
        allowance: at(partition),
        pods: given,
      });
      expect(deletedRevisions(p, given)).toEqual(expected);
    },
  );

  it('row 27: two of the old (one beyond the partition) and three new, three too many', () => {
    const given = [...pods(2, 'r1'), ...pods(3, 'r2')];
    const p = plan({
      spec: { replicas: 2, updateStrategy: { maxUnavailable: '100%' } },
      allowance: at(1),
      pods: given,
    });
    expect(deletedRevisions(p, given)).toEqual(['r1', 'r2', 'r2']);
  });

  it('row 28: nothing beyond the partition: a new one goes', () => {
    const given = [...pods(2, 'r1'), ...pods(2, 'r2')];
    expect(deletedRevisions(plan({ spec: { replicas: 3 }, allowance: at(2), pods: given }), given)).toEqual(['r2']);
  });

  it('a pod that is to be let go keeps its place until nobody counts it as ours', () => {
    const leaving = r('r2');
    const failed = aPod('r2').phase('Failed').build();
    const given = { spec: { replicas: 2 }, pods: [r('r2')] };
    const first = plan({ ...given, strays: [leaving] });
    expect(first.moves.map(({ act, pod }) => [act, pod])).toEqual([['release', leaving.metadata.name]]);
    expect(created(plan(given))).toEqual(['r2']);
    expect(created(plan({ ...given, strays: [failed] }))).toEqual(['r2']);
  });

  it('row 36: three are missing, two of them at the stable revision', () => {
    const p = plan({ spec: { replicas: 5 }, allowance: at(3), pods: [r('r1'), r('r2')] });
    expect(created(p)).toEqual(['r1', 'r1', 'r2']);
  });

  it('row 52: an allowance of all replicas updates nothing', () => {
    expect(plan({ spec: { replicas: 2 }, allowance: at('100%'), pods: pods(2, 'r1') }).moves).toEqual([]);
  });

  it('row 63: a partition above replicas is reached with nothing updated', () => {
    const p = plan({ spec: { replicas: 3 }, allowance: at(5), pods: pods(3, 'r1') });
    expect(p.moves).toEqual([]);
    expect(p.reached).toBe(true);
  });

  it('a partition is reached when the pods of the surge have gone, not while they are too many', () => {
    const spec = { replicas: 4, updateStrategy: { type: 'InplaceUpdate', maxSurge: 2, maxUnavailable: 1 } as const };
    const tooMany = plan({ spec, allowance: at(2), pods: [...pods(2, 'r1'), ...pods(4, 'r2')] });
    expect([tooMany.reached, acts(tooMany, 'delete').length]).toEqual([false, 2]);
    expect(plan({ spec, allowance: at(2), pods: [...pods(2, 'r1'), ...pods(2, 'r2')] }).reached).toBe(true);
  });

  it('row 104: while paused pods lost or added come back at the stable revision (decision 11)', () => {
    const p = plan({ spec: { replicas: 6 }, allowance: at(3, true), pods: [...pods(3, 'r1'), r('r2')] });
    expect(created(p)).toEqual(['r1', 'r1']);
  });

  it('while paused a percentage shares new pods (decision 11)', () => {
    const p = plan({ spec: { replicas: 10 }, allowance: at('60%', true), pods: [...pods(3, 'r1'), ...pods(2, 'r2')] });
    expect(created(p)).toEqual(['r1', 'r1', 'r1', 'r2', 'r2']);
  });

  it('while paused scale-in keeps one canary (decision 11)', () => {
    const given = [...pods(3, 'r1'), ...pods(2, 'r2')];
    const p = plan({
      spec: { replicas: 3, updateStrategy: { maxUnavailable: '100%' } },
      allowance: at(3, true),
      pods: given,
    });
    expect(deletedRevisions(p, given)).toEqual(['r1', 'r2']);
  });

  it('decision 8: while paused a scale-in goes as far as replicas say, whatever maxSurge is', () => {
    const updateStrategy = { maxSurge: 2, maxUnavailable: '100%' };
    const ask = (given: Pod[]) => {
      const p = plan({ spec: { replicas: 3, updateStrategy }, allowance: at(0, true), pods: given });
      return acts(p, 'delete').map(({ pod }) => given.findIndex(({ metadata }) => metadata.name === pod));
    };
    expect(ask(pods(5, 'r1'))).toHaveLength(2);
    expect(ask([...pods(3, 'r1'), r('r2'), n('r2')])).toEqual([expect.any(Number), 4]);
    expect(ask([...pods(3, 'r1'), n('r2')])).toEqual([3]);
    expect(ask([...pods(3, 'r1'), r('r2')])).toEqual([expect.toSatisfy((index: number) => index < 3)]);
  });

  it('surplus is scaled in only as the budget allows, except pods that are not available', () => {
    const given = [r('r2'), n('r2'), n('r2'), r('r2')];
    const p = plan({
      spec: { replicas: 2, updateStrategy: { maxUnavailable: 0, maxSurge: 1 } },
      stableRevision: 'r2',
      pods: given,
    });
    expect(
      acts(p, 'delete')
        .map(({ pod }) => pod)
        .sort(),
    ).toEqual([given[1]!.metadata.name, given[2]!.metadata.name].sort());
  });

  it('row 73, 74: failed pods are deleted without gates, and hold their place until then', () => {
    const failed = aPod('r2').phase('Failed').build();
    const p = plan({ spec: { replicas: 2 }, stableRevision: 'r2', pods: [failed, r('r2')] });
    expect(acts(p, 'delete').map(({ pod }) => pod)).toEqual([failed.metadata.name]);
    expect(acts(p, 'create')).toEqual([]);
    const later = plan({
      spec: { replicas: 2 },
      stableRevision: 'r2',
      pods: [failed, r('r2')],
      failures: { count: 1, untilMs: NOW + 10_000 },
    });
    expect(later.moves).toEqual([]);
    expect(later.lookAgainAtMs).toBe(NOW + 10_000);
  });

  it('failed pods that wait for their back-off hold up no other create', () => {
    const failed = aPod('r2').phase('Failed').build();
    const failures = { count: 1, untilMs: NOW + 10_000 };
    const p = plan({ spec: { replicas: 5 }, stableRevision: 'r2', pods: [failed, r('r2')], failures });
    expect([acts(p, 'delete').length, created(p)]).toEqual([0, ['r2', 'r2', 'r2']]);
  });

  it('what the API refused is said while it waits', () => {
    const message = 'Creating pod lobby-x was refused: exceeded quota.';
    const p = plan({
      spec: { replicas: 2 },
      stableRevision: 'r2',
      pods: [r('r2')],
      unresolved: [{ act: 'create', pod: 'lobby-x', outcome: 'refused', message }],
      issued: [{ pod: 'lobby-x', revision: 'r2' }],
      backOff: { count: 1, untilMs: NOW + 10_000 },
    });
    expect(p.moves).toEqual([]);
    expect(p.blockers).toEqual([{ reason: 'PodCreateFailed', message, pod: 'lobby-x' }]);
  });
});
