/** What the checker reads from one pod object (protocol.md §1). Pure predicates; they remember nothing. */
import type { Pod } from '../../crds/kubernetes.ts';

const GATE = 'InPlaceUpdateReady';

const KINDS: readonly string[] = ['GameDeployment', 'GameStatefulSet'];

/** The uid of the workload that controls the pod, if one does. */
export function owningWorkload(pod: Pod): string | undefined {
  const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller === true);
  return owner !== undefined && KINDS.includes(owner.kind) ? owner.uid : undefined;
}

/** Not terminating, not Failed, not Succeeded. Whether it is owned is asked apart. */
export function isActive(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return pod.metadata.deletionTimestamp === undefined && phase !== 'Failed' && phase !== 'Succeeded';
}

/** Active, Ready for `minReadySeconds` at `atMs`, our gate not False. */
export function isAvailable(pod: Pod, minReadySeconds: number, atMs: number): boolean {
  const ready = condition(pod, 'Ready');
  if (!isActive(pod) || ready?.status !== 'True' || isGateClosed(pod)) return false;
  return minReadySeconds === 0 || Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1_000 <= atMs;
}

/** False when the condition is absent: then it closes nothing that was open. */
export function isGateClosed(pod: Pod): boolean {
  return condition(pod, GATE)?.status === 'False';
}

/** The revision that our gate was closed for. */
export function gateClosedFor(pod: Pod): string | undefined {
  const gate = condition(pod, GATE);
  return gate?.status === 'False' && gate.reason === 'StartInPlaceUpdate' ? gate.message : undefined;
}

export function revisionOf(pod: Pod): string | undefined {
  return pod.metadata.labels?.['controller-revision-hash'];
}

/** Names of the containers whose image the write changed. */
export function changedImages(before: Pod, after: Pod): string[] {
  const old = new Map(before.spec.containers.map(({ name, image }) => [name, image]));
  return after.spec.containers
    .filter(({ name, image }) => old.has(name) && old.get(name) !== image)
    .map(({ name }) => name);
}

function condition(pod: Pod, type: string) {
  return pod.status?.conditions?.find((entry) => entry.type === type);
}

/** The containers that must restart before the pod counts again: name → the containerID that has to go. */
export type PendingRestarts = Record<string, string>;

/** Restarts that an image change will bring; a container that runs the wanted image already gets none. */
export function restartsAfter(before: Pod, after: Pod): PendingRestarts {
  const pending: PendingRestarts = {};
  for (const name of changedImages(before, after)) {
    const running = before.status?.containerStatuses?.find((status) => status.name === name);
    const wanted = after.spec.containers.find((container) => container.name === name)?.image;
    if (running?.containerID && running.image !== wanted) pending[name] = running.containerID;
  }
  return pending;
}

/** What is left of the pending restarts: a container has restarted when another one of its name is ready. */
export function restartsLeft(pending: PendingRestarts, pod: Pod): PendingRestarts {
  const left = Object.entries(pending).filter(([name, containerID]) => {
    const status = pod.status?.containerStatuses?.find((entry) => entry.name === name);
    return !(status?.ready && status.containerID && status.containerID !== containerID);
  });
  return Object.fromEntries(left);
}
