/** recordRevision against the real apiserver: what it creates, renumbers, adopts and deletes, and what it refuses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordRevision } from '../../activities/revisions.ts';
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { controllerRevisions, gameDeployments, pods } from '../../kubernetes/resource-types.ts';
import { type BookkeepingServer, makeAttempt, startBookkeepingServer } from './bookkeeping-server.ts';
import { createPod, createWorkload, makeTemplate, NAMESPACE, ownerOf, revisionsOf, setImage } from './workloads.ts';

let server: BookkeepingServer;
let client: KubernetesClient;

beforeAll(async () => {
  server = await startBookkeepingServer();
  client = server.ports.client;
});

afterAll(async () => {
  await server?.stop();
});

function record({ metadata }: GameDeployment, stableRevision?: string) {
  const key = { kind: 'GameDeployment' as const, namespace: NAMESPACE, name: metadata.name };
  const request = { key, uid: metadata.uid ?? '', stableRevision, fence: { written: {}, gone: [] } };
  return recordRevision(server.ports, request, makeAttempt());
}

const namesOf = async (app: string) => (await revisionsOf(client, app)).map(({ metadata }) => metadata.name);

describe('row 47', () => {
  test('the first template gets revision 1; a second call writes nothing', async () => {
    const workload = await createWorkload(client, 'first');
    const first = await record(workload);
    const [revision] = await revisionsOf(client, 'first');
    expect(revision).toMatchObject({ revision: 1, metadata: { name: first.updateRevision } });
    expect(first).toEqual({
      updateRevision: revision?.metadata.name,
      written: { controllerrevisions: revision?.metadata.resourceVersion },
    });
    expect(await record(workload)).toEqual(first);
    expect(await revisionsOf(client, 'first')).toEqual([revision]);
  });

  test('a new template gets the next number, and an older one asked for again becomes the newest under its name', async () => {
    const workload = await createWorkload(client, 'again');
    const one = await record(workload);
    await setImage(client, workload, 'game:2');
    const two = await record(workload, one.updateRevision);
    expect(await namesOf('again')).toEqual([one.updateRevision, two.updateRevision]);
    await setImage(client, workload, 'game:1');
    expect((await record(workload, one.updateRevision)).updateRevision).toBe(one.updateRevision);
    const revisions = await revisionsOf(client, 'again');
    expect(revisions.map(({ metadata, revision }) => [metadata.name, revision])).toEqual([
      [two.updateRevision, 2],
      [one.updateRevision, 3],
    ]);
  });
});

describe('names', () => {
  test('a name that something else has is not taken: another is found, and how many were tried is told', async () => {
    const workload = await createWorkload(client, 'taken');
    const { updateRevision } = await record(workload);
    await client.delete(controllerRevisions, { namespace: NAMESPACE, name: updateRevision });
    await client.create(controllerRevisions, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { namespace: NAMESPACE, name: updateRevision },
      revision: 1,
      data: { spec: {} },
    });
    const second = await record(workload);
    expect(second.updateRevision).not.toBe(updateRevision);
    expect(second.collisionCount).toBe(1);
  });

  test('decision 5: a long workload name still gives a label value', async () => {
    const workload = await createWorkload(client, 'l'.repeat(63));
    const { updateRevision } = await record(workload);
    expect(updateRevision.length).toBeLessThanOrEqual(63);
  });
});

describe('history', () => {
  test('rows 49 and 51: live revisions stay whatever the limit; what is live no longer goes', async () => {
    const workload = await createWorkload(client, 'history', { revisionHistoryLimit: 0 });
    const names: string[] = [];
    for (const image of ['game:1', 'game:2', 'game:3']) {
      await setImage(client, workload, image);
      const { updateRevision } = await record(workload, names[0]);
      names.push(updateRevision);
      if (image === 'game:2') await createPod(client, workload, 'history-aaaaa', updateRevision);
    }
    // Stable is 1, a pod carries 2, the update is 3: all are live.
    expect(await namesOf('history')).toEqual(names);
    // Stable becomes 3: nothing needs 1 any more.
    await record(workload, names[2]);
    expect(await namesOf('history')).toEqual(names.slice(1));
  });
});

describe('taking over', () => {
  test('a revision as the existing operators write it stands for its template; nothing is written', async () => {
    const workload = await createWorkload(client, 'theirs');
    const template = {
      $patch: 'replace',
      metadata: { creationTimestamp: null, labels: { app: 'theirs' } },
      spec: { containers: [{ name: 'game', image: 'game:1', resources: {} }] },
    };
    const theirs = await client.create(controllerRevisions, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        namespace: NAMESPACE,
        name: 'theirs-7c5d',
        labels: { app: 'theirs' },
        ownerReferences: [ownerOf(workload)],
      },
      revision: 4,
      data: { spec: { template } },
    });
    expect((await record(workload)).updateRevision).toBe('theirs-7c5d');
    expect(await revisionsOf(client, 'theirs')).toEqual([theirs]);
  });

  test('revisions of a workload that was deleted with its pods left behind are adopted', async () => {
    const before = await createWorkload(client, 'orphans');
    const { updateRevision } = await record(before);
    const [revision] = await revisionsOf(client, 'orphans');
    await client.delete(gameDeployments, before.metadata);
    await client.delete(controllerRevisions, { namespace: NAMESPACE, name: updateRevision });
    const { uid: _uid, resourceVersion: _version, ownerReferences: _owners, ...metadata } = revision!.metadata;
    await client.create(controllerRevisions, { ...revision!, metadata });
    const after = await createWorkload(client, 'orphans');
    expect((await record(after)).updateRevision).toBe(updateRevision);
    const [adopted] = await revisionsOf(client, 'orphans');
    expect(adopted?.metadata.ownerReferences).toEqual([ownerOf(after)]);
  });
});

describe('the proof', () => {
  test.each([
    [
      'a value that is not allowed',
      { containers: [{ name: 'game', image: 'game:1', imagePullPolicy: 'Sometimes' }] },
      /^The API refuses spec\.template\.spec\.containers\[0\]\.imagePullPolicy: .*\.$/,
    ],
    [
      'two wrong fields',
      { restartPolicy: 'Never ever', containers: [{ name: 'Game', image: 'game:1' }] },
      /^The API refuses spec\.template\.spec\..*\(and \d+ more\)\.$/,
    ],
    [
      'a wrong type',
      { containers: [{ name: 'game', image: 'game:1', ports: [{ containerPort: 'http' }] }] },
      /^The API refuses spec\.template: .*containerPort.*\.$/,
    ],
  ])('%s is one sentence with the path, the revision is recorded, and no pod exists', async (name, spec, want) => {
    const app = name.replaceAll(' ', '-');
    const template = { metadata: { labels: { app } }, spec };
    const workload = await createWorkload(client, app, { template });
    const { invalid, updateRevision } = await record(workload);
    expect(invalid).toMatch(want);
    expect(await namesOf(app)).toEqual([updateRevision]);
    expect((await client.list(pods, { namespace: NAMESPACE, labelSelector: `app=${app}` })).items).toEqual([]);
  });

  test('a good template leaves no pod behind', async () => {
    const workload = await createWorkload(client, 'good', { template: makeTemplate('good', 'game:1') });
    expect(await record(workload)).not.toHaveProperty('invalid');
    expect((await client.list(pods, { namespace: NAMESPACE, labelSelector: 'app=good' })).items).toEqual([]);
  });
});

test('another object of the name, or none: nothing is recorded', async () => {
  const workload = await createWorkload(client, 'other');
  const foreign = { ...workload, metadata: { ...workload.metadata, uid: 'another' } };
  expect(await record(foreign)).toEqual({ updateRevision: '', written: {} });
  expect(await record({ ...workload, metadata: { ...workload.metadata, name: 'nobody' } })).toMatchObject({
    updateRevision: '',
  });
  expect(await revisionsOf(client, 'other')).toEqual([]);
});
