/** The model's kubelet and the rest of the world: one random step of one pod at a time, by others than us. */
import type { Container, ContainerStatus, Pod } from '../../crds/kubernetes.ts';
import { HOT_PATCH_ANNOTATION, READINESS_GATE } from '../keys.ts';
import { conditionOf, hasGate, isReady, isTerminal, isTerminating } from '../pods.ts';
import { conditionAt, type ModelApi, withCondition } from './api.ts';
import type { Random } from './random.ts';
import { NODES } from './world.ts';

const statusesOf = (pod: Pod): ContainerStatus[] => pod.status?.containerStatuses ?? [];

/** The container as it comes up: not ready yet, under a new id each time. */
function started(pod: Pod, { name, image = '' }: Container, restartCount: number): ContainerStatus {
  const containerID = `${pod.metadata.uid}/${name}/${restartCount}/${image}`;
  const state = { running: {} };
  return { name, image, imageID: `id-${image}`, containerID, ready: false, restartCount, state };
}

/** The kubelet says that it saw a patch when it has begun all that the patch asks for. */
function withStatuses(pod: Pod, changed: ContainerStatus[]): Pod {
  const byName = new Map([...statusesOf(pod), ...changed].map((status) => [status.name, status]));
  const containerStatuses = [...byName.values()];
  const hasBegun = pod.spec.containers.every(({ name, image }) => byName.get(name)?.image === image);
  const observedGeneration = hasBegun ? pod.metadata.generation : pod.status?.observedGeneration;
  return { ...pod, status: { ...pod.status, phase: 'Running', observedGeneration, containerStatuses } };
}

/** Ready follows the containers and the gate; kubelets write it late, one step at a time. */
function settleReady(api: ModelApi, pod: Pod): Pod {
  const isOpen = !hasGate(pod) || conditionOf(pod, READINESS_GATE)?.status === 'True';
  const statuses = statusesOf(pod);
  const ready = statuses.length > 0 && statuses.every((status) => status.ready) && isOpen;
  if (ready === isReady(pod) && conditionOf(pod, 'Ready') !== undefined) return pod;
  return withCondition(pod, conditionAt('Ready', ready ? 'True' : 'False', api.nowMs));
}

/** Kubelets that were taught to do it exchange an image while the container runs on; others restart it. */
const isExchanged = ({ metadata: { annotations, uid } }: Pod): boolean =>
  annotations?.[HOT_PATCH_ANNOTATION] === 'true' && (uid?.length ?? 0) % 2 === 0;

/** What is left to do for one container; undefined: nothing. */
function containerStep(pod: Pod, container: Container): ContainerStatus | undefined {
  const status = statusesOf(pod).find(({ name }) => name === container.name);
  if (status === undefined) return started(pod, container, 0);
  const { image = '' } = container;
  if (status.image !== image && status.ready && isExchanged(pod)) return { ...status, image, imageID: `id-${image}` };
  if (status.image !== image) return started(pod, container, status.restartCount + 1);
  return status.ready || status.image === 'game:bad' ? undefined : { ...status, ready: true };
}

function schedule(api: ModelApi, pod: Pod, random: Random): Pod {
  if (!api.hasClaims(pod)) return pod;
  const nodeName = random.pick(Object.keys(NODES).filter((name) => !api.lostNodes.has(name)));
  return nodeName === undefined ? pod : { ...pod, spec: { ...pod.spec, nodeName } };
}

function step(api: ModelApi, pod: Pod, random: Random): Pod | undefined {
  if (api.lostNodes.has(pod.spec.nodeName ?? '')) return pod;
  if (isTerminating(pod)) return undefined;
  if (isTerminal(pod)) return pod;
  if (pod.spec.nodeName === undefined) return schedule(api, pod, random);
  if (statusesOf(pod).length === 0)
    return settleReady(
      api,
      withStatuses(
        pod,
        pod.spec.containers.map((container) => started(pod, container, 0)),
      ),
    );
  const steps = pod.spec.containers.flatMap((container) => containerStep(pod, container) ?? []);
  const next = random.pick(steps);
  if (next !== undefined) return settleReady(api, withStatuses(pod, [next]));
  if (pod.status?.observedGeneration !== pod.metadata.generation)
    return { ...pod, status: { ...pod.status, observedGeneration: pod.metadata.generation } };
  return settleReady(api, pod);
}

/** One step of one pod, whichever. */
export function kubeletStep(api: ModelApi, random: Random): void {
  api.dropClaims();
  const pod = random.pick([...api.pods.values()]);
  if (pod !== undefined) stepOf(api, pod, random);
}

/** One step of this pod. */
export function stepOf(api: ModelApi, pod: Pod, random: Random): void {
  const next = step(api, pod, random);
  if (next !== pod) api.put(pod.metadata.name, next);
}

/** The kubelet starts the container again with the image that it knows of: that of before where it has not seen a patch yet. */
function crash(pod: Pod, { name, image, restartCount }: ContainerStatus): Pod {
  const { observedGeneration } = pod.status ?? {};
  const known = observedGeneration === pod.metadata.generation ? imageIn(pod, name) : image;
  const next = withStatuses(pod, [started(pod, { name, image: known }, restartCount + 1)]);
  return { ...next, status: { ...next.status, observedGeneration } };
}

const imageIn = ({ spec }: Pod, container: string) => spec.containers.find(({ name }) => name === container)?.image;

/** Somebody else's harm: an eviction, a deletion, a crash. Returns the pod that lost its availability, if any. */
export function disturb(api: ModelApi, random: Random): string | undefined {
  const pod = random.pick(
    [...api.pods.values()].filter((candidate) => !isTerminating(candidate) && !isTerminal(candidate)),
  );
  if (pod === undefined) return undefined;
  const { name } = pod.metadata;
  const kind = random.below(3);
  if (kind === 0) {
    const failed = withCondition(pod, conditionAt('Ready', 'False', api.nowMs));
    api.put(name, { ...failed, status: { ...failed.status, phase: 'Failed', reason: 'Evicted' } });
  } else if (kind === 1) {
    api.delete(name, { uid: pod.metadata.uid!, resourceVersion: pod.metadata.resourceVersion! });
  } else {
    const status = random.pick(statusesOf(pod));
    if (status === undefined) return undefined;
    const crashed = crash(pod, status);
    api.put(name, withCondition(crashed, conditionAt('Ready', 'False', api.nowMs)));
  }
  return name;
}
