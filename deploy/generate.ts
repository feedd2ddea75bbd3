/** Writes the manifests of this folder; with `--verify` says instead which of the committed ones differ from the code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { deleteProtectionObjects } from './delete-protection.ts';
import { rbacObjects } from './rbac.ts';
import { writePausedObjects } from './write-paused.ts';

/** What is said of a manifest that an option of install applies. */
const optional = (name: string) =>
  `# Not applied unless asked for: \`holdfast install --${name}\`, or kubectl apply. Deleting these objects ends it.\n`;

const MANIFESTS: readonly { name: string; comment?: string; objects: KubernetesObject[] }[] = [
  { name: 'rbac', objects: rbacObjects() },
  { name: 'delete-protection', comment: optional('delete-protection'), objects: deleteProtectionObjects() },
  { name: 'write-paused', comment: optional('write-paused'), objects: writePausedObjects() },
];

/** Says of one manifest whether it is as the code has it. */
function verify(name: string, content: string): void {
  if (readFileSync(join(import.meta.dirname, `${name}.yaml`), 'utf8') === content) return;
  process.stderr.write(`deploy/${name}.yaml differs from deploy/${name}.ts: run "npm run generate" and commit.\n`);
  process.exitCode = 1;
}

if (import.meta.main) {
  for (const { name, comment = '', objects } of MANIFESTS) {
    const header = `# Written by \`npm run generate\` from deploy/${name}.ts. Changes belong there.\n${comment}`;
    const documents = objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }));
    const content = header + documents.join('---\n');
    if (process.argv.includes('--verify')) verify(name, content);
    else writeFileSync(join(import.meta.dirname, `${name}.yaml`), content);
  }
}
