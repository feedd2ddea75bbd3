/** Predicates over one pod: the vocabulary of every planner (protocol §1 and §4). */
import type { Condition, ContainerStatus, Pod } from '../crds/kubernetes.ts';
import { INSTANCE_ID_LABEL, READINESS_GATE, REVISION_LABEL } from './keys.ts';
import { momentOf } from './moments.ts';

/** A pod counts as broken when it was not ready for this long on a healthy node (protocol §4). */
export const BROKEN_AFTER_MS = 10_000;

const BROKEN_WAITING = new Set([
  'CrashLoopBackOff',
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);

export const conditionOf = (pod: Pod, type: string): Condition | undefined =>
  pod.status?.conditions?.find((condition) => condition.type === type);

export const revisionOf = (pod: Pod): string => pod.metadata.labels?.[REVISION_LABEL] ?? '';

export const isTerminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined;

/** Failed or Succeeded: it will never run again. */
export const isTerminal = (pod: Pod): boolean => pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';

export const isActive = (pod: Pod): boolean => !isTerminating(pod) && !isTerminal(pod);

export const isScheduled = (pod: Pod): boolean => pod.spec.nodeName !== undefined && pod.spec.nodeName !== '';

export const isReady = (pod: Pod): boolean => conditionOf(pod, 'Ready')?.status === 'True';

export const hasGate = (pod: Pod): boolean =>
  pod.spec.readinessGates?.some((gate) => gate.conditionType === READINESS_GATE) ?? false;

/** The condition is asked first: it is open on most pods, and `spec` says nothing more then. */
function isGateClosed(pod: Pod): boolean {
  const gate = conditionOf(pod, READINESS_GATE);
  return gate !== undefined && gate.status !== 'True' && hasGate(pod);
}

/** `absent` only for pods that carry the gate: it is to be opened; without a gate the answer is `none`. */
export function gateOf(pod: Pod): 'none' | 'absent' | 'open' | 'closed' {
  if (!hasGate(pod)) return 'none';
  const condition = conditionOf(pod, READINESS_GATE);
  if (condition === undefined) return 'absent';
  return condition.status === 'True' ? 'open' : 'closed';
}

/** The kubelet has told that all containers are there. While a new pod comes up, scheduler and kubelet write to it one after the other. */
export const hasStarted = (pod: Pod): boolean => pod.status?.phase === 'Running';

/** Somebody is about to write to it: the scheduler has not tried to place it yet, or its kubelet has not taken it on. */
export const isComingUp = (pod: Pod): boolean =>
  isScheduled(pod) ? pod.status?.containerStatuses === undefined : conditionOf(pod, 'PodScheduled') === undefined;

/** Epoch milliseconds since which the pod is ready; undefined while it is not. */
export function readySinceMs(pod: Pod, ready = conditionOf(pod, 'Ready')): number | undefined {
  if (ready?.status !== 'True') return undefined;
  return momentOf(ready.lastTransitionTime ?? pod.metadata.creationTimestamp) || 0;
}

/** Epoch milliseconds since which it serves: active, Ready, gate not closed. Undefined while it does not. */
export function servingSinceMs(pod: Pod, since = readySinceMs(pod)): number | undefined {
  return since === undefined || !isActive(pod) || isGateClosed(pod) ? undefined : since;
}

/** Long enough to be available (protocol §1). */
export const servesLongEnough = (sinceMs: number | undefined, minReadySeconds: number, nowMs: number): boolean =>
  sinceMs !== undefined && sinceMs + minReadySeconds * 1000 <= nowMs;

export const isAvailable = (pod: Pod, minReadySeconds: number, nowMs: number): boolean =>
  servesLongEnough(servingSinceMs(pod), minReadySeconds, nowMs);

/** Epoch milliseconds at which a ready pod becomes available by time alone; undefined if it is not ready. */
export function availableAtMs(pod: Pod, minReadySeconds: number): number | undefined {
  const since = readySinceMs(pod);
  return since === undefined ? undefined : since + minReadySeconds * 1000;
}

const containerFault = ({ state }: ContainerStatus): string | undefined => {
  const waiting = state?.waiting?.reason;
  if (waiting !== undefined && BROKEN_WAITING.has(waiting)) return waiting;
  return state?.terminated === undefined ? undefined : (state.terminated.reason ?? 'Terminated');
};

/** Why a container of the pod does not run, e.g. `game: ImagePullBackOff`; undefined if none is at fault. */
export function faultOf(pod: Pod): string | undefined {
  for (const status of pod.status?.containerStatuses ?? []) {
    const fault = containerFault(status);
    if (fault !== undefined) return `${status.name}: ${fault}`;
  }
  return undefined;
}

/** The fault is the pod's own, so moving it needs no budget (protocol §4). Pods on nodes that are not Ready never are. */
export function isBroken(pod: Pod, isNodeReady: boolean, nowMs: number, ready = conditionOf(pod, 'Ready')): boolean {
  if (!isScheduled(pod)) return true;
  if (!isNodeReady) return false;
  if (pod.status?.phase === undefined || pod.status.phase === 'Pending' || faultOf(pod) !== undefined) return true;
  if (ready === undefined || ready.status === 'True') return false;
  return momentOf(ready.lastTransitionTime) + BROKEN_AFTER_MS <= nowMs;
}

/** The part of a GameDeployment pod's name that tells it from its siblings. */
export const instanceIdOf = (pod: Pod): string =>
  pod.metadata.labels?.[INSTANCE_ID_LABEL] ?? pod.metadata.name.slice(pod.metadata.name.lastIndexOf('-') + 1);
