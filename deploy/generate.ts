/** Writes deploy/rbac.yaml; with `--verify` says instead whether the committed file is what the code says. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { rbacObjects } from './rbac.ts';

const PATH = join(import.meta.dirname, 'rbac.yaml');
const HEADER = '# Written by `npm run generate` from deploy/rbac.ts. Changes belong there.\n';

/** Content of deploy/rbac.yaml. */
function rbacYaml(): string {
  const documents = rbacObjects().map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }));
  return HEADER + documents.join('---\n');
}

if (import.meta.main) {
  if (!process.argv.includes('--verify')) writeFileSync(PATH, rbacYaml());
  else if (readFileSync(PATH, 'utf8') !== rbacYaml()) {
    process.stderr.write('deploy/rbac.yaml differs from deploy/rbac.ts: run "npm run generate" and commit.\n');
    process.exitCode = 1;
  }
}
