/** `status.preDeleteHookCondition`: which pods wait for their gate, and how its HookRun stands. */
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import type { PodHookCondition } from '../../crds/workload-status.ts';
import { markOf } from '../plan/pod-view.ts';
import { isTerminating } from '../pods.ts';

/** Row 117: pods listed before keep their place, gone ones leave, new ones follow in the order of their names. */
export function gateConditions(pods: Pod[], hookRuns: HookRun[], previous: PodHookCondition[]): PodHookCondition[] {
  const runs = new Map(hookRuns.map((run) => [run.metadata.name, run]));
  const places = new Map(previous.map(({ podName }, index) => [podName, index]));
  const placeOf = ({ podName }: PodHookCondition) => places.get(podName) ?? previous.length;
  return pods
    .flatMap((pod) => conditionOfPod(pod, runs))
    .sort((left, right) => placeOf(left) - placeOf(right) || (left.podName < right.podName ? -1 : 1));
}

function conditionOfPod(pod: Pod, runs: Map<string, HookRun>): PodHookCondition[] {
  const mark = markOf(pod);
  if (mark === undefined || isTerminating(pod)) return [];
  const run = runs.get(mark.hookRun);
  const startTime = run?.status?.startedAt ?? run?.metadata.creationTimestamp;
  return [
    {
      podName: pod.metadata.name,
      ...(startTime === undefined ? {} : { startTime }),
      phase: run?.status?.phase ?? 'Pending',
    },
  ];
}
