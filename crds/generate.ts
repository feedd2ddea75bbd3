/** `npm run generate`: writes every generated file. It must read nothing but the schemas, so that two runs agree. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { KIND_DEFINITIONS, toCustomResourceDefinition } from './definition.ts';

const HEADER = '# Written by `npm run generate` from crds/. Changes belong there.\n';

export interface GeneratedFile {
  /** Relative to the repository's root. */
  path: string;
  content: string;
}

export function generatedFiles(): GeneratedFile[] {
  return KIND_DEFINITIONS.map((definition) => ({
    path: `crds/generated/${definition.plural}.yaml`,
    content: HEADER + stringify(toCustomResourceDefinition(definition), { lineWidth: 0, aliasDuplicateObjects: false }),
  }));
}

/** Writes all generated files below `root`. */
export async function generateInto(root: string): Promise<void> {
  for (const { path, content } of generatedFiles()) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

if (import.meta.main) await generateInto(resolve(import.meta.dirname, '..'));
