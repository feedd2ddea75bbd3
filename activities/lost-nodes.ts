/** Asks the apiserver whether a node is lost: nobody but its kubelet knows that the containers of a pod have stopped. */
import type { Pod } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { nodes } from '../kubernetes/resource-types.ts';
import { isNodeReady } from './sources.ts';

/**
 * Its Node is not Ready, or there is none (game-workloads §5, 29). Not where the Node cannot be read: in doubt the pod lives.
 * A quorum read; never throws.
 */
export async function isOnLostNode(client: KubernetesClient, { spec }: Pod): Promise<boolean> {
  if (!spec.nodeName) return false;
  try {
    return !isNodeReady(await client.get(nodes, { name: spec.nodeName }));
  } catch (error) {
    return isApiError(error, 'notFound');
  }
}
