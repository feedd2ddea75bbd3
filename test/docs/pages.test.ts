/** The pages of docs/ against the code: every field stands in one, what is refused is listed, and links lead somewhere. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { notImplementedField, notImplementedHook } from '../../core/not-implemented.ts';
import { KIND_DEFINITIONS } from '../../crds/definition.ts';
import { gameDeploymentDefinition } from '../../crds/game-deployment.ts';
import { gameStatefulSetDefinition } from '../../crds/game-stateful-set.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import { type StructuralSchema, toStructural } from '../../crds/structural.ts';
import { makeGameDeployment, makeGameStatefulSet } from '../crds/objects.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const SHARED = read('docs/game-workloads.md');

/** Known by their own names, in Kubernetes or on the shared page. */
const WHOLE = ['selector', 'template', 'volumeClaimTemplates', 'hook'];

/** Paths of all fields that hold a value, down to those that are described as one. */
function leaves(schema: StructuralSchema, path = ''): string[] {
  if (schema.items !== undefined) return leaves(schema.items, schema.items.properties ? `${path}[]` : path);
  if (schema.properties === undefined) return [path];
  return Object.entries(schema.properties).flatMap(([name, child]) => {
    const inside = path === '' ? name : `${path}.${name}`;
    return WHOLE.includes(name) ? [inside] : leaves(child, inside);
  });
}

/** Every word between backquotes, but for those in blocks of code. */
const namesIn = (page: string) =>
  new Set([...page.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name));

describe.each([
  { definition: gameDeploymentDefinition, page: 'docs/game-deployment.md' },
  { definition: gameStatefulSetDefinition, page: 'docs/game-stateful-set.md' },
])('$page', ({ definition, page }) => {
  const names = namesIn(read(page) + SHARED);

  test('every field of the spec stands in it, or in the page of both kinds', () => {
    const fields = leaves(toStructural(definition.spec));
    expect(fields.length).toBeGreaterThan(20);
    expect(fields.filter((field) => !names.has(field))).toEqual([]);
  });

  test('so does every field of the status', () => {
    const { properties = {} } = toStructural(definition.status!);
    expect(Object.keys(properties).filter((name) => !names.has(name) && !names.has(`status.${name}`))).toEqual([]);
  });
});

test('the fields of a hook stand in the page of both kinds', () => {
  const hook = toStructural(gameDeploymentDefinition.spec).properties?.preDeleteUpdateStrategy?.properties?.hook;
  const fields = Object.keys(hook?.properties ?? {});
  expect(fields).toContain('templateName');
  expect(fields.filter((name) => !namesIn(SHARED).has(name))).toEqual([]);
});

const [, NOT_YET = ''] = /## Not in this version\n([\s\S]*?)\n## /.exec(SHARED) ?? [];
const PREWARM = 'imageloader.webhook.bkbcs.tencent.com';
const HOOK = { hook: { templateName: 'asked' } };

const workload = (makeObject: () => unknown, spec: object, annotations = {}): GameWorkload => {
  const object = makeObject() as GameWorkload;
  return {
    ...object,
    metadata: { ...object.metadata, annotations },
    spec: { ...object.spec, ...spec },
  } as GameWorkload;
};
const asking = (provider: string) =>
  ({ asked: { spec: { metrics: [{ name: 'one', provider: { [provider]: {} } }] } } }) as unknown as Record<
    string,
    HookTemplate
  >;

describe('"Not in this version" says what the code refuses, and nothing else', () => {
  const requests: { name: string; spec: object; annotations?: object; provider?: string }[] = [
    { name: 'preDeleteUpdateStrategy.hook', spec: { preDeleteUpdateStrategy: HOOK } },
    { name: 'preInplaceUpdateStrategy.hook', spec: { preInplaceUpdateStrategy: HOOK } },
    { name: 'postInplaceUpdateStrategy.hook', spec: { postInplaceUpdateStrategy: HOOK } },
    { name: PREWARM, spec: {}, annotations: { [PREWARM]: '1' } },
    ...['web', 'prometheus', 'kubernetes', 'job', 'exec'].map((provider) => ({
      ...{ name: provider, spec: { preDeleteUpdateStrategy: HOOK }, provider },
    })),
  ];

  test.each(requests)('$name', ({ name, spec, annotations, provider = 'web' }) => {
    const isRefused = [makeGameDeployment, makeGameStatefulSet].map((makeObject) => {
      const object = workload(makeObject, spec, annotations);
      return (notImplementedField(object) ?? notImplementedHook(object, asking(provider))) !== null;
    });
    expect(isRefused).toEqual([namesIn(NOT_YET).has(name), namesIn(NOT_YET).has(name)]);
  });
});

/** As GitHub makes the name of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (page: string) => [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

const pagesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

const ALL = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pagesBelow('docs'), ...pagesBelow('examples')];

test.each(ALL)('the links of %s lead somewhere', (path) => {
  const links = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const local = links.filter((link) => !/^[a-z]+:/.test(link));
  const broken = local.filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test('the index names every page', () => {
  const index = read('docs/README.md');
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  expect(pages.filter((name) => name !== 'README.md' && !index.includes(`](${name})`))).toEqual([]);
});

test('each kind of the README is one that is defined', () => {
  const kinds = KIND_DEFINITIONS.map(({ kind }) => kind);
  expect(kinds.filter((kind) => !read('README.md').includes(`\`${kind}\``))).toEqual([]);
});
