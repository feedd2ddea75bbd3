/** Small objects that the client's tests create. */
import type { KubernetesObject, Pod } from '../../crds/kubernetes.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { namespaces } from '../../kubernetes/resource-types.ts';

/** A pod bound to a node that does not exist: a deletion waits for its grace period, since no kubelet confirms it. */
export function makePod(name: string, namespace: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name } },
    spec: { nodeName: 'nowhere', containers: [{ name: 'main', image: 'registry.invalid/game:1' }] },
  };
}

export async function createNamespace(client: KubernetesClient, name: string): Promise<string> {
  const object: KubernetesObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await client.create(namespaces, object);
  return name;
}

/** The ApiError or other failure of a call that must fail. @throws Error when it succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const outcome = await call.then(
    () => ({ ok: true as const }),
    (error: unknown) => ({ ok: false as const, error }),
  );
  if (outcome.ok) throw new Error('the call succeeded although it must fail');
  return outcome.error;
}
