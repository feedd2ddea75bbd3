import { describe, expect, it } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { acts, created, deletedRevisions, n, plan, r } from '../../test/support/plans.ts';
import { aPod, NOW, pods } from '../../test/support/pods.ts';
import type { PlanInput } from './types.ts';

describe('update budget', () => {
  const budget = { type: 'RollingUpdate' } as const;
  const rows: { row: string; spec: PlanInput['workload']['spec'] | object; pods: Pod[]; updated: number }[] = [
    {
      row: '1 three ready old pods, default budget',
      spec: { replicas: 3, updateStrategy: budget },
      pods: [r('r1'), r('r1'), r('r1')],
      updated: 1,
    },
    {
      row: '2, 3 the not-ready one is updated first, then no budget is left',
      spec: { replicas: 3, updateStrategy: budget },
      pods: [r('r1'), n('r1'), r('r1')],
      updated: 1,
    },
    {
      row: '4 two not-ready pods use maxUnavailable 2; only they move',
      spec: { replicas: 10, updateStrategy: { ...budget, maxUnavailable: 2 } },
      pods: [n('r1'), ...pods(7, 'r1'), n('r1'), r('r1')],
      updated: 2,
    },
    {
      row: '6 maxUnavailable 50 % of 8 with three not ready',
      spec: { replicas: 8, updateStrategy: { ...budget, maxUnavailable: '50%' } },
      pods: [n('r1'), r('r1'), n('r1'), ...pods(4, 'r1'), n('r2')],
      updated: 3,
    },
    {
      row: '7 maxUnavailable 0, maxSurge 2, five ready pods',
      spec: { replicas: 4, updateStrategy: { ...budget, maxUnavailable: 0, maxSurge: 2 } },
      pods: [...pods(2, 'r1'), ...pods(3, 'r2')],
      updated: 1,
    },
    {
      row: '8 maxUnavailable 1, maxSurge 2, six ready pods',
      spec: { replicas: 4, updateStrategy: { ...budget, maxUnavailable: 1, maxSurge: 2 } },
      pods: [...pods(3, 'r1'), ...pods(3, 'r2')],
      updated: 3,
    },
    { row: '9 no candidates', spec: { replicas: 3, updateStrategy: budget }, pods: pods(3, 'r2'), updated: 0 },
    {
      row: '12 25 % of 10 without surge rounds up',
      spec: { replicas: 10, updateStrategy: { ...budget, maxUnavailable: '25%' } },
      pods: pods(10, 'r1'),
      updated: 3,
    },
    {
      row: '13 25 % of 10 with surge rounds down, the surge pod funds one more',
      spec: { replicas: 10, updateStrategy: { ...budget, maxUnavailable: '25%', maxSurge: '10%' } },
      pods: [...pods(10, 'r1'), r('r2')],
      updated: 3,
    },
    {
      row: '14 25 %/25 % of 3 with four ready pods',
      spec: { replicas: 3, updateStrategy: { ...budget, maxUnavailable: '25%', maxSurge: '25%' } },
      pods: [...pods(3, 'r1'), r('r2')],
      updated: 1,
    },
    {
      row: '16 both rounding to zero counts as one (report 3)',
      spec: { replicas: 3, updateStrategy: { ...budget, maxUnavailable: '0%' } },
      pods: pods(3, 'r1'),
      updated: 1,
    },
    {
      row: '41 paused by the user',
      spec: { replicas: 3, updateStrategy: { ...budget, paused: true } },
      pods: pods(3, 'r1'),
      updated: 0,
    },
  ];
  it.each(rows)('row $row', ({ spec, pods: given, updated }) => {
    const old = new Set(
      given.filter((pod) => pod.metadata.labels!['controller-revision-hash'] === 'r1').map((p) => p.metadata.name),
    );
    expect(acts(plan({ spec, pods: given }), 'delete').filter(({ pod }) => old.has(pod))).toHaveLength(updated);
  });

  it('row 14: before the surge pod exists one is created and none is updated', () => {
    const p = plan({
      spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate', maxUnavailable: '25%', maxSurge: '25%' } },
      pods: pods(3, 'r1'),
    });
    expect(created(p)).toEqual(['r2']);
    expect(acts(p, 'delete')).toEqual([]);
  });

  it('row 11: eight replicas, partition 3, surge 2: first two are created, then four old ones go', () => {
    const spec = { replicas: 8, updateStrategy: { type: 'RollingUpdate', maxUnavailable: 2, maxSurge: 2 } } as const;
    const allowance = { revision: 'r2', partition: 3, paused: false };
    const first = plan({ spec, allowance, pods: pods(8, 'r1') });
    expect(created(first)).toEqual(['r2', 'r2']);
    const given = [...pods(8, 'r1'), ...pods(2, 'r2')];
    const then = plan({ spec, allowance, pods: given });
    expect(deletedRevisions(then, given)).toEqual(['r1', 'r1', 'r1', 'r1']);
    const end = plan({ spec, allowance, pods: [...pods(3, 'r1'), ...pods(5, 'r2')] });
    expect(end.moves).toEqual([]);
    expect(end.reached).toBe(true);
  });

  it('not-ready pods of the update revision consume budget: a bad image stops itself', () => {
    const p = plan({
      spec: { replicas: 4, updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1 } },
      pods: [...pods(3, 'r1'), n('r2')],
    });
    expect(p.moves).toEqual([]);
    expect(p.blockers[0]?.reason).toBe('PodsNotReady');
  });

  it('broken old pods are moved first and need no budget (decision 21)', () => {
    const given = [...pods(2, 'r1'), n('r1'), n('r1'), n('r1')];
    const p = plan({
      spec: { replicas: 5, updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1 } },
      pods: given,
    });
    expect(
      acts(p, 'delete')
        .map(({ pod }) => pod)
        .sort(),
    ).toEqual(
      given
        .slice(2)
        .map((pod) => pod.metadata.name)
        .sort(),
    );
  });

  it('pods on nodes that are not Ready count as unavailable and are not touched (protocol §4)', () => {
    const lost = aPod('r1').node('node-2').notReady().build();
    const p = plan({
      spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1 } },
      pods: [lost, r('r1'), r('r1')],
      nodes: { 'node-1': { ready: true }, 'node-2': { ready: false } },
    });
    expect(p.moves).toEqual([]);
  });

  it('a pod that turned ready less than minReadySeconds ago is neither available nor free to move', () => {
    const young = aPod('r1').readyFor(5_000).build();
    const p = plan({
      spec: { replicas: 2, minReadySeconds: 30, updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1 } },
      pods: [young, r('r1')],
    });
    expect(acts(p, 'delete')).toEqual([]);
    expect(p.lookAgainAtMs).toBe(NOW + 25_000);
  });
});
