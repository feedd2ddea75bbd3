/**
 * Decision 2: Holdfast starts in a cluster as the existing operators leave it. It writes to no pod, and goes on where they
 * stood. Judged by the API server's audit log.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { readAuditLog } from '../faults/audit-log.ts';
import { isHoldfast, judgeAuditLog } from '../faults/checker.ts';
import { conditionOf, type GameNamespace, restartsOf, uidsOf } from '../game-deployment/game-namespace.ts';
import { hookTemplate } from '../game-deployment/manifests.ts';
import { GameScene } from '../game-deployment/scene.ts';
import { type Left, leave, leaveHookRun, leaveInGrace, revisionsIn } from './left-behind.ts';
import { heldByFailedHook, heldByPartition, inGrace, pausedInMidCanary, scalingIn, settled } from './workloads.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

let scene: GameScene;
const spaces: Record<
  'arena' | 'byMessage' | 'lobby' | 'archive' | 'shard' | 'match' | 'harbor' | 'queue',
  GameNamespace
> = {} as never;
const left: Record<keyof typeof spaces, Left> = {} as never;

beforeAll(async () => {
  scene = await GameScene.install();
  const all = {
    ...{ arena: pausedInMidCanary(), byMessage: pausedInMidCanary() },
    ...{ lobby: settled, archive: settled, shard: heldByPartition, match: inGrace },
    ...{ harbor: heldByFailedHook(), queue: scalingIn },
  };
  for (const name of Object.keys(all) as (keyof typeof all)[]) {
    spaces[name] = await scene.namespace(name.toLowerCase());
    left[name] = await leave(spaces[name], all[name]);
  }
  await loseRevision(spaces.archive, left.archive.revisions['game:2']!);
  await leaveInGrace(spaces.match, 'match-5fgtq', left.match.revisions['game:2']!, 'game:2');
  left.match.pods = await spaces.match.pods();
  await Promise.all([leaveHook('harbor', 'Failed', CANARY_RUN), leaveHook('queue', 'Running', GATE_RUN)]);
  await scene.startController();
});
afterAll(() => scene?.close());

const CANARY_RUN = {
  name: 'canary-harbor-f4d8b7c59-1-drained',
  labels: { 'hookrun-type': 'canary-step', 'canary-step-index': '1', 'workload-revision': 'harbor-f4d8b7c59' },
};
const GATE_RUN = {
  name: 'predelete-queue-f4d8b7c59-g7vqd-drained',
  labels: { 'hookrun-type': 'pre-delete-step', 'instance-id': 'g7vqd', 'workload-revision': 'queue-f4d8b7c59' },
};

/** Somebody deletes it, and somebody edits the spec, while nobody looks: the status tells of this name no more. */
async function loseRevision(space: GameNamespace, revision: string): Promise<void> {
  await space.kubectl('delete', 'controllerrevision', revision);
  await space.patch('lobby', { spec: { updateStrategy: { maxUnavailable: 1 } } });
}

/** A hook that asks until it hears yes, and a run of it; nobody says yes yet. */
async function leaveHook(name: 'harbor' | 'queue', phase: string, metadata: typeof CANARY_RUN | typeof GATE_RUN) {
  const path = `/${spaces[name].name}`;
  scene.target.answer(path, () => ({ value: 99 }));
  const template = hookTemplate('drained', scene.target.origin + path, { interval: '1s', successfulLimit: 1 });
  await spaces[name].apply(template);
  await leaveHookRun(spaces[name], left[name].workload, metadata, template.spec, phase);
}

const sayYes = (name: 'harbor' | 'queue') => scene.target.answer(`/${spaces[name].name}`, () => ({ value: 10 }));

