/** Kubeconfigs for controllers that come to the API server in another way than the administrator does. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Installation } from './installation.ts';

interface Kubeconfig {
  clusters: [{ cluster: { server: string; 'certificate-authority'?: string; 'certificate-authority-data'?: string } }];
  contexts: [{ context: { user: string } }];
  users: object[];
}

/** With the rights of deploy/rbac.yaml and no more. */
export async function kubeconfigOfServiceAccount(here: Installation): Promise<string> {
  const token = (await here.kubectl(['create', 'token', 'holdfast', '-n', 'holdfast-system'])).trim();
  return await changedKubeconfig(here, 'service-account', (admin) => {
    admin.users = [{ name: 'holdfast', user: { token } }];
    admin.contexts[0].context.user = 'holdfast';
  });
}

/** The one of the administrator, changed; answers its path. */
export async function changedKubeconfig(
  here: Installation,
  name: string,
  change: (config: Kubeconfig) => void,
): Promise<string> {
  const config = JSON.parse(await here.kubectl(['config', 'view', '--raw', '--minify', '-o', 'json']));
  change(config);
  const path = join(here.stack.dir, `${name}.kubeconfig`);
  writeFileSync(path, stringify(config));
  return path;
}
