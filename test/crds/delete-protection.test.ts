/** deploy/delete-protection.yaml, judged by a real API server (decision 4; game-workloads §1.6, row 111). */
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_GROUP } from '../../crds/api.ts';
import { eventually } from '../support/eventually.ts';
import { type CustomResourceServer, type KubectlResult, startCustomResourceServer } from './custom-resource-server.ts';
import {
  change,
  type MakeManifest,
  type Manifest,
  makeGameDeployment,
  makeGameStatefulSet,
  makeHookTemplate,
} from './objects.ts';

const POLICIES = resolve(import.meta.dirname, '../../deploy/delete-protection.yaml');
const LABEL = 'io.tencent.bcs.dev/deletion-allow';
const GAME_CRD = `gamedeployments.${API_GROUP}`;
const HOOK_RUN_CRD = `hookruns.${API_GROUP}`;

let server: CustomResourceServer;
beforeAll(async () => {
  server = await startCustomResourceServer();
});
afterAll(() => server?.stop());

const kubectl = (...args: string[]) => server.kubectl(args);
/** The object is as it was afterwards: the policies judge a dry run like any other delete. */
const tryDelete = (kind: string, name: string) => kubectl('delete', kind, name, '--dry-run=server');
const apply = (object: Manifest, ...args: string[]) =>
  server.kubectl(['apply', '-f', '-', ...args], JSON.stringify(object));

/** An object with this label; undefined: without labels. */
function labelled(object: Manifest, allow: string | undefined): Manifest {
  return change(object, { 'metadata.labels': allow === undefined ? undefined : { [LABEL]: allow } });
}

async function protect(): Promise<void> {
  expect(await kubectl('apply', '-f', POLICIES)).toMatchObject({ code: 0, stderr: '' });
  for (const [kind, name] of [
    ['gamedeployment', 'guarded'],
    ['hooktemplate', 'guarded'],
    ['crd', GAME_CRD],
  ] as const) {
    await eventually(`deletes of a ${kind} are judged`, async () => (await tryDelete(kind, name)).code !== 0);
  }
}

beforeAll(async () => {
  for (const makeObject of [makeGameDeployment, makeHookTemplate])
    await apply(change(makeObject(), { 'metadata.name': 'guarded' }));
});

test.each([
  ['gamedeployment', 'guarded'],
  ['hooktemplate', 'guarded'],
  ['crd', GAME_CRD],
])('without the policies every delete is allowed: %s', async (kind, name) => {
  expect(await tryDelete(kind, name)).toMatchObject({ code: 0 });
});