/** Writes that we tried in this namespace, in words. Dry runs are none. */
async function ourWrites({ name }: GameNamespace, resource: string): Promise<string[]> {
  const events = (await readAuditLog(scene.stack.auditLogPath)).filter(
    (event) => isHoldfast(event) && WRITES.has(event.verb) && !event.requestURI.includes('dryRun='),
  );
  const here = events.filter(({ objectRef }) => objectRef?.namespace === name && objectRef.resource === resource);
  return here.map(({ verb, objectRef }) => `${verb} ${objectRef?.name}${objectRef?.subresource ?? ''}`);
}

/** What a person wrote and what an operator wrote on pods; status is the kubelet's, but for the gate. */
const marksOf = ({ metadata, spec, status }: Pod) => ({
  ...{ uid: metadata.uid, labels: metadata.labels, annotations: metadata.annotations, spec },
  gate: status?.conditions?.find(({ type }) => type === 'InPlaceUpdateReady'),
});

async function expectUntouched(name: keyof typeof spaces): Promise<void> {
  const space = spaces[name];
  expect(await ourWrites(space, 'pods')).toEqual([]);
  expect(await ourWrites(space, 'controllerrevisions')).toEqual([]);
  expect((await space.pods()).map(marksOf)).toEqual(left[name].pods.map(marksOf));
  expect(await revisionsIn(space)).toEqual(left[name].recorded);
}

test('a canary in the middle shows step 3, paused, and no pod was written to', async () => {
  for (const name of ['arena', 'byMessage'] as const) {
    const message = await spaces[name].untilReason('arena', 'Paused', 'PausedByCanaryPauseStep');
    expect(message).toContain('spec.updateStrategy.paused: false');
    const { status, spec } = await spaces[name].workload('arena');
    expect(status).toMatchObject({
      ...{ currentStepIndex: 3, pauseConditions: [{ reason: 'PausedByCanaryPauseStep' }] },
      ...{ canary: { revision: left[name].revisions['game:1'] }, updateRevision: left[name].revisions['game:2'] },
      ...{ replicas: 4, availableReplicas: 4, updatedReplicas: 2, updatedReadyReplicas: 2 },
    });
    expect(spec).toEqual(left[name].workload.spec);
    await expectUntouched(name);
  }
});

test('that canary is resumed as its users do it, and finishes in place', async () => {
  const { arena: space } = spaces;
  await space.patch('arena', { spec: { updateStrategy: { paused: false } } });
  const pods = await space.untilPods({ 'game:2': 4 });
  expect(uidsOf(pods)).toEqual(uidsOf(left.arena.pods));
  expect(pods.map(restartsOf)).toEqual([1, 0, 1, 0]);
  const { status } = await space.untilReady('arena');
  expect(status?.canary?.revision).toBe(left.arena.revisions['game:2']);
  const { outcome, steps } = await space.result('arena');
  expect(outcome).toBe('Completed');
  const resumed = { step: 3, outcome: 'resumed', by: 'spec.updateStrategy.paused' };
  expect(steps).toContainEqual(expect.objectContaining(resumed));
  expect(steps.map(({ step }) => step)).not.toContain(0);
});

test('resumed by message, it says that the paused: true of before holds it still, and goes on without', async () => {
  const { byMessage: space } = spaces;
  await expectUntouched('byMessage');
  await space.signal(space.rolloutId('arena'), 'resume', { step: 3 });
  await space.untilReason('arena', 'Paused', 'PausedByUser');
  await expectUntouched('byMessage');
  await space.patch('arena', { spec: { updateStrategy: { paused: false } } });
  await space.untilPods({ 'game:2': 4 });
  expect(await space.result('arena')).toMatchObject({ outcome: 'Completed' });
});

test('a settled GameDeployment stays settled: no revision, no rollout, no write to a pod', async () => {
  const { lobby: space } = spaces;
  const { status } = await space.untilReady('lobby');
  expect(status).toMatchObject({ updateRevision: left.lobby.revisions['game:2'], updatedReplicas: 3, replicas: 3 });
  await expectUntouched('lobby');
  await expect(space.isOpen(space.rolloutId('lobby'))).rejects.toThrow(/not found/i);
});

