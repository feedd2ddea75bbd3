import { describe, expect, it } from 'vitest';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { aPod, aWorkload, iso, NOW, planInput, pods, revision } from '../../test/support/pods.ts';
import {
  ATTEMPT_LABEL,
  COST_SORT_METHOD_ANNOTATION,
  MOVE_ANNOTATION,
  POD_DELETION_COST_ANNOTATION,
  POD_UID_LABEL,
  READINESS_GATE,
} from '../keys.ts';
import { planGameDeployment } from './game-deployment.ts';
import type { Move, Plan, PlanInput } from './types.ts';

const r = (revisionName: string) => aPod(revisionName).build();
const n = (revisionName: string) => aPod(revisionName).notReady().build();

const plan = (changes: Parameters<typeof planInput>[0]): Plan => planGameDeployment(planInput(changes));
const acts = ({ moves }: Plan, act: Move['act']): Move[] => moves.filter((move) => move.act === act);
const created = (p: Plan): string[] => acts(p, 'create').map((move) => ('revision' in move ? move.revision! : ''));
const deletedRevisions = (p: Plan, from: Pod[]): string[] =>
  acts(p, 'delete')
    .map(({ pod }) => from.find(({ metadata }) => metadata.name === pod)!.metadata.labels!['controller-revision-hash']!)
    .sort();

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
      row: '16 both rounding to zero counts as one',
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

describe('order of scale-in', () => {
  const onNode = (node: string, cost?: string) =>
    aPod('r2')
      .node(node)
      .annotated(cost === undefined ? {} : { [POD_DELETION_COST_ANNOTATION]: cost })
      .build();
  const nodes = {
    cheap: { ready: true, deletionCost: '10' },
    dear: { ready: true, deletionCost: '20' },
    odd: { ready: true, deletionCost: 'ff' },
  };
  const first = (given: Pod[], method = 'ascend'): string | undefined => {
    const workload = aWorkload({ replicas: given.length - 1 });
    workload.metadata.annotations = { [COST_SORT_METHOD_ANNOTATION]: method };
    const p = planGameDeployment({ ...planInput({ stableRevision: 'r2', pods: given, nodes }), workload });
    return acts(p, 'delete')[0]?.pod;
  };
  it('row 29: the cheaper node first', () => {
    const given = [onNode('dear', '1'), onNode('cheap', '1')];
    expect(first(given)).toBe(given[1]!.metadata.name);
  });
  it('row 31: the dearer pod first when descending', () => {
    const given = [onNode('cheap', '1'), onNode('cheap', '7')];
    expect(first(given, 'descend')).toBe(given[1]!.metadata.name);
  });
  it('row 32: a node with an invalid cost comes last', () => {
    const given = [onNode('odd', '-8'), onNode('dear')];
    expect(first(given)).toBe(given[1]!.metadata.name);
  });
  it.each(['ascend', 'descend'])('row 33: a missing or invalid pod cost comes last, %s', (method) => {
    const given = [onNode('cheap', ''), onNode('cheap', 'ff'), onNode('cheap', '10')];
    expect(first(given, method)).toBe(given[2]!.metadata.name);
  });
  it('unscheduled, then Pending, then not ready, whatever the costs', () => {
    const given = [
      onNode('cheap', '-100'),
      aPod('r2').node('cheap').notReady().build(),
      aPod('r2').node(undefined).phase('Pending').notReady().build(),
    ];
    expect(first(given)).toBe(given[2]!.metadata.name);
    expect(first(given.slice(0, 2))).toBe(given[1]!.metadata.name);
  });
});