describe('with the policies', () => {
  beforeAll(protect);

  interface Row {
    name: string;
    object: MakeManifest;
    allow?: string;
    replicas?: number;
    /** Absent: allowed. */
    refusal?: string;
  }
  const setLabel = `is protected against deletion: set its label ${LABEL} to Always`;
  const scaleFirst = `is deleted only when it is scaled to 0, because its label ${LABEL} is Cascading; spec.replicas is`;
  const rows: Row[] = [
    {
      name: 'a GameDeployment without the label',
      object: makeGameDeployment,
      refusal: `GameDeployment lobby ${setLabel}, or to Cascading and scale it to 0.`,
    },
    { name: 'one without the label and without pods', object: makeGameDeployment, replicas: 0, refusal: setLabel },
    { name: 'one with a value nobody knows', object: makeGameDeployment, allow: 'always', refusal: setLabel },
    { name: 'Always', object: makeGameDeployment, allow: 'Always', replicas: 3 },
    { name: 'Cascading at 0 replicas', object: makeGameDeployment, allow: 'Cascading', replicas: 0 },
    {
      name: 'Cascading with replicas',
      object: makeGameDeployment,
      allow: 'Cascading',
      replicas: 3,
      refusal: `GameDeployment lobby ${scaleFirst} 3.`,
    },
    {
      name: 'Cascading where replicas was never said',
      object: makeGameDeployment,
      allow: 'Cascading',
      refusal: `${scaleFirst} 1.`,
    },
    {
      name: 'a GameStatefulSet without the label',
      object: makeGameStatefulSet,
      refusal: `GameStatefulSet world ${setLabel}, or to Cascading and scale it to 0.`,
    },
    { name: 'a GameStatefulSet, Always', object: makeGameStatefulSet, allow: 'Always' },
    { name: 'a GameStatefulSet, Cascading at 0', object: makeGameStatefulSet, allow: 'Cascading', replicas: 0 },
    {
      name: 'a GameStatefulSet, Cascading with replicas',
      object: makeGameStatefulSet,
      allow: 'Cascading',
      replicas: 2,
      refusal: `GameStatefulSet world ${scaleFirst} 2.`,
    },
    {
      name: 'row 111: a HookTemplate without the label',
      object: makeHookTemplate,
      refusal: `HookTemplate drained ${setLabel}.`,
    },
    { name: 'row 111: a HookTemplate, Always', object: makeHookTemplate, allow: 'Always' },
    { name: 'a HookTemplate, Cascading', object: makeHookTemplate, allow: 'Cascading', refusal: setLabel },
  ];

  test.each(rows)('$name', async ({ object: makeObject, allow, replicas, refusal }) => {
    const object = labelled(makeObject(), allow);
    if (replicas !== undefined) change(object, { 'spec.replicas': replicas });
    expect(await apply(object)).toMatchObject({ code: 0 });
    expectRefusal(await tryDelete(object.kind, object.metadata.name), refusal);
    await kubectl('label', object.kind, object.metadata.name, `${LABEL}=Always`, '--overwrite');
    expect(await kubectl('delete', object.kind, object.metadata.name)).toMatchObject({ code: 0 });
  });

  const definitions: [string, string | undefined, string | undefined][] = [
    ['without the label', undefined, `CustomResourceDefinition ${GAME_CRD} ${setLabel}. All objects of its kind`],
    ['row 111: Cascading with live objects', 'Cascading', setLabel],
    ['Always', 'Always', undefined],
  ];
  test.each(definitions)('the CRD of GameDeployments, %s', async (_, allow, refusal) => {
    await kubectl('label', 'crd', GAME_CRD, `${LABEL}${allow === undefined ? '-' : `=${allow}`}`, '--overwrite');
    expectRefusal(await tryDelete('crd', GAME_CRD), refusal);
  });

  test('the CRD of HookRuns and every change are left alone', async () => {
    expect(await tryDelete('crd', HOOK_RUN_CRD)).toMatchObject({ code: 0 });
    expect(await kubectl('scale', 'gamedeployment/guarded', '--replicas=5')).toMatchObject({ code: 0, stderr: '' });
    expect(await kubectl('label', 'gamedeployment/guarded', 'seen=yes')).toMatchObject({ code: 0, stderr: '' });
  });

  test('a delete of the whole collection is judged object by object', async () => {
    const path = `/apis/${API_GROUP}/v1alpha1/namespaces/default/gamedeployments`;
    expectRefusal(await kubectl('delete', '--raw', path), `GameDeployment guarded ${setLabel}`);
    expect(await kubectl('get', 'gamedeployment/guarded')).toMatchObject({ code: 0 });
  });

  test('a namespace that is being deleted is not held up', async () => {
    const object = labelled(makeGameDeployment(), undefined);
    await kubectl('create', 'namespace', 'ending');
    await apply(object, '-n', 'ending');
    expectRefusal(await kubectl('delete', 'gamedeployment/lobby', '-n', 'ending', '--dry-run=server'), setLabel);
    // No controller ends it here, so it stays as everybody sees one that is ending.
    await kubectl('delete', 'namespace', 'ending', '--wait=false');
    await eventually('the delete is allowed', async () => {
      const { code } = await kubectl('delete', 'gamedeployment/lobby', '-n', 'ending');
      return code === 0;
    });
  });

  test('it ends when the policies are deleted', async () => {
    await kubectl('delete', '-f', POLICIES);
    await eventually('the delete is allowed', async () => (await tryDelete('gamedeployment', 'guarded')).code === 0);
  });
});

function expectRefusal({ code, stderr }: KubectlResult, refusal: string | undefined): void {
  if (refusal === undefined) expect({ code, stderr }).toMatchObject({ code: 0, stderr: '' });
  else expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(refusal) });
}
