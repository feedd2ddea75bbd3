/** The manifests of examples/, judged by a real API server; together they use every field of the two workloads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimNames, newClaim } from '../../core/claims.ts';
import { validateHookTemplate } from '../../core/hooks/validation.ts';
import { isGameStatefulSet } from '../../core/kinds.ts';
import { newPod } from '../../core/new-pod.ts';
import { notImplementedField, notImplementedHook } from '../../core/not-implemented.ts';
import { KIND_DEFINITIONS, toCustomResourceDefinition } from '../../crds/definition.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import { type CustomResourceServer, startCustomResourceServer } from '../crds/custom-resource-server.ts';
import { unusedFields } from '../crds/unused-fields.ts';
import { commandsOf, ROOT, readExamples } from './read-examples.ts';

const EXAMPLES = readExamples();

/** Fields that no example has, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'GameDeployment.status': 'written by Holdfast; test/crds/manifests has all of it',
  'GameStatefulSet.status': 'written by Holdfast; test/crds/manifests has all of it',
};

let server: CustomResourceServer;
beforeAll(async () => {
  server = await startCustomResourceServer();
});
afterAll(() => server?.stop());

const create = (object: KubernetesObject) =>
  server.kubectl(['create', '--dry-run=server', '-f', '-'], JSON.stringify(object));

async function specOf({ kind = '', metadata }: KubernetesObject): Promise<unknown> {
  const { stdout } = await server.kubectl(['get', kind, metadata.name, '-o', 'json']);
  return JSON.parse(stdout).spec;
}

/** What Holdfast would create first. */
function firstPod(workload: GameWorkload): KubernetesObject[] {
  const { name } = workload.metadata;
  const owned = { ...workload, metadata: { ...workload.metadata, uid: 'an-owner' } };
  const pod = newPod(owned, { name: `${name}-1`, number: 1, template: workload.spec.template }, `${name}-0`);
  const claims = isGameStatefulSet(owned)
    ? claimNames(owned, `${name}-0`).map((claim) => newClaim(owned, `${name}-0`, claim))
    : [];
  return [pod, ...claims.filter((claim) => claim !== undefined)];
}

describe.each(EXAMPLES)('examples/$folder', ({ files, readme, objects, workloads, hookTemplates }) => {
  test('its page applies all of its manifests, without a warning', async () => {
    const applied = commandsOf(readme)
      .map((command) => command.split(/\s+/).slice(1))
      .filter(([verb]) => verb === 'apply');
    expect(applied.flat()).toEqual(expect.arrayContaining(files));
    for (const args of applied) expect(await server.kubectl(args)).toMatchObject({ code: 0, stderr: '' });
    for (const object of objects) expect(await specOf(object)).toMatchObject(object.spec);
  });

  test('the pods and claims made of its templates are valid', async () => {
    for (const object of workloads.flatMap(firstPod))
      expect(await create(object)).toMatchObject({ code: 0, stderr: '' });
  });

  test('its HookTemplates are sound, and every hook has one', () => {
    const problems = Object.values(hookTemplates).flatMap(({ spec }) => validateHookTemplate(spec));
    expect(problems).toEqual([]);
    const wanted = [...JSON.stringify(workloads).matchAll(/"templateName":"([^"]+)"/g)].map(([, name]) => name);
    expect(Object.keys(hookTemplates)).toEqual(expect.arrayContaining(wanted));
  });

  test('its page says "not implemented" where this version does not carry it out, and only there', () => {
    const missing = workloads.map(
      (workload) => notImplementedField(workload) ?? notImplementedHook(workload, hookTemplates),
    );
    const isMissing = missing.some((one) => one !== null);
    expect(/not implemented/i.test(readme), JSON.stringify(missing)).toBe(isMissing);
  });
});

test.each(['game-deployment', 'game-stateful-set'])('the manifest in docs/%s.md is taken', async (page) => {
  const [, manifest = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs', `${page}.md`), 'utf8')) ?? [];
  const applied = await server.kubectl(['apply', '--dry-run=server', '-n', 'kube-system', '-f', '-'], manifest);
  expect(applied).toMatchObject({ code: 0, stderr: '' });
});

const WORKLOAD_KINDS = KIND_DEFINITIONS.filter(({ hasScale }) => hasScale);

describe.each(WORKLOAD_KINDS)('$kind', (definition) => {
  const { kind } = definition;
  const objects = EXAMPLES.flatMap(({ workloads }) => workloads).filter((workload) => workload.kind === kind);
  const schema = toCustomResourceDefinition(definition).spec.versions[0]?.schema.openAPIV3Schema ?? {};

  test('some example uses each field, but for the exceptions', () => {
    const unused = unusedFields(schema, objects, kind);
    expect(unused).toEqual(Object.keys(EXCEPTIONS).filter((path) => path.startsWith(`${kind}.`)));
  });

  test('some example uses each update type', () => {
    const types = schema.properties?.spec?.properties?.updateStrategy?.properties?.type?.enum ?? [];
    expect(types.length).toBeGreaterThan(0);
    expect(objects.map(({ spec }) => spec.updateStrategy?.type)).toEqual(expect.arrayContaining(types));
  });
});
