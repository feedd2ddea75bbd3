/** The cluster that a command talks to: its client, and the namespace that is meant where none is given. */
import { createKubernetesClient, type KubernetesClient } from '../kubernetes/client.ts';
import { CannotStart, sayError } from '../workers/startup-error.ts';
import type { ClusterFlags } from './options.ts';

export interface NamespaceFlags extends ClusterFlags {
  namespace?: string;
}

/** Runs `use` with a client and closes it. @throws CannotStart where there is no usable kubeconfig. */
export async function withCluster<T>(
  flags: NamespaceFlags,
  use: (client: KubernetesClient, namespace: string) => Promise<T>,
): Promise<T> {
  const namespace = flags.namespace ?? (await namespaceOfContext(flags));
  const { kubeconfig: kubeconfigPath, context } = flags;
  // What people write by it is theirs, not the controller's.
  const client = createKubernetesClient({ kubeconfigPath, context, fieldManager: 'holdfast-cli' });
  try {
    return await use(client, namespace);
  } finally {
    await client.close();
  }
}

/** As kubectl chooses it: the context's namespace, else `default`. */
export async function namespaceOfContext({ kubeconfig, context }: ClusterFlags): Promise<string> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (cause) {
    throw new CannotStart(`The kubeconfig cannot be read: ${sayError(cause)}`, { cause });
  }
  const name = context ?? config.getCurrentContext();
  const found = config.getContextObject(name);
  if (context !== undefined && found === null) throw new CannotStart(`The kubeconfig has no context "${context}"`);
  return found?.namespace || 'default';
}
