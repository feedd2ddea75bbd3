/** Manifests as users write them: they apply without a warning, and what comes back holds everything that was written. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { KIND_DEFINITIONS } from '../../crds/definition.ts';
import { toStructural } from '../../crds/structural.ts';
import { UNOBSERVED_STATUS } from '../../crds/workload-status.ts';
import { type CustomResourceServer, startCustomResourceServer } from './custom-resource-server.ts';
import type { Manifest } from './objects.ts';
import { unusedFields } from './unused-fields.ts';

type WithStatus = Manifest & { status?: object };

interface Written {
  name: string;
  path: string;
  object: WithStatus;
}

/** Our own, and beside a checkout those that users of the existing operators wrote. */
const OWN = resolve(import.meta.dirname, 'manifests');
const EXISTING = resolve(import.meta.dirname, '../../../shared/inputs');
const written = [OWN, EXISTING].filter(existsSync).flatMap(readManifests);

function readManifests(folder: string): Written[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return names.flatMap((name) => {
    const path = join(folder, name);
    const documents = parseAllDocuments(readFileSync(path, 'utf8'));
    return documents.map((document) => ({ name, path, object: document.toJS() as WithStatus }));
  });
}

let server: CustomResourceServer;
beforeAll(async () => {
  server = await startCustomResourceServer();
});
afterAll(() => server?.stop());

async function read({ kind, metadata }: Manifest): Promise<WithStatus> {
  const { stdout } = await server.kubectl(['get', kind, metadata.name, '-o', 'json']);
  return JSON.parse(stdout) as WithStatus;
}

describe.each(written)('$name: $object.kind $object.metadata.name', ({ path, object }) => {
  test('applies without a warning, and comes back whole', async () => {
    await server.kubectl(['delete', '--ignore-not-found', object.kind, object.metadata.name]);
    const applied = await server.kubectl(['apply', '-f', path]);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect((await read(object)).spec).toEqual(object.spec);
  });

  test('applies by server-side apply without a warning, and a second time changes nothing', async () => {
    const args = ['apply', '--server-side', '--force-conflicts', '-f', path];
    expect(await server.kubectl(args)).toMatchObject({ code: 0, stderr: '' });
    const before = await read(object);
    expect(await server.kubectl(args)).toMatchObject({ code: 0, stderr: '' });
    expect((await read(object)).metadata).toEqual(before.metadata);
  });

  test('its status, where it has one, is written whole', async () => {
    const { status, body } = await server.writeStatus(object);
    expect(status).toBe(200);
    const unwritten = object.kind.startsWith('Game') ? UNOBSERVED_STATUS : undefined;
    expect((body as WithStatus).status).toEqual(object.status ?? unwritten);
  });
});

test('our manifests use every field of every kind', () => {
  const unused = KIND_DEFINITIONS.flatMap(({ kind, spec, status }) => {
    const objects = written.filter(({ object }) => object.kind === kind).map(({ object }) => object);
    return [
      ...unusedFields(
        toStructural(spec),
        objects.map((object) => object.spec),
        `${kind}.spec`,
      ),
      ...(status
        ? unusedFields(
            toStructural(status),
            objects.map((object) => object.status),
            `${kind}.status`,
          )
        : []),
    ];
  });
  expect(unused).toEqual([]);
});

test('replicas is 1 where it was not said, and nothing else is filled in', async () => {
  const { object } = written.find((one) => one.object.kind === 'GameDeployment') ?? { object: undefined };
  const { replicas: _, ...spec } = object?.spec ?? {};
  const created = await server.tryCreate({ ...(object as Manifest), metadata: { name: 'modest' }, spec });
  expect(created).toMatchObject({ status: 201 });
  expect((created.body as Manifest).spec).toEqual({ ...spec, replicas: 1 });
});

describe('what kubectl shows', () => {
  const tables: [string, string[]][] = [
    ['gamedeployment', ['NAME', 'DESIRED', 'UPDATED', 'UPDATED_READY', 'READY', 'TOTAL', 'AGE']],
    [
      'gamestatefulset',
      ['NAME', 'REPLICAS', 'READY_REPLICAS', 'CURRENT_REPLICAS', 'UPDATED_REPLICAS', 'UPDATED_READY_REPLICAS', 'AGE'],
    ],
    ['hookrun', ['NAME', 'PHASE', 'METRIC', 'VALUE', 'NEXT', 'AGE']],
    ['hooktemplate', ['NAME', 'AGE']],
  ];

  test.each(tables)('the columns of %s', async (kind, want) => {
    const { stdout } = await server.kubectl(['get', kind]);
    expect(stdout.split('\n')[0]?.trim().split(/\s+/)).toEqual(want);
  });

  test.each(['gamedeployment/lobby', 'gamestatefulset/world'])('kubectl scale on %s', async (name) => {
    expect(await server.kubectl(['scale', name, '--replicas=7'])).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await server.kubectl(['get', name, '-o', 'jsonpath={.spec.replicas}']);
    expect(stdout).toBe('7');
  });
});
