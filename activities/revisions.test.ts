/** Revisions that are being deleted, and that were: nothing spins, no pod is moved for a name, nothing waits in silence. */
import { beforeEach, describe, expect, it } from 'vitest';
import { revisionName } from '../core/revisions.ts';
import type { GameDeployment, GameDeploymentSpec, GameDeploymentStatus } from '../crds/game-deployment.ts';
import type { ControllerRevision } from '../crds/kubernetes.ts';
import type { EventNote } from '../kubernetes/event-notes.ts';
import { apiError } from '../test/support/fake-cluster.ts';
import { anAttempt, KEY, PodScene } from '../test/support/pod-scene.ts';
import { aPod, templateOf } from '../test/support/pods.ts';
import { observe } from './observe.ts';
import { recordRevision } from './revisions.ts';

let scene: PodScene;
let notes: EventNote[];

beforeEach(() => {
  scene = new PodScene({ replicas: 2 });
  notes = [];
});

const revisionsNow = () => scene.cluster.all<ControllerRevision>('controllerrevisions');
const writes = () =>
  scene.cluster.requests.filter((request) => /^(create|patch|delete) controllerrevisions/.test(request));

/** Somebody deletes the revision, and a finalizer holds it. */
function deleteRevision(name: string): void {
  const revision = revisionsNow().find(({ metadata }) => metadata.name === name)!;
  const metadata = {
    ...revision.metadata,
    deletionTimestamp: '2026-11-30T11:00:00Z',
    finalizers: ['example.com/backup'],
  };
  scene.cluster.put('controllerrevisions', { ...revision, metadata });
}

/** The spec asks for the template of this revision; the status says where the workload stands. */
function ask(revision: string, status: GameDeploymentStatus = {}): void {
  const { metadata, spec } = scene.workload;
  const workload: GameDeployment = {
    ...scene.workload,
    metadata,
    spec: { ...spec, template: templateOf(`game:${revision}`) },
  };
  scene.cluster.put('gamedeployments', { ...workload, status: { observedGeneration: 1, ...status } });
}

function look(stableRevision: string) {
  const allowance = { revision: 'r2', partition: 0, paused: false };
  const context = scene.context({ stableRevision, allowance: stableRevision === 'r2' ? null : allowance });
  return observe(scene.ports, scene.observeRequest({ context, toldReached: false }), anAttempt());
}

function record(stableRevision: string) {
  const ports = { ...scene.ports, recorder: { record: (note: EventNote) => void notes.push(note) } };
  const request = { key: KEY, uid: scene.owner.uid, stableRevision, fence: { written: {}, gone: [] } };
  return recordRevision(ports, request, anAttempt());
}

describe('the revision of the spec is being deleted', () => {
  it('where pods are to move to it they wait, with the finalizer named; lost ones are replaced at the stable one', async () => {
    ask('r2', { currentRevision: 'r1', updateRevision: 'r2' });
    deleteRevision('r2');
    scene.adopt(aPod('r1').build());
    const seen = await look('r1');
    expect(seen.updateRevision).toBe('r2');
    expect(seen.moves).toMatchObject([{ act: 'create', revision: 'r1' }]);
    expect(seen.blockers[0]).toEqual({
      reason: 'RevisionMissing',
      message: expect.stringContaining('example.com/backup'),
    });
    expect(seen.reached).toBe(false);
  });

  it('where it is the stable one nothing is held, and lost pods are replaced at it', async () => {
    ask('r2', { currentRevision: 'r2', updateRevision: 'r2' });
    deleteRevision('r2');
    scene.adopt(aPod('r2').build());
    const seen = await look('r2');
    expect(seen.moves).toMatchObject([{ act: 'create', revision: 'r2' }]);
    expect(seen.blockers).toEqual([]);
  });

  it('recording writes nothing meanwhile: what pods run keeps its name', async () => {
    ask('r2', { currentRevision: 'r1', updateRevision: 'r2' });
    deleteRevision('r2');
    expect(await record('r1')).toMatchObject({ updateRevision: 'r2' });
    expect(writes()).toEqual([]);
  });

  it('once it is gone it is recorded again under the name that pods carry, and an event says so', async () => {
    ask('r2', { currentRevision: 'r2', updateRevision: 'r2' });
    scene.cluster.remove('controllerrevisions', 'r2');
    expect((await look('r2')).updateRevision).toBeNull();
    expect(await record('r2')).toMatchObject({ updateRevision: 'r2' });
    expect((await look('r2')).updateRevision).toBe('r2');
    expect(notes).toMatchObject([{ type: 'Warning', reason: 'RevisionDeleted', note: expect.stringContaining('r2') }]);
  });

  it('a name of before is not taken where the spec was edited since', async () => {
    ask('r3', { observedGeneration: 0, currentRevision: 'r2', updateRevision: 'r2' });
    const { updateRevision } = await record('r2');
    expect(updateRevision).toBe(revisionName('lobby', templateOf('game:r3'), 0));
    expect(notes).toEqual([]);
  });

  it('where nothing stands on it, the template gets another one at once', async () => {
    const name = revisionName('lobby', templateOf('game:r3'), 0);
    const r3 = { ...revisionsNow()[0]!, data: { spec: { template: templateOf('game:r3') } }, revision: 3 };
    scene.cluster.put('controllerrevisions', { ...r3, metadata: { ...r3.metadata, name, uid: 'uid-r3' } });
    deleteRevision(name);
    ask('r3', { observedGeneration: 0, currentRevision: 'r2', updateRevision: 'r2' });
    expect((await look('r2')).updateRevision).toBeNull();
    const recorded = await record('r2');
    expect(recorded).toMatchObject({ collisionCount: 1 });
    expect(recorded.updateRevision).not.toBe(name);
    expect(revisionsNow().find(({ metadata }) => metadata.name === recorded.updateRevision)?.revision).toBe(4);
    expect((await look('r2')).updateRevision).toBe(recorded.updateRevision);
  });
});

