/** A real API server for the tests of one file, and kubeconfigs that lead to it another way or as somebody else. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';

export interface ApiServer {
  stack: Devstack;
  /** May do everything. */
  client: KubernetesClient;
  stop(): Promise<void>;
}

export async function startApiServer(): Promise<ApiServer> {
  const stack = await startDevstack({ components: ['kube-apiserver'] });
  const client = createKubernetesClient({ kubeconfigPath: stack.kubeconfig });
  const stop = async () => {
    await client.close();
    await stack.stop();
  };
  return { stack, client, stop };
}

interface Access {
  cluster: { server: string };
  user: Record<string, unknown>;
}

interface Kubeconfig {
  clusters: [{ cluster: Access['cluster'] }];
  users: [{ user: Access['user'] }];
}

/** Writes a changed copy of the stack's kubeconfig and returns its path; it goes when the stack is stopped. */
export function copyKubeconfig(stack: Devstack, name: string, change: (access: Access) => Partial<Access>): string {
  const config = parse(readFileSync(stack.kubeconfig, 'utf8')) as Kubeconfig;
  const [{ cluster }] = config.clusters;
  const [{ user }] = config.users;
  const changed = { cluster, user, ...change({ cluster, user }) };
  config.clusters[0].cluster = changed.cluster;
  config.users[0].user = changed.user;
  const path = join(stack.dir, `${name}.kubeconfig`);
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
}