describe('in place', () => {
  const inPlace = (grace = 0, more = {}) => ({
    type: 'InplaceUpdate' as const,
    maxUnavailable: 1,
    inPlaceUpdateStrategy: { gracePeriodSeconds: grace },
    ...more,
  });
  const closed = (since: number, message = 'r2') => ({
    type: READINESS_GATE,
    status: 'False' as const,
    reason: 'StartInPlaceUpdate',
    message,
    lastTransitionTime: iso(since),
  });

  it('closes the gate and patches in one activity without grace', () => {
    const p = plan({ spec: { replicas: 2, updateStrategy: inPlace() }, pods: pods(2, 'r1') });
    expect(p.moves).toMatchObject([{ act: 'close-gate', revision: 'r2', thenPatch: true, spends: true }]);
  });

  it('row 42: with a grace the gate is closed once, then nothing until the grace is over', () => {
    const spec = { replicas: 2, updateStrategy: inPlace(10) };
    expect(plan({ spec, pods: pods(2, 'r1') }).moves).toMatchObject([{ act: 'close-gate', thenPatch: false }]);
    const waiting = aPod('r1')
      .condition(closed(NOW - 4_000))
      .notReady(3_000)
      .build();
    const during = plan({ spec, pods: [waiting, r('r1')] });
    expect(during.moves).toEqual([]);
    expect(during.lookAgainAtMs).toBe(NOW + 6_000);
    const over = aPod('r1')
      .condition(closed(NOW - 10_000))
      .notReady(9_000)
      .build();
    expect(plan({ spec, pods: [over, r('r1')] }).moves).toMatchObject([
      { act: 'patch-images', revision: 'r2', spends: false },
    ]);
  });

  it('the image is not patched before Ready=False was seen', () => {
    const over = aPod('r1')
      .condition(closed(NOW - 10_000))
      .build();
    expect(plan({ spec: { replicas: 2, updateStrategy: inPlace(5) }, pods: [over, r('r1')] }).moves).toEqual([]);
  });

  it('row 107: rolled back during the grace: the gate opens, nothing restarts', () => {
    const waiting = aPod('r1')
      .condition(closed(NOW - 5_000))
      .notReady(4_000)
      .build();
    const p = plan({
      spec: { replicas: 2, updateStrategy: inPlace(30) },
      updateRevision: 'r1',
      allowance: { revision: 'r1', partition: 0, paused: false },
      pods: [waiting, r('r1')],
    });
    expect(p.moves).toMatchObject([{ act: 'open-gate', pod: waiting.metadata.name }]);
  });

  it.each([
    {
      row: '43, 109 env differs',
      change: (spec: { containers: { env?: unknown }[] }) =>
        Object.assign(spec.containers[0]!, { env: [{ name: 'A', value: '1' }] }),
      where: 'env',
    },
    { row: '43 nodeName differs', change: (spec: object) => Object.assign(spec, { nodeName: 'x' }), where: 'nodeName' },
    {
      row: '109 init container image',
      change: (spec: object) => Object.assign(spec, { initContainers: [{ name: 'i', image: 'i:2' }] }),
      where: 'initContainers',
    },
    {
      row: '109 container added',
      change: (spec: { containers: unknown[] }) => spec.containers.push({ name: 'x', image: 'x' }),
      where: 'containers',
    },
  ])('row $row: recreated by default, kept with fallback Fail, and said in one sentence', ({ change, where }) => {
    const target = revision('r2', 2);
    change(target.template.spec as never);
    const revisions = [revision('r1', 1), target];
    const recreated = plan({ spec: { replicas: 2, updateStrategy: inPlace() }, revisions, pods: pods(2, 'r1') });
    expect(acts(recreated, 'delete')).toHaveLength(1);
    expect(recreated.blockers.find(({ reason }) => reason === 'InPlaceNotPossible')?.message).toContain(where);
    const fail = inPlace(0, { inPlaceUpdateStrategy: { fallback: 'Fail' } });
    expect(plan({ spec: { replicas: 2, updateStrategy: fail }, revisions, pods: pods(2, 'r1') }).moves).toEqual([]);
  });

  it('row 109: containers swapped', () => {
    const two = (first: string, second: string) => ({
      metadata: {},
      spec: {
        containers: [
          { name: first, image: 'a' },
          { name: second, image: 'b' },
        ],
      },
    });
    const revisions = [
      { name: 'r1', number: 1, template: two('x', 'y') },
      { name: 'r2', number: 2, template: two('y', 'x') },
    ];
    const p = plan({ spec: { replicas: 1, updateStrategy: inPlace() }, revisions, pods: pods(1, 'r1') });
    expect(p.blockers.map(({ reason }) => reason)).toContain('InPlaceNotPossible');
  });

  it.each(['RollingUpdate', 'InplaceUpdate'] as const)('equal revisions under two names move no pod (%s)', (type) => {
    const p = plan({
      spec: { replicas: 2, updateStrategy: { type } },
      revisions: [revision('r1', 1, 'game:1'), revision('r2', 2, 'game:1')],
      pods: pods(2, 'r1'),
    });
    expect(p.moves.map(({ act }) => act)).toEqual(['patch-metadata', 'patch-metadata']);
  });

  it('row 108: template metadata only: the label moves, nothing restarts', () => {
    const target = revision('r2', 2, 'game:r1');
    target.template.metadata = { labels: { app: 'lobby', tier: 'gold' } };
    const p = plan({
      spec: { replicas: 2, updateStrategy: inPlace() },
      revisions: [revision('r1', 1), target],
      pods: pods(2, 'r1'),
    });
    expect(p.moves.map(({ act }) => act)).toEqual(['patch-metadata', 'patch-metadata']);
  });

  const restarted = (change: (pod: Pod) => void) =>
    aPod('r2')
      .condition(closed(NOW - 5_000))
      .notReady(4_000)
      .with((pod) => {
        pod.metadata.generation = 2;
        const last = { game: { imageID: 'sha256:r1', containerID: 'containerd://old', restartCount: 0 } };
        const state = {
          revision: 'r2',
          updateTimestamp: iso(NOW - 5_000),
          lastContainerStatuses: last,
          podGeneration: 2,
        };
        pod.metadata.annotations!['inplace-update-state'] = JSON.stringify(state);
        change(pod);
      })
      .build();
  const status = (pod: Pod) => pod.status!.containerStatuses![0]!;
  it.each([
    { row: 'another image runs', change: (_: Pod) => undefined, opens: true },
    {
      row: 'the container did not restart',
      change: (pod: Pod) => {
        status(pod).containerID = 'containerd://old';
      },
      opens: false,
    },
    {
      row: '106 same digest under a new tag, observed generation seen',
      change: (pod: Pod) => {
        Object.assign(status(pod), { imageID: 'sha256:r1', image: 'game:r1' });
        pod.status!.observedGeneration = 2;
      },
      opens: true,
    },
    {
      row: 'a crash before the kubelet saw the patch proves nothing',
      change: (pod: Pod) => {
        Object.assign(status(pod), { imageID: 'sha256:r1', image: 'game:r1' });
      },
      opens: false,
    },
    {
      row: 'not ready yet',
      change: (pod: Pod) => {
        status(pod).ready = false;
      },
      opens: false,
    },
  ])('evidence: $row', ({ change, opens }) => {
    const pod = restarted(change);
    const p = plan({ spec: { replicas: 2, updateStrategy: inPlace() }, stableRevision: 'r1', pods: [pod, r('r2')] });
    expect(acts(p, 'open-gate')).toHaveLength(opens ? 1 : 0);
  });

  it('a gate is not given back while the images of before are still to come up', () => {
    const given = (change: (pod: Pod) => void) =>
      restarted((pod) => {
        const gate = pod.status!.conditions!.find(({ type }) => type === READINESS_GATE)!;
        Object.assign(gate, { reason: 'StartInPlaceUpdate', message: 'r3' });
        change(pod);
      });
    const open = (pod: Pod) =>
      acts(
        plan({ spec: { replicas: 2, updateStrategy: inPlace() }, stableRevision: 'r2', pods: [pod, r('r2')] }),
        'open-gate',
      );
    const stillOld = given((pod) => Object.assign(status(pod), { containerID: 'containerd://old', image: 'game:r1' }));
    expect(open(stillOld)).toEqual([]);
    expect(open(given(() => undefined))).toHaveLength(1);
  });

  it.each<[string, number, boolean]>([
    ['before the kubelet saw the patch nothing is known', 1, false],
    ['once it saw the patch and runs the image, no restart will come', 2, true],
  ])('a patch back to the image that runs: %s', (_sentence, observedGeneration, opens) => {
    const pod = restarted((seen) => {
      const state = {
        revision: 'r2',
        updateTimestamp: iso(NOW - 5_000),
        lastContainerStatuses: { game: {} },
        podGeneration: 2,
      };
      seen.metadata.annotations!['inplace-update-state'] = JSON.stringify(state);
      seen.status!.observedGeneration = observedGeneration;
    });
    const p = plan({ spec: { replicas: 2, updateStrategy: inPlace() }, stableRevision: 'r1', pods: [pod, r('r2')] });
    expect(acts(p, 'open-gate')).toHaveLength(opens ? 1 : 0);
  });

  it('superseded canary pods are updated before stable ones (game-workloads §5, 8)', () => {
    const canary = aPod('r2').build();
    const p = plan({
      spec: { replicas: 3, updateStrategy: inPlace() },
      revisions: [revision('r1', 1), revision('r2', 2), revision('r3', 3)],
      updateRevision: 'r3',
      allowance: { revision: 'r3', partition: 2, paused: false },
      pods: [r('r1'), r('r1'), canary],
    });
    expect(p.moves.map(({ pod }) => pod)).toEqual([canary.metadata.name]);
  });

  it('without an allowance for a revision nothing moves to it', () => {
    const p = plan({ spec: { replicas: 2, updateStrategy: inPlace() }, allowance: null, pods: pods(2, 'r1') });
    expect(p.moves).toEqual([]);
    const canary = { updateStrategy: inPlace(), preDeleteUpdateStrategy: { hook: { templateName: 'drain' } } };
    const lost = plan({ spec: { ...canary, replicas: 3 }, allowance: null, pods: [r('r1'), r('r2')] });
    expect(lost.moves).toMatchObject([{ act: 'create', revision: 'r1' }]);
  });
});

