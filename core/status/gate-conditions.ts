/** `status.preDeleteHookCondition` and its sisters: which pods wait for their hook, and how its HookRun stands. */
import type { GameWorkloadStatus } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import type { PodHookCondition } from '../../crds/workload-status.ts';
import type { GateType } from '../hooks/names.ts';
import { gateOfMark } from '../plan/pod-hooks.ts';
import { markOf, owedMarkOf } from '../plan/pod-view.ts';
import { isTerminating } from '../pods.ts';

type Conditions = Pick<
  GameWorkloadStatus,
  'preDeleteHookCondition' | 'preInplaceHookCondition' | 'postInplaceHookCondition'
>;

/** All three lists. */
export function hookConditions(pods: Pod[], hookRuns: HookRun[], previous: Conditions): Conditions {
  const runs = new Map(hookRuns.map((run) => [run.metadata.name, run]));
  const list = (gate: GateType, before: PodHookCondition[] = []) => gateConditions({ pods, runs, gate }, before);
  return {
    preDeleteHookCondition: list('predelete', previous.preDeleteHookCondition),
    preInplaceHookCondition: list('preinplace', previous.preInplaceHookCondition),
    postInplaceHookCondition: list('postinplace', previous.postInplaceHookCondition),
  };
}

interface Asked {
  pods: Pod[];
  runs: Map<string, HookRun>;
  gate: GateType;
}

/** Row 117: pods listed before keep their place, gone ones leave, new ones follow in the order of their names. */
function gateConditions({ pods, runs, gate }: Asked, previous: PodHookCondition[]): PodHookCondition[] {
  const places = new Map(previous.map(({ podName }, index) => [podName, index]));
  const placeOf = ({ podName }: PodHookCondition) => places.get(podName) ?? previous.length;
  return pods
    .flatMap((pod) => conditionOfPod(pod, runs, gate))
    .sort((left, right) => placeOf(left) - placeOf(right) || (left.podName < right.podName ? -1 : 1));
}

function conditionOfPod(pod: Pod, runs: Map<string, HookRun>, gate: GateType): PodHookCondition[] {
  const mark = gate === 'postinplace' ? owedMarkOf(pod) : markOf(pod);
  if (mark === undefined || gateOfMark(mark) !== gate || isTerminating(pod)) return [];
  const run = runs.get(mark.hookRun);
  // What follows an update waits for nothing while the update is under way.
  if (run === undefined && gate === 'postinplace') return [];
  const startTime = run?.status?.startedAt ?? run?.metadata.creationTimestamp;
  return [
    {
      podName: pod.metadata.name,
      ...(startTime === undefined ? {} : { startTime }),
      phase: run?.status?.phase ?? 'Pending',
    },
  ];
}
