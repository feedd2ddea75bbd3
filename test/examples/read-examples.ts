/** The folders of examples/ as data: their pages, their manifests and what the manifests refer to. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { GAME_DEPLOYMENT, GAME_STATEFUL_SET, HOOK_TEMPLATE } from '../../crds/api.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';

/** The repository; commands of the pages are typed here. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** Every kind that stands in an example has one. */
type WithSpec = KubernetesObject & { spec: object };

export interface Example {
  folder: string;
  /** Its manifests, as a command of its page names them. */
  files: string[];
  readme: string;
  objects: WithSpec[];
  workloads: GameWorkload[];
  /** By name, as a planner sees them. */
  hookTemplates: Record<string, HookTemplate>;
}

/** All of them, in the order of their names. */
export function readExamples(): Example[] {
  return readdirSync(join(ROOT, 'examples')).sort().map(readExample);
}

function readExample(folder: string): Example {
  const path = join(ROOT, 'examples', folder);
  const names = readdirSync(path).filter((name) => name.endsWith('.yaml'));
  const objects = names.flatMap((name) => documentsOf(readFileSync(join(path, name), 'utf8')));
  const templates = objects.filter((object): object is HookTemplate & WithSpec => object.kind === HOOK_TEMPLATE.kind);
  return {
    folder,
    files: names.map((name) => `examples/${folder}/${name}`),
    readme: readFileSync(join(path, 'README.md'), 'utf8'),
    objects,
    workloads: objects.filter(isWorkload),
    hookTemplates: Object.fromEntries(templates.map((template) => [template.metadata.name, template])),
  };
}

const documentsOf = (text: string) => parseAllDocuments(text).map((document) => document.toJS() as WithSpec);

const isWorkload = (object: WithSpec): object is GameWorkload =>
  object.kind === GAME_DEPLOYMENT.kind || object.kind === GAME_STATEFUL_SET.kind;

/** Commands of a page's code blocks, continued lines joined. */
export function commandsOf(page: string): string[] {
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.replaceAll('\\\n', ' ').trim().split('\n'));
}