describe('another revision is being deleted', () => {
  it('though it has the highest number: both sides agree that the other one is recorded', async () => {
    ask('r1', { currentRevision: 'r1', updateRevision: 'r2' });
    deleteRevision('r2');
    scene.adopt(aPod('r1').build());
    expect((await look('r1')).updateRevision).toBe('r1');
    expect(await record('r1')).toMatchObject({ updateRevision: 'r1' });
    expect(writes()).toEqual([]);
  });

  it('it is not deleted once more to cut the history', async () => {
    scene = new PodScene({ replicas: 2, revisionHistoryLimit: 0 });
    ask('r2', { currentRevision: 'r2', updateRevision: 'r2' });
    deleteRevision('r1');
    await record('r2');
    expect(writes()).toEqual([]);
  });
});

describe('a store that is behind', () => {
  it('is waited for: the next look must not ask again at once', async () => {
    ask('r1', { currentRevision: 'r1', updateRevision: 'r2' });
    scene.cluster.isHeldBack = true;
    scene.cluster.remove('controllerrevisions', 'r2');
    let isAnswered = false;
    const answer = record('r1').finally(() => {
      isAnswered = true;
    });
    while (!scene.cluster.requests.includes('create pods lobby-proof')) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    scene.cluster.catchUp();
    expect(await answer).toMatchObject({ updateRevision: 'r1' });
    expect((await look('r1')).updateRevision).toBe('r1');
  });
});

/** The spec as a laxer CRD let it in: `labels` are those of the template of `game:r3`. */
function store(selector: GameDeploymentSpec['selector'], labels: Record<string, string>): void {
  const { spec } = scene.workload;
  const template = { ...templateOf('game:r3'), metadata: { labels } };
  const status = { observedGeneration: 0, currentRevision: 'r2', updateRevision: 'r2' };
  scene.cluster.put('gamedeployments', { ...scene.workload, spec: { ...spec, selector, template }, status });
}

const recordedAs = (name: string) => revisionsNow().find(({ metadata }) => metadata.name === name);

describe('a spec that the CRD would refuse today', () => {
  const app = { app: 'lobby' };
  const bad = { app: 'lobby', version: 'v1+build' };
  const tier = { matchExpressions: [{ key: 'tier', operator: 'Exists' as const }] };

  it.each<[string, GameDeploymentSpec['selector'], Record<string, string>, RegExp]>([
    [
      'a label that the API does not take',
      { matchLabels: app },
      bad,
      /^The API refuses spec\.template: a bad label\.$/,
    ],
    [
      'the same in the selector',
      { matchLabels: bad },
      bad,
      /^spec\.selector\.matchLabels: version=v1\+build is no label/,
    ],
    [
      'a label that the selector wants is missing',
      tier,
      app,
      /^spec\.template\.metadata\.labels: .* wants a label tier\.$/,
    ],
  ])('%s: recorded as the newest, once, and told', async (_what, selector, labels, want) => {
    store(selector, labels);
    const { updateRevision, invalid } = await record('r2');
    expect(invalid).toMatch(want);
    expect(recordedAs(updateRevision)?.revision).toBe(3);
    expect(recordedAs(updateRevision)?.metadata.labels).toEqual({
      ...app,
      'controller.kubernetes.io/hash': updateRevision.slice('lobby-'.length),
    });
    expect((await look('r2')).updateRevision).toBe(updateRevision);
    expect((await record('r2')).updateRevision).toBe(updateRevision);
    expect(writes()).toHaveLength(1);
  });

  it.each([false, true])('pods are healed at the stable revision meanwhile; quorum %s', async (quorum) => {
    store(tier, app);
    const { updateRevision } = await record('r2');
    const allowance = { revision: 'r2', partition: 0, paused: false };
    const invalid = { revision: updateRevision, message: 'no.' };
    const context = scene.context({ stableRevision: 'r2', allowance, invalid });
    const seen = await observe(scene.ports, scene.observeRequest({ context, quorum }), anAttempt());
    expect(seen.moves).toMatchObject([
      { act: 'create', revision: 'r2' },
      { act: 'create', revision: 'r2' },
    ]);
  });
});

describe('what the API refuses of a new revision', () => {
  it('is no collision: no other name is tried', async () => {
    ask('r3', { observedGeneration: 0, currentRevision: 'r2', updateRevision: 'r2' });
    scene.cluster.fail({ verb: 'create', plural: 'controllerrevisions', error: apiError('invalid'), times: 9 });
    await expect(record('r2')).rejects.toMatchObject({ reason: 'invalid' });
    expect(writes()).toHaveLength(1);
  });

  it('a name in the status that no object can have is not tried', async () => {
    ask('r3', { observedGeneration: 1, currentRevision: 'r2', updateRevision: 'Lobby_r3' });
    expect(await record('r2')).toMatchObject({ updateRevision: revisionName('lobby', templateOf('game:r3'), 0) });
    expect(writes()).toHaveLength(1);
  });
});
