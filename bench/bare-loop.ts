/**
 * The measure of the bench: the same writes by the same client, with nothing between them that thinks. Two writes create a
 * pod (POST, gate True), three update it in place (gate False, image, gate True). It waits for nothing and checks nothing.
 */
import { READINESS_GATE } from '../core/keys.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { pods as podType } from '../kubernetes/resource-types.ts';
import { inLanes } from './lanes.ts';

const NAMESPACE = 'default';

/** Milliseconds that creating took. */
export async function createBare(client: KubernetesClient, count: number, template: Pod): Promise<number> {
  return inLanes(count, async (index) => {
    const metadata = { ...template.metadata, name: `bare-${index}` };
    const pod = await client.create(podType, { ...template, metadata });
    await setGate(client, pod, 'True');
  });
}

/** Milliseconds that updating took. */
export async function updateBare(client: KubernetesClient, count: number, image: string): Promise<number> {
  return inLanes(count, async (index) => {
    const ref = { namespace: NAMESPACE, name: `bare-${index}` };
    await setGate(client, { metadata: ref }, 'False');
    const containers = [{ name: 'game', image }];
    const labels = { 'bench.holdfast.dev/image': image.replace(/\W/g, '-') };
    await client.patch(podType, ref, { kind: 'strategic', body: { metadata: { labels }, spec: { containers } } });
    await setGate(client, { metadata: ref }, 'True');
  });
}

async function setGate(client: KubernetesClient, { metadata }: Pick<Pod, 'metadata'>, status: string): Promise<void> {
  const conditions = [
    { type: READINESS_GATE, status, lastTransitionTime: new Date().toISOString().slice(0, 19).concat('Z') },
  ];
  const ref = { namespace: NAMESPACE, name: metadata.name };
  await client.patch(podType, ref, { kind: 'strategic', body: { status: { conditions } } }, { subresource: 'status' });
}