test('a revision that was lost is recorded again under the name that its pods carry: none of them is written to', async () => {
  const { archive: space } = spaces;
  const { 'game:2': name } = left.archive.revisions;
  const { status } = await space.untilReady('lobby');
  expect(status).toMatchObject({ updateRevision: name, currentRevision: name, updatedReplicas: 3 });
  expect(await ourWrites(space, 'controllerrevisions')).toEqual([`create ${name}`]);
  expect(await ourWrites(space, 'pods')).toEqual([]);
  expect((await space.pods()).map(marksOf)).toEqual(left.archive.pods.map(marksOf));
  await expect(space.isOpen(space.rolloutId('lobby'))).rejects.toThrow(/not found/i);
});

test('a new image then rolls out as always, and back to the revision that they recorded', async () => {
  const { lobby: space } = spaces;
  await space.setImage('lobby', 'game:3');
  await space.untilPods({ 'game:3': 3 });
  await space.untilReady('lobby');
  const { outcome, steps } = await space.result('lobby');
  expect([outcome, steps.length]).toEqual(['Completed', 1]);
  const recorded = await revisionsIn(space);
  expect(recorded.map(({ revision }) => revision)).toEqual([1, 2, 3]);
  const { 'game:2': theirs } = left.lobby.revisions;
  const said = await space.scene.holdfast(['rollback', 'gd/lobby', '-n', space.name]);
  expect([said.code, said.stdout]).toEqual([0, expect.stringContaining(`rolls back to revision 2 (${theirs})`)]);
  const pods = await space.untilPods({ 'game:2': 3 });
  expect(new Set(pods.map(({ metadata }) => metadata.labels?.['controller-revision-hash']))).toEqual(new Set([theirs]));
});

