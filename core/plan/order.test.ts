import { describe, expect, it } from 'vitest';
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { acts } from '../../test/support/plans.ts';
import { aPod, aWorkload, planInput } from '../../test/support/pods.ts';
import { COST_SORT_METHOD_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../keys.ts';
import { planGameDeployment } from './game-deployment.ts';

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
  it('taking over: the pod whose hook an existing operator asked, not one that carries its annotation only', () => {
    const annotation = { 'io.tencent.bcs.dev/game-pod-deleting': 'true' };
    const given = [
      aPod('r2').annotated(annotation).build(),
      aPod('r2').annotated(annotation).build(),
      onNode('cheap', '-1'),
    ];
    const asked = given[1]!.metadata.labels!['tkex.bkbcs.tencent.com/gamedeployment-instance-id'];
    const labels = { 'hookrun-type': 'pre-delete-step', 'workload-revision': 'r2', 'instance-id': asked! };
    const kind = { apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'HookRun' } as const;
    const hookRun: HookRun = { ...kind, metadata: { name: 'theirs', labels }, spec: { metrics: [] } };
    const firstOf = (hookRuns: HookRun[]) =>
      acts(
        planGameDeployment({
          ...planInput({ stableRevision: 'r2', pods: given, nodes, hookRuns }),
          workload: aWorkload({ replicas: 2 }),
        }),
        'delete',
      )[0]?.pod;
    expect(firstOf([hookRun])).toBe(given[1]!.metadata.name);
    expect(firstOf([])).toBe(given[2]!.metadata.name);
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
