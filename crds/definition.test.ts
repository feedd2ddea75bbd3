/** The generated CRDs as files: what the API server demands of a structural schema, and bounds that keep CEL affordable. */
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { CustomResourceDefinition } from './definition.ts';
import { generatedFiles } from './generate.ts';
import type { StructuralSchema } from './structural.ts';
import { differenceToGenerated } from './verify.ts';

const ROOT = resolve(import.meta.dirname, '..');
const MAX_BYTES = 200 * 1024;

interface Place {
  path: string;
  node: StructuralSchema;
}

/** Every node of a schema, with its path. */
function* places(node: StructuralSchema, path: string): Generator<Place> {
  yield { path, node };
  for (const [name, child] of Object.entries(node.properties ?? {})) yield* places(child, `${path}.${name}`);
  if (node.items !== undefined) yield* places(node.items, `${path}[]`);
  if (node.additionalProperties !== undefined) yield* places(node.additionalProperties, `${path}.*`);
}

const isOpen = (node: StructuralSchema) => node['x-kubernetes-preserve-unknown-fields'] === true;
const isIntOrString = (node: StructuralSchema) => node['x-kubernetes-int-or-string'] === true;
const rulesOf = (node: StructuralSchema) => node['x-kubernetes-validations'] ?? [];
const isOneSentence = (text: string | undefined) => /^[^\n]+[^.\n]\.$/.test(text ?? '') && (text ?? '').length <= 200;

/** Each returns true for a node that is as it must be. */
const STRUCTURAL_RULES: Record<string, (node: StructuralSchema) => boolean> = {
  'it has a type, or is int-or-string and has none': (node) => (node.type === undefined) === isIntOrString(node),
  'it has properties or additionalProperties, never both': (node) =>
    node.properties === undefined || node.additionalProperties === undefined,
  'an object says what it holds, or that it keeps everything': (node) =>
    node.type !== 'object' || isOpen(node) || (node.properties ?? node.additionalProperties) !== undefined,
  'what is required is a property': (node) => (node.required ?? []).every((name) => node.properties?.[name]),
  'a list says what its items are and how many there may be': (node) =>
    node.type !== 'array' || (node.items !== undefined && node.maxItems !== undefined),
  'a map says how many keys it may have': (node) =>
    node.additionalProperties === undefined || node.maxProperties !== undefined,
  'a text is bounded or one of a few': (node) =>
    node.type !== 'string' || node.maxLength !== undefined || node.enum !== undefined,
  'the keys of a list of the type map are required fields of its items': (node) =>
    (node['x-kubernetes-list-type'] === 'map') === (node['x-kubernetes-list-map-keys'] !== undefined) &&
    (node['x-kubernetes-list-map-keys'] ?? []).every((key) => node.items?.required?.includes(key)),
  'a pattern uses nothing that RE2 lacks': (node) => !/\(\?[=!<]|\\[1-9]/.test(node.pattern ?? ''),
  'a rule has CEL, a reason and a message of one sentence': (node) =>
    rulesOf(node).every((rule) => rule.rule && rule.reason && isOneSentence(rule.message)),
  "a rule's field exists": (node) =>
    rulesOf(node).every(({ fieldPath }) => fieldPath === undefined || hasField(node, fieldPath)),
};

function hasField(node: StructuralSchema, fieldPath: string): boolean {
  const names = fieldPath.split('.').slice(1);
  return names.reduce<StructuralSchema | undefined>((at, name) => at?.properties?.[name], node) !== undefined;
}

describe.each(generatedFiles())('$path', ({ content }) => {
  const crd = parse(content) as CustomResourceDefinition;
  const schema = crd.spec.versions[0]?.schema.openAPIV3Schema ?? {};
  const all = [
    ...places(schema.properties?.spec ?? {}, 'spec'),
    ...places(schema.properties?.status ?? {}, 'status'),
  ].filter(({ node }) => Object.keys(node).length > 0);

  test.each(Object.entries(STRUCTURAL_RULES))('of every field: %s', (_, isGood) => {
    expect(all.filter(({ node }) => !isGood(node)).map(({ path }) => path)).toEqual([]);
  });

  test('the only defaults are replicas: 1 (decision 1), and of the status that nobody has looked yet (ADR 0015)', () => {
    const defaults = all.filter(({ node }) => node.default !== undefined).map(({ path, node }) => [path, node.default]);
    const ofWorkloads = [
      ['spec.replicas', 1],
      ['status', { observedGeneration: -1 }],
    ];
    expect(defaults).toEqual(schema.properties?.spec?.properties?.replicas ? ofWorkloads : []);
  });

  test('it is smaller than 200 KiB (decision 3)', () => {
    expect(Buffer.byteLength(content)).toBeLessThan(MAX_BYTES);
  });
});

test('unknown fields are kept at the template, its metadata, its spec and its containers, in claim templates and in Jobs (decision 3)', () => {
  const crds = generatedFiles().map(({ content }) => parse(content) as CustomResourceDefinition);
  const open = crds.flatMap((crd) => {
    const schema = crd.spec.versions[0]?.schema.openAPIV3Schema ?? {};
    return [...places(schema, crd.metadata.name.split('.')[0] ?? '')].filter(({ node }) => isOpen(node));
  });
  const template = ['', '.metadata', '.spec', '.spec.containers[]'].map((place) => `spec.template${place}`);
  const claims = ['', '.metadata', '.spec'].map((place) => `spec.volumeClaimTemplates[]${place}`);
  const jobs = ['', ...template.map((place) => place.slice('spec'.length))].map(
    (place) => `spec.metrics[].provider.job.spec${place}`,
  );
  expect(open.map(({ path }) => path)).toEqual([
    ...template.map((place) => `gamedeployments.${place}`),
    ...[...template, ...claims].map((place) => `gamestatefulsets.${place}`),
    ...['hooktemplates', 'hookruns'].flatMap((kind) => jobs.map((place) => `${kind}.${place}`)),
  ]);
});

test('what is committed is what the schemas say', async () => {
  expect(await differenceToGenerated(ROOT)).toBe('');
});