test('a GameStatefulSet in the middle of its update is held by its partition, and goes on below it', async () => {
  const { sets: space } = spaces.shard;
  await space.untilReason('shard', 'Ready', 'PartitionReached');
  const { status } = await space.workload('shard');
  const { 'game:1': currentRevision, 'game:2': updateRevision } = left.shard.revisions;
  expect(status).toMatchObject({ currentRevision, updateRevision, currentReplicas: 3, updatedReplicas: 2 });
  await expectUntouched('shard');
  await space.patch('shard', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
  const pods = await space.untilPods({ 'game:2': 5 });
  expect(uidsOf(pods)).toEqual(uidsOf(left.shard.pods));
  expect(pods.map(restartsOf)).toEqual([1, 1, 1, 0, 0]);
  expect(await space.result('shard')).toMatchObject({ outcome: 'Completed' });
  await space.untilReady('shard');
});

test('a pod in its grace is left until the grace is over, and then finished first', async () => {
  const { match: space } = spaces;
  const isOpen = () => space.isOpen(space.rolloutId('match')).catch(() => false);
  await space.eventually('its rollout runs', isOpen);
  const said = await space.until('it says what it waits for', 'match', (workload) =>
    (conditionOf(workload, 'Progressing')?.message ?? '').includes('grace'),
  );
  expect(said.status).toMatchObject({ replicas: 3, readyReplicas: 2 });
  await expectUntouched('match');
  const inPlaceUpdateStrategy = { gracePeriodSeconds: 0 };
  await space.patch('match', { spec: { updateStrategy: { inPlaceUpdateStrategy } } });
  const pods = await space.untilPods({ 'game:2': 3 });
  expect(uidsOf(pods)).toEqual(uidsOf(left.match.pods));
  expect(pods.map(restartsOf)).toEqual([1, 1, 1]);
  expect((await ourWrites(space, 'pods'))[0]).toBe('patch match-5fgtq');
  expect(pods.filter(({ metadata }) => metadata.annotations?.['inplace-update-grace'] !== undefined)).toEqual([]);
  await space.untilReady('match');
});

test('a canary at a hook that failed says which one and how to go on; retry asks the hook again', async () => {
  const { harbor: space } = spaces;
  await space.eventually('its rollout is open', () => space.isOpen(space.rolloutId('harbor')).catch(() => false));
  const said = await space.until('it says what failed', 'harbor', (workload) =>
    (conditionOf(workload, 'Paused')?.message ?? '').includes(CANARY_RUN.name),
  );
  expect(conditionOf(said, 'Paused')).toMatchObject({ status: 'True', reason: 'PausedByStepBasedHook' });
  expect(conditionOf(said, 'Paused')?.message).toContain('--name retry');
  expect((await space.workload('harbor')).status).toMatchObject({ currentStepIndex: 1, updatedReplicas: 1 });
  await expectUntouched('harbor');
  sayYes('harbor');
  await space.signal(space.rolloutId('harbor'), 'retry', { step: 1 });
  // The pause that their operator wrote is the user's to end.
  await space.untilReason('harbor', 'Paused', 'PausedByUser');
  await space.patch('harbor', { spec: { updateStrategy: { paused: false } } });
  await space.untilPods({ 'game:2': 3 });
  expect(await space.result('harbor')).toMatchObject({ outcome: 'Completed' });
  const phases = (await space.hookRuns()).map(({ metadata, status }) => [metadata.name, status?.phase]);
  expect(phases.sort()).toEqual([
    [CANARY_RUN.name, 'Failed'],
    [`${CANARY_RUN.name}-2`, 'Successful'],
  ]);
});

test('a pod that was chosen to go stays the one that goes, and its hook is asked anew', async () => {
  const { queue: space } = spaces;
  await space.untilReason('queue', 'Ready', 'GateWaiting');
  expect(new Set(await ourWrites(space, 'pods'))).toEqual(new Set(['patch queue-g7vqd']));
  const [run, ...others] = await space.hookRuns();
  expect(others).toEqual([]);
  expect(run?.metadata.labels?.['holdfast.dev/pod-uid']).toBe(left.queue.pods[1]?.metadata.uid);
  sayYes('queue');
  const pods = await space.untilPods({ 'game:2': 2 });
  const staying = left.queue.pods.filter(({ metadata }) => metadata.name !== 'queue-g7vqd');
  expect(pods.map(marksOf)).toEqual(staying.map(marksOf));
  await space.untilReady('queue');
});

test('no write of ours broke a promise', async () => {
  const { violations } = await judgeAuditLog(scene.stack.auditLogPath, { words: scene.words });
  expect(violations.map(({ sentence }) => sentence)).toEqual([]);
});

/** Their operators are not here to be run: what they would read is looked at as their page describes it. */
test('the way back: what Holdfast leaves is what their operators read', async () => {
  await scene.stopController();
  for (const [space, name] of [
    [spaces.arena, 'arena'],
    [spaces.match, 'match'],
  ] as const) {
    const { status } = await space.workload(name);
    const revisions = await revisionsIn(space);
    expect(revisions.map(({ data }) => data)).toEqual(left[name].recorded.map(({ data }) => data));
    expect(status?.updateRevision).toBe(revisions.at(-1)?.metadata.name);
    for (const { metadata, status: seen } of await space.pods()) {
      const { annotations: written = {}, labels } = metadata;
      expect(labels?.['controller-revision-hash']).toBe(status?.updateRevision);
      expect(Object.keys(written).filter((key) => key.startsWith('holdfast.dev/'))).toEqual([]);
      expect(JSON.parse(written['inplace-update-state']!)).toMatchObject({
        revision: status?.updateRevision,
        lastContainerStatuses: { game: { imageID: expect.any(String) } },
      });
      expect(seen?.conditions?.find(({ type }) => type === 'InPlaceUpdateReady')?.status).toBe('True');
    }
  }
  const ours = (await revisionsIn(spaces.lobby)).find(
    ({ metadata }) => !left.lobby.recorded.some((their) => their.metadata.name === metadata.name),
  );
  expect(ours?.data).toMatchObject({ spec: { template: { $patch: 'replace' } } });
});
