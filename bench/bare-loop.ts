/**
 * The measure of the bench: the same writes by the same client, with nothing between them that thinks. Two writes create a
 * pod (POST, gate True), three update it in place (gate False, image, gate True). It waits for nothing and checks nothing.
 */
import { READINESS_GATE } from '../core/keys.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { waitFor } from '../devstack/wait.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import type { ObjectRef } from '../kubernetes/resource-types.ts';
import { pods as podType } from '../kubernetes/resource-types.ts';
import { inLanes } from './lanes.ts';

const NAMESPACE = 'default';
/** Where its pods are found. */
export const BARE_PODS = { namespace: NAMESPACE, labelSelector: 'bench.holdfast.dev/kind=bare' };
/** A look lists all pods: at thousands of them looking must not be what keeps the API server busy. */
const lookEveryMs = (pods: number): number => Math.max(500, pods * 2);

/** Milliseconds that creating took. */
export async function createBare(client: KubernetesClient, count: number, template: Pod): Promise<number> {
  return inLanes(count, async (index) => {
    await setGate(client, await createBarePod(client, index, template), 'True');
  });
}

const nameOf = (index: number): string => `bare-${index}`;
const refOf = (index: number): ObjectRef => ({ namespace: NAMESPACE, name: nameOf(index) });

/** The first write of a creation. */
export const createBarePod = (client: KubernetesClient, index: number, template: Pod): Promise<Pod> =>
  client.create(podType, { ...template, metadata: { ...template.metadata, name: nameOf(index) } });

/** Milliseconds that updating took. */
export async function updateBare(client: KubernetesClient, count: number, image: string): Promise<number> {
  return inLanes(count, async (index) => {
    await beginBareUpdate(client, index, image);
    await setGate(client, { metadata: refOf(index) }, 'True');
  });
}

/** The first two writes of an update. */
export async function beginBareUpdate(client: KubernetesClient, index: number, image: string): Promise<void> {
  const ref = refOf(index);
  await setGate(client, { metadata: ref }, 'False');
  await setImage(client, ref, image);
}

/** Milliseconds that deleting took: one write a pod. */
export async function deleteBare(client: KubernetesClient, count: number): Promise<number> {
  return inLanes(count, async (index) => {
    await client.delete(podType, refOf(index));
  });
}

/** The pods of the bare loop are gone, terminating ones too. */
export async function untilBareGone(client: KubernetesClient, count: number, timeoutMs: number): Promise<void> {
  const check = async () => {
    const { items } = await client.list(podType, BARE_PODS);
    if (items.length > 0) throw new Error(`${items.length} are left`);
    return true;
  };
  await waitFor(check, { what: 'the pods of the bare loop are gone', timeoutMs, intervalMs: lookEveryMs(count) });
}

async function setImage(client: KubernetesClient, ref: ObjectRef, image: string): Promise<void> {
  const containers = [{ name: 'game', image }];
  const labels = { 'bench.holdfast.dev/image': image.replace(/\W/g, '-') };
  await client.patch(podType, ref, { kind: 'strategic', body: { metadata: { labels }, spec: { containers } } });
}

/** The kubelets have done with what the loop left them: they must not be busy with it while the operator is measured. */
export async function untilBareSettled(client: KubernetesClient, count: number, timeoutMs: number): Promise<void> {
  const check = async () => {
    const { items } = await client.list(podType, BARE_PODS);
    const settled = items.filter(isSettled).length;
    if (settled < count) throw new Error(`${settled} of ${count} are`);
    return true;
  };
  await waitFor(check, { what: 'the pods of the bare loop are ready', timeoutMs, intervalMs: lookEveryMs(count) });
}

const isTrue = ({ status }: Pod, condition: string): boolean =>
  status?.conditions?.find(({ type }) => type === condition)?.status === 'True';

/** Its kubelet runs what its spec says of now. */
export function hasStarted(pod: Pod): boolean {
  const { metadata, spec, status } = pod;
  const runsItsImage = status?.containerStatuses?.[0]?.image === spec.containers[0]?.image;
  return runsItsImage && status?.observedGeneration === metadata.generation && isTrue(pod, 'ContainersReady');
}

const isSettled = (pod: Pod): boolean => hasStarted(pod) && isTrue(pod, 'Ready');

export async function setGate(
  client: KubernetesClient,
  { metadata }: Pick<Pod, 'metadata'>,
  status: 'True' | 'False',
): Promise<void> {
  const conditions = [
    { type: READINESS_GATE, status, lastTransitionTime: new Date().toISOString().slice(0, 19).concat('Z') },
  ];
  const ref = { namespace: NAMESPACE, name: metadata.name };
  await client.patch(podType, ref, { kind: 'strategic', body: { status: { conditions } } }, { subresource: 'status' });
}