describe('gates', () => {
  const template = { metadata: { name: 'drain' }, spec: { metrics: [] } } as unknown as HookTemplate;
  const gated = {
    replicas: 2,
    preDeleteUpdateStrategy: { hook: { templateName: 'drain' } },
    updateStrategy: { type: 'InplaceUpdate' as const, maxUnavailable: 1 },
  };
  const mark = { kind: 'update', attempt: '90', hookRun: 'run-1', revision: 'r2' };
  const marked = () =>
    aPod('r1')
      .annotated({ [MOVE_ANNOTATION]: JSON.stringify(mark) })
      .build();
  const run = (pod: Pod, phase: string, attempt = '90') =>
    ({
      metadata: {
        name: 'run-1',
        creationTimestamp: iso(NOW - 1000),
        labels: { [POD_UID_LABEL]: pod.metadata.uid!, [ATTEMPT_LABEL]: attempt },
      },
      spec: { metrics: [] },
      status: { phase },
    }) as never;
  const input = (pod: Pod, hookRuns: never[] = [], more = {}) =>
    plan({ spec: gated, hookTemplates: { drain: template }, pods: [pod, r('r1')], hookRuns, ...more });

  it('a running pod is marked and its hook asked; nothing is changed', () => {
    const p = plan({ spec: gated, hookTemplates: { drain: template }, pods: pods(2, 'r1') });
    expect(p.moves).toMatchObject([{ act: 'mark', template: 'drain', mark: { kind: 'update', revision: 'r2' } }]);
  });
  it('row 44: a pod that does not run needs no hook', () => {
    const pending = aPod('r1').phase('Pending').notReady().build();
    const p = plan({ spec: gated, hookTemplates: { drain: template }, pods: [r('r1'), pending] });
    expect(acts(p, 'close-gate').map(({ pod }) => pod)).toEqual([pending.metadata.name]);
  });
  it('a running hook holds the budget', () => {
    const pod = marked();
    expect(input(pod, [run(pod, 'Running')]).moves).toEqual([]);
  });
  it('a success opens the gate', () => {
    const pod = marked();
    expect(input(pod, [run(pod, 'Successful')]).moves).toMatchObject([{ act: 'close-gate', pod: pod.metadata.name }]);
  });
  it("another attempt's success counts for nothing: the missing run is created", () => {
    const pod = marked();
    expect(input(pod, [run(pod, 'Successful', '80')]).moves).toMatchObject([{ act: 'mark', mark }]);
  });
  it('row 115: a failed hook waits for retry or skip', () => {
    const pod = marked();
    const failed = input(pod, [run(pod, 'Failed')]);
    expect(failed.moves).toEqual([]);
    expect(failed.blockers[0]).toMatchObject({ reason: 'GateFailed', pod: pod.metadata.name });
    expect(input(pod, [run(pod, 'Failed')], { gates: { retriedAtMs: NOW } }).moves).toMatchObject([
      { act: 'mark', mark: { attempt: '100' } },
    ]);
    expect(input(pod, [run(pod, 'Failed')], { gates: { skippedAtMs: NOW } }).moves).toMatchObject([
      { act: 'close-gate' },
    ]);
  });
  it("a run that fails after a person's word waits for another one, although it began before", () => {
    const pod = marked();
    const late = run(pod, 'Failed') as { status: object };
    late.status = { ...late.status, finishedAt: iso(NOW) };
    for (const gates of [{ skippedAtMs: NOW - 500 }, { retriedAtMs: NOW - 500 }]) {
      const p = input(pod, [late as never], { gates });
      expect([p.moves, p.blockers[0]?.reason]).toEqual([[], 'GateFailed']);
    }
  });
  it('a workload that lost its state keeps the marks of a rollout that is about to speak', () => {
    const pod = marked();
    const lost = { allowance: null };
    expect(input(pod, [run(pod, 'Running')], lost).moves).toEqual([]);
    const none = { ...lost, updateRevision: 'r1', stableRevision: 'r1' };
    expect(input(pod, [run(pod, 'Running')], none).moves).toMatchObject([{ act: 'unmark' }]);
  });
  it('row 39: a missing template deletes and marks nothing, and says so; scaling goes on', () => {
    const p = plan({ spec: { ...gated, replicas: 3 }, pods: pods(2, 'r1') });
    expect(p.blockers.map(({ reason }) => reason)).toContain('HookTemplateMissing');
    expect(p.moves.map(({ act }) => act)).toEqual(['create']);
  });
  it('row 113: an argument without a value is said with its path', () => {
    const open = {
      metadata: { name: 'drain' },
      spec: { metrics: [], args: [{ name: 'url' }] },
    } as unknown as HookTemplate;
    const p = plan({ spec: gated, hookTemplates: { drain: open }, pods: pods(2, 'r1') });
    expect(p.blockers.find(({ reason }) => reason === 'HookArgumentUnresolved')?.message).toContain('spec.args url');
  });
  it('scale-in asks the hook, and scale-out takes the mark off again', () => {
    const spec = { ...gated, replicas: 1 };
    const pod = aPod('r1')
      .annotated({ [MOVE_ANNOTATION]: JSON.stringify({ ...mark, kind: 'scale-in' }) })
      .build();
    const base = {
      spec,
      hookTemplates: { drain: template },
      updateRevision: 'r1',
      allowance: null,
      hookRuns: [run(pod, 'Running')],
    };
    expect(plan({ ...base, pods: pods(2, 'r1'), hookRuns: [] }).moves).toMatchObject([
      { act: 'mark', mark: { kind: 'scale-in' } },
    ]);
    expect(plan({ ...base, pods: [pod, r('r1')] }).moves).toEqual([]);
    expect(plan({ ...base, spec: gated, pods: [pod, r('r1')] }).moves).toMatchObject([
      { act: 'unmark', pod: pod.metadata.name },
    ]);
  });
  it('a mark for a superseded target is taken off (decision 36)', () => {
    const pod = aPod('r1')
      .annotated({ [MOVE_ANNOTATION]: JSON.stringify({ ...mark, revision: 'r9' }) })
      .build();
    expect(
      input(pod, [run(pod, 'Successful')], { allowance: { revision: 'r2', partition: 0, paused: true } }).moves,
    ).toMatchObject([{ act: 'unmark' }]);
  });
});

