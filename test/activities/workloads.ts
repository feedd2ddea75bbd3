/** GameDeployments as the tests of activities create them, and what belongs to them. */
import { API_VERSION } from '../../crds/api.ts';
import type { GameDeployment, GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { ControllerRevision, Pod, PodTemplateSpec } from '../../crds/kubernetes.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { mergePatch } from '../../kubernetes/patches.ts';
import { controllerRevisions, gameDeployments, pods } from '../../kubernetes/resource-types.ts';

export const NAMESPACE = 'default';

export const makeTemplate = (app: string, image: string): PodTemplateSpec => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'game', image }] },
});

export async function createWorkload(
  client: KubernetesClient,
  name: string,
  spec: Partial<GameDeploymentSpec> = {},
): Promise<GameDeployment> {
  const selector = { matchLabels: { app: name } };
  return await client.create(gameDeployments, {
    apiVersion: API_VERSION,
    kind: 'GameDeployment',
    metadata: { namespace: NAMESPACE, name },
    spec: { replicas: 2, selector, template: makeTemplate(name, 'game:1'), ...spec },
  });
}

export async function setImage(client: KubernetesClient, workload: GameDeployment, image: string): Promise<void> {
  const template = makeTemplate(workload.metadata.name, image);
  await client.patch(gameDeployments, workload.metadata, mergePatch({}, { spec: { template } }));
}

/** All revisions that the workload's labels find, lowest number first. */
export async function revisionsOf(client: KubernetesClient, app: string): Promise<ControllerRevision[]> {
  const { items } = await client.list(controllerRevisions, { namespace: NAMESPACE, labelSelector: `app=${app}` });
  return items.sort((left, right) => left.revision - right.revision);
}

export function ownerOf({ metadata }: GameDeployment) {
  const { name, uid = '' } = metadata;
  return { apiVersion: API_VERSION, kind: 'GameDeployment', name, uid, controller: true, blockOwnerDeletion: true };
}

/** A pod of the workload at a revision; nothing runs it. */
export async function createPod(
  client: KubernetesClient,
  workload: GameDeployment,
  name: string,
  revision: string,
): Promise<Pod> {
  return await client.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: NAMESPACE,
      name,
      labels: { app: workload.metadata.name, 'controller-revision-hash': revision },
      ownerReferences: [ownerOf(workload)],
    },
    spec: { nodeName: 'nowhere', containers: [{ name: 'game', image: 'game:1' }] },
  });
}
