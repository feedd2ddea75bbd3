/**
 * Decision 2: Holdfast starts in a cluster as the existing operators leave it. It writes to no pod, and goes on where they
 * stood. Judged by the API server's audit log.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { readAuditLog } from '../faults/audit-log.ts';
import { isHoldfast, judgeAuditLog } from '../faults/checker.ts';
import { conditionOf, type GameNamespace, restartsOf, uidsOf } from '../game-deployment/game-namespace.ts';
import { canary, gameDeployment } from '../game-deployment/manifests.ts';
import { GameScene } from '../game-deployment/scene.ts';
import { gameStatefulSet } from '../game-stateful-set/manifests.ts';
import { type Left, type LeftWorkload, leave, leaveInGrace, revisionsIn, withDefaults } from './left-behind.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const annotations = { 'example.com/team': 'arcade' };
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Paused for a person at step index 3, two of four pods updated. Their operator wrote `paused: true` itself. */
function pausedInMidCanary(): LeftWorkload {
  const { updateStrategy } = canary([
    { partition: 3 },
    { pause: {} },
    { partition: 2 },
    { pause: {} },
    { partition: 1 },
  ]);
  return {
    manifest: gameDeployment('arena', {
      ...{ replicas: 4, image: 'game:2', annotations },
      updateStrategy: { ...updateStrategy!, paused: true },
    }),
    images: ['game:1', 'game:2'],
    pods: [
      { id: '2bkcj', image: 'game:1' },
      { id: '7xqwn', image: 'game:2', isUpdatedInPlace: true },
      { id: 'hl9tz', image: 'game:1' },
      { id: 'zv4fm', image: 'game:2', isUpdatedInPlace: true },
    ],
    status: (revisions) => ({
      availableReplicas: 4,
      canary: { revision: revisions['game:1'] },
      currentStepIndex: 3,
      currentStepHash: '7c9d8b5f64',
      pauseConditions: [{ reason: 'PausedByCanaryPauseStep', startTime: '2026-01-01T00:00:00Z' }],
    }),
  };
}

/** Nothing is under way; its last update is in the history. */
const settled: LeftWorkload = {
  manifest: gameDeployment('lobby', { replicas: 3, image: 'game:2', annotations }),
  images: ['game:1', 'game:2'],
  pods: ['4sdkp', '9cjwb', 'rvt2x'].map((id) => ({ id, image: 'game:2' })),
  status: () => ({ availableReplicas: 3, currentStepHash: '65bb57b6b5', canary: {} }),
};

/** Held at partition 3 of 5. */
const heldByPartition: LeftWorkload = {
  manifest: {
    ...gameStatefulSet('shard', {
      ...{ replicas: 5, image: 'game:2', podManagementPolicy: 'Parallel' as const },
      updateStrategy: { type: 'InplaceUpdate', rollingUpdate: { partition: 3, maxUnavailable: 2 } },
    }),
  },
  images: ['game:1', 'game:2'],
  pods: [0, 1, 2, 3, 4].map((ordinal) => ({
    ...{ id: String(ordinal), image: ordinal < 3 ? 'game:1' : 'game:2', isUpdatedInPlace: ordinal >= 3 },
  })),
  status: (revisions) => ({ currentReplicas: 3, currentRevision: revisions['game:1'], currentStepHash: '65bb57b6b5' }),
  inMemory: withDefaults,
};

/** An update in place; the grace of its first pod has begun. */
const inGrace: LeftWorkload = {
  manifest: gameDeployment('match', {
    ...{ replicas: 3, image: 'game:2' },
    updateStrategy: {
      ...{ type: 'InplaceUpdate', maxUnavailable: 1 },
      inPlaceUpdateStrategy: { gracePeriodSeconds: 3_600 },
    },
  }),
  images: ['game:1', 'game:2'],
  pods: ['5fgtq', '8mzxn', 'c2wlk'].map((id) => ({ id, image: 'game:1' })),
  status: () => ({ availableReplicas: 2, canary: {} }),
};

let scene: GameScene;
const spaces: Record<'arena' | 'byMessage' | 'lobby' | 'shard' | 'match', GameNamespace> = {} as never;
const left: Record<keyof typeof spaces, Left> = {} as never;

beforeAll(async () => {
  scene = await GameScene.install();
  const all = {
    ...{ arena: pausedInMidCanary(), byMessage: pausedInMidCanary() },
    ...{ lobby: settled, shard: heldByPartition, match: inGrace },
  };
  for (const name of Object.keys(all) as (keyof typeof all)[]) {
    spaces[name] = await scene.namespace(name.toLowerCase());
    left[name] = await leave(spaces[name], all[name]);
  }
  await leaveInGrace(spaces.match, 'match-5fgtq', left.match.revisions['game:2']!, 'game:2');
  left.match.pods = await spaces.match.pods();
  await scene.startController();
});
afterAll(() => scene?.close());

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

test('a new image then rolls out as always, and back to the revision that they recorded', async () => {
  const { lobby: space } = spaces;
  await space.setImage('lobby', 'game:3');
  await space.untilPods({ 'game:3': 3 });
  await space.untilReady('lobby');
  const { outcome, steps } = await space.result('lobby');
  expect([outcome, steps.length]).toEqual(['Completed', 1]);
  const recorded = await revisionsIn(space);
  expect(recorded.map(({ revision }) => revision)).toEqual([1, 2, 3]);
  await space.setImage('lobby', 'game:2');
  const pods = await space.untilPods({ 'game:2': 3 });
  const { 'game:2': theirs } = left.lobby.revisions;
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

test('no write of ours broke a promise', async () => {
  const { violations } = await judgeAuditLog(scene.stack.auditLogPath);
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