describe('open items', () => {
  it('an unanswered write counts as spent and is chosen again first', () => {
    const open = r('r1');
    const unresolved = [
      {
        act: 'delete' as const,
        pod: open.metadata.name,
        uid: open.metadata.uid,
        resourceVersion: '100',
        outcome: 'unknown' as const,
      },
    ];
    const p = plan({
      spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1 } },
      unresolved,
      pods: [r('r1'), open, r('r1')],
    });
    expect(acts(p, 'delete').map(({ pod }) => pod)).toEqual([open.metadata.name]);
  });
  it('an unanswered write on a pod that is not chosen any more is fenced off', () => {
    const open = r('r2');
    const unresolved = [
      {
        act: 'delete' as const,
        pod: open.metadata.name,
        uid: open.metadata.uid,
        resourceVersion: '100',
        outcome: 'unknown' as const,
      },
    ];
    expect(plan({ spec: { replicas: 1 }, unresolved, pods: [open] }).moves).toMatchObject([
      { act: 'fence', pod: open.metadata.name },
    ]);
  });
  it('a name given out counts as a pod until it is seen, and is given again', () => {
    const issued = [{ pod: 'lobby-aaaaa', revision: 'r2' }];
    const unresolved = [{ act: 'create' as const, pod: 'lobby-aaaaa', outcome: 'unknown' as const }];
    const p = plan({ spec: { replicas: 2 }, stableRevision: 'r2', issued, unresolved, pods: [r('r2')] });
    expect(p.moves).toMatchObject([{ act: 'create', pod: 'lobby-aaaaa' }]);
    expect(plan({ spec: { replicas: 2 }, stableRevision: 'r2', issued, pods: [r('r2')] }).moves).toEqual([]);
  });
  it('nothing is planned for an object that is suspended or being deleted', () => {
    const input = planInput({ spec: { replicas: 3 } });
    input.workload.metadata.annotations = { 'holdfast.dev/suspend': 'true' };
    expect(planGameDeployment(input).moves).toEqual([]);
    const deleted = planInput({ spec: { replicas: 3 } });
    deleted.workload.metadata.deletionTimestamp = iso(NOW);
    expect(planGameDeployment(deleted).moves).toEqual([]);
  });
});
