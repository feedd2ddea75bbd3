/**
 * The bare loop, but with the last write of each pod only when its kubelet has started the container with the image that is meant: the
 * least that an operator can take on this machine that serves nobody from a pod which does not run yet.
 */
import pLimit from 'p-limit';
import type { Pod } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { pods as podType } from '../kubernetes/resource-types.ts';
import { BARE_PODS, beginBareUpdate, createBarePod, hasStarted, setGate } from './bare-loop.ts';
import { CONCURRENCY, inLanes } from './lanes.ts';

/** Milliseconds from the first POST to the last gate. */
export const createPaced = (client: KubernetesClient, count: number, template: Pod): Promise<number> =>
  paced(client, { count, image: template.spec.containers[0]?.image }, async (index) => {
    await createBarePod(client, index, template);
  });

/** Milliseconds from the first write to the last one. */
export const updatePaced = (client: KubernetesClient, count: number, image: string): Promise<number> =>
  paced(client, { count, image }, (index) => beginBareUpdate(client, index, image));

async function paced(
  client: KubernetesClient,
  { count, image }: { count: number; image: string | undefined },
  begin: (index: number) => Promise<void>,
): Promise<number> {
  const started = performance.now();
  const isUp = (pod: Pod) => pod.spec.containers[0]?.image === image && hasStarted(pod);
  await Promise.all([openEach(client, count, isUp), inLanes(count, begin)]);
  return performance.now() - started;
}

/** Ends when the gates of `count` pods are open. */
async function openEach(client: KubernetesClient, count: number, isUp: (pod: Pod) => boolean): Promise<void> {
  const lane = pLimit(CONCURRENCY);
  const opened = new Map<string, Promise<void>>();
  const open = (pod: Pod) => {
    const { name } = pod.metadata;
    if (!opened.has(name) && isUp(pod))
      opened.set(
        name,
        lane(() => setGate(client, pod, 'True')),
      );
    return opened.size < count;
  };
  // A server ends watches as it likes.
  while (opened.size < count) await watchPods(client, open);
  await Promise.all(opened.values());
}

/** Until `see` answers false, or the server ends the watch. */
async function watchPods(client: KubernetesClient, see: (pod: Pod) => boolean): Promise<void> {
  const { signal } = new AbortController();
  const events = client.watch(podType, { ...BARE_PODS, sendInitialEvents: true, timeoutSeconds: 300, signal });
  for await (const event of events)
    if ((event.type === 'ADDED' || event.type === 'MODIFIED') && !see(event.object)) return;
}
