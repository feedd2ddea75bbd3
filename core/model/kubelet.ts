/** The model's kubelet and the rest of the world: one random step of one pod at a time, by others than us. */
import type { ContainerStatus, Pod } from '../../crds/kubernetes.ts';
import { READINESS_GATE } from '../keys.ts';
import { conditionOf, isReady, isTerminal, isTerminating } from '../pods.ts';
import { conditionAt, type ModelApi, withCondition } from './api.ts';
import type { Random } from './random.ts';

const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? '';

function running(pod: Pod, image: string, restartCount: number, ready: boolean): Pod {
  const status: ContainerStatus = {
    name: 'game',
    image,
    imageID: `id-${image}`,
    containerID: `${pod.metadata.uid}/${restartCount}/${image}`,
    ready,
    restartCount,
    state: { running: {} },
  };
  return {
    ...pod,
    status: {
      ...pod.status,
      phase: 'Running',
      observedGeneration: pod.metadata.generation,
      containerStatuses: [status],
    },
  };
}

/** Ready follows the container and the gate; kubelets write it late, one step at a time. */
function settleReady(api: ModelApi, pod: Pod): Pod {
  const container = pod.status?.containerStatuses?.[0];
  const gate = conditionOf(pod, READINESS_GATE)?.status === 'True';
  const ready = container?.ready === true && gate;
  if (ready === isReady(pod) && conditionOf(pod, 'Ready') !== undefined) return pod;
  return withCondition(pod, conditionAt('Ready', ready ? 'True' : 'False', api.nowMs));
}

function step(api: ModelApi, pod: Pod, random: Random): Pod | undefined {
  if (isTerminating(pod)) return undefined;
  if (isTerminal(pod)) return pod;
  if (pod.spec.nodeName === undefined) return { ...pod, spec: { ...pod.spec, nodeName: random.pick(['n1', 'n2']) } };
  const container = pod.status?.containerStatuses?.[0];
  if (container === undefined) return settleReady(api, running(pod, imageOf(pod), 0, false));
  if (container.image !== imageOf(pod))
    return settleReady(api, running(pod, imageOf(pod), container.restartCount + 1, false));
  if (!container.ready && imageOf(pod) !== 'game:bad') {
    return settleReady(api, running(pod, container.image, container.restartCount, true));
  }
  if (pod.status?.observedGeneration !== pod.metadata.generation)
    return { ...pod, status: { ...pod.status, observedGeneration: pod.metadata.generation } };
  return settleReady(api, pod);
}

/** One step of one pod; returns its name where something changed. */
export function kubeletStep(api: ModelApi, random: Random): void {
  const pod = random.pick([...api.pods.values()]);
  if (pod === undefined) return;
  const next = step(api, pod, random);
  if (next !== pod) api.put(pod.metadata.name, next);
}

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
    const container = pod.status?.containerStatuses?.[0];
    if (container === undefined) return undefined;
    const crashed = running(pod, container.image, container.restartCount + 1, false);
    api.put(name, withCondition(crashed, conditionAt('Ready', 'False', api.nowMs)));
  }
  return name;
}
