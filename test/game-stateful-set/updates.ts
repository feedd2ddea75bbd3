/** Updates by place: from the highest ordinal down, in place, by steps, and out of a dead end. */
import { expect } from 'vitest';
import { conditionOf, restartsOf, uidsOf } from '../game-deployment/game-namespace.ts';
import { hookTemplate } from '../game-deployment/manifests.ts';
import type { Stories } from '../game-deployment/scene.ts';
import { gameStatefulSet, volumes, withData } from './manifests.ts';
import { claimsIn, placesOf } from './ordinals.ts';

const createdAtMs = (pod: { metadata: { creationTimestamp?: string } } | undefined): number =>
  Date.parse(pod?.metadata.creationTimestamp ?? '');

export const updates: Stories = {
  'RollingUpdate begins at the highest ordinal and stops at the partition; a lower one lets it end': async (scene) => {
    const space = await scene.namespace('set-partition');
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2, maxUnavailable: 1 } } as const;
    await space.apply(gameStatefulSet('lobby', { updateStrategy }));
    await space.untilPods({ 'game:1': 3 });
    await space.sets.untilReady('lobby');
    await space.sets.setImage('lobby', 'game:2');
    const message = await space.sets.untilReason('lobby', 'Ready', 'PartitionReached');
    expect(message).toContain('spec.updateStrategy.rollingUpdate.partition');
    expect(placesOf(await space.untilPods({ 'game:1': 2, 'game:2': 1 }))).toEqual([
      ...['lobby-0 game:1', 'lobby-1 game:1', 'lobby-2 game:2'],
    ]);
    expect((await space.sets.workload('lobby')).status).toMatchObject({
      ...{ replicas: 3, readyReplicas: 3, currentReplicas: 2, updatedReplicas: 1 },
    });
    await space.sets.patch('lobby', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    const [first, second] = await space.untilPods({ 'game:2': 3 });
    expect(createdAtMs(first)).toBeGreaterThanOrEqual(createdAtMs(second));
    expect(await space.sets.result('lobby')).toMatchObject({ outcome: 'Completed' });
    const { status } = await space.sets.untilReady('lobby');
    expect(status).toMatchObject({ currentReplicas: 3, updatedReplicas: 3 });
  },

  'InplaceUpdate keeps pods and claims': async (scene) => {
    const space = await scene.namespace('set-in-place');
    const updateStrategy = { type: 'InplaceUpdate' } as const;
    await space.apply(...volumes(space, 3), gameStatefulSet('lobby', { updateStrategy, ...withData(space) }));
    const before = await space.untilPods({ 'game:1': 3 });
    const claims = await claimsIn(space);
    await space.sets.untilReady('lobby');
    await space.sets.setImage('lobby', 'game:2');
    await space.untilPods({ 'game:2': 3 });
    // A pod that has its new image may be shown ready until its kubelet sees it.
    await space.sets.untilReady('lobby');
    const after = await space.pods();
    expect(uidsOf(after)).toEqual(uidsOf(before));
    expect(after.map(restartsOf)).toEqual([1, 1, 1]);
    expect(await claimsIn(space)).toEqual(claims);
  },

  'canary steps: a pause that the CLI shows and ends': async (scene) => {
    const space = await scene.namespace('set-canary');
    const steps = [{ partition: 2 }, { pause: {} }, { partition: 1 }, { pause: { duration: 1 } }];
    const updateStrategy = { type: 'InplaceUpdate' as const, canary: { steps } };
    await space.apply(gameStatefulSet('lobby', { updateStrategy, podManagementPolicy: 'Parallel' }));
    await space.untilPods({ 'game:1': 3 });
    await space.sets.untilReady('lobby');
    await space.sets.setImage('lobby', 'game:2');
    const message = await space.sets.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    expect(message).toContain(`holdfast resume gamestatefulset/lobby -n ${space.name}`);
    expect(placesOf(await space.untilPods({ 'game:1': 2, 'game:2': 1 })).at(-1)).toBe('lobby-2 game:2');
    const page = await scene.holdfast(['get', 'gsts/lobby', '-n', space.name]);
    expect(page.stdout).toMatch(/^GameStatefulSet \S+\/lobby: 3 of 3 ready, 1 updated/);
    expect(page.stdout).toMatch(/▶\s+1\s+.*paused/);
    const table = await scene.holdfast(['get', 'gamestatefulsets', '-n', space.name]);
    expect(table.stdout).toMatch(/lobby\s+3\s+1\s+3\s+3\s+Paused at step 1 of 4/);
    const wrongKind = await scene.holdfast(['resume', 'gamedeployment/lobby', '-n', space.name]);
    expect(wrongKind).toMatchObject({ code: 1, stderr: expect.stringContaining('No rollout of gamedeployment/lobby') });
    const resumed = await scene.holdfast(['resume', 'gsts/lobby', '-n', space.name, '--step', '1', '--by', 'ana']);
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('Resumed step 1') });
    await space.untilPods({ 'game:2': 3 });
    const result = await space.sets.result('lobby');
    expect(result.steps).toContainEqual(expect.objectContaining({ step: 1, outcome: 'resumed', by: 'ana' }));
    expect(result.outcome).toBe('Completed');
  },

  'a broken image stops at the first pod, and the next good template goes on by itself (kubernetes 67250)': async (
    scene,
  ) => {
    const space = await scene.namespace('set-stuck');
    await space.apply(gameStatefulSet('lobby'));
    await space.untilPods({ 'game:1': 3 });
    await space.sets.untilReady('lobby');
    await space.sets.setImage('lobby', 'game:404');
    await space.eventually('the reason is in the Ready condition', async () =>
      /lobby-2.*(ImagePullBackOff|ErrImagePull)/.test(
        conditionOf(await space.sets.workload('lobby'), 'Ready')?.message ?? '',
      ),
    );
    expect(placesOf(await space.pods())).toEqual(['lobby-0 game:1', 'lobby-1 game:1', 'lobby-2 game:404']);
    await space.sets.setImage('lobby', 'game:2');
    expect(placesOf(await space.untilPods({ 'game:2': 3 }))).toEqual([
      ...['lobby-0 game:2', 'lobby-1 game:2', 'lobby-2 game:2'],
    ]);
    await space.sets.untilReady('lobby');
  },

  'paused holds an update, not scaling; then a surge pays for it, whose ordinals go again': async (scene) => {
    const space = await scene.namespace('paused-surge');
    const rollingUpdate = { maxSurge: 2, maxUnavailable: 0 };
    const updateStrategy = { type: 'RollingUpdate', paused: true, rollingUpdate } as const;
    await space.apply(gameStatefulSet('lobby', { podManagementPolicy: 'Parallel', updateStrategy }));
    await space.untilPods({ 'game:1': 3 });
    await space.sets.setImage('lobby', 'game:2');
    await space.sets.untilReason('lobby', 'Paused', 'PausedByUser');
    await space.kubectl('scale', 'gamestatefulset/lobby', '--replicas=4');
    expect(placesOf(await space.untilPods({ 'game:1': 4 }))).toEqual([0, 1, 2, 3].map((at) => `lobby-${at} game:1`));
    await space.sets.patch('lobby', { spec: { updateStrategy: { paused: false } } });
    await space.eventually('an ordinal of the surge is there', async () =>
      (await space.pods()).some(({ metadata }) => metadata.name === 'lobby-4'),
    );
    const wanted = [0, 1, 2, 3].map((at) => `lobby-${at} game:2`);
    await space.eventually('its ordinals are gone', async () => placesOf(await space.pods()).join() === wanted.join());
    await space.sets.untilReady('lobby');
  },

  'HotPatchUpdate: images are written pod by pod, in order, and each counts when its kubelet shows the new one': async (
    scene,
  ) => {
    const space = await scene.namespace('hot-patch-set');
    await space.apply(gameStatefulSet('lobby', { updateStrategy: { type: 'HotPatchUpdate' } }));
    const before = await space.untilPods({ 'game:1': 3 });
    await space.sets.untilReady('lobby');
    await space.sets.setImage('lobby', 'game:2');
    const after = await space.untilPods({ 'game:2': 3 });
    expect(uidsOf(after)).toEqual(uidsOf(before));
    for (const { metadata } of after) expect(metadata.annotations?.['io.kubernetes.hotpatch.container']).toBe('true');
    await space.sets.untilReady('lobby');
    await space.eventually(
      'its events are there',
      async () => (await space.events('SuccessfulUpdatePodHotPatch')).length > 0,
    );
  },

  'OnDelete: a pod comes back at the new revision when somebody deletes it': async (scene) => {
    const space = await scene.namespace('set-on-delete');
    await space.apply(gameStatefulSet('lobby', { updateStrategy: { type: 'OnDelete' } }));
    await space.untilPods({ 'game:1': 3 });
    await space.sets.untilReady('lobby');
    await space.sets.setImage('lobby', 'game:2');
    await space.sets.untilReason('lobby', 'Ready', 'WaitsForDeletion');
    await space.kubectl('delete', 'pod', 'lobby-1', '--wait=false');
    expect(placesOf(await space.untilPods({ 'game:1': 2, 'game:2': 1 }))[1]).toBe('lobby-1 game:2');
    await space.kubectl('delete', 'pod', 'lobby-0', 'lobby-2', '--wait=false');
    await space.untilPods({ 'game:2': 3 });
    await space.sets.untilReady('lobby');
    expect(await space.sets.result('lobby')).toMatchObject({ outcome: 'Completed' });
  },

  'hooks: a canary step asks once, the gate once for each pod before it goes': async (scene) => {
    const space = await scene.namespace('set-hooks');
    scene.target.answer(`/${space.name}`, () => ({ value: 10 }));
    const hook = { templateName: 'drained' };
    const steps = [{ partition: 1 }, { hook }];
    await space.apply(
      hookTemplate('drained', `${scene.target.origin}/${space.name}`),
      gameStatefulSet('lobby', {
        replicas: 2,
        preDeleteUpdateStrategy: { hook },
        updateStrategy: { type: 'RollingUpdate', canary: { steps } },
      }),
    );
    await space.untilPods({ 'game:1': 2 });
    await space.sets.untilReady('lobby');
    await space.sets.setImage('lobby', 'game:2');
    await space.untilPods({ 'game:2': 2 });
    expect((await space.sets.result('lobby')).outcome).toBe('Completed');
    const runs = await space.hookRuns();
    // Those of the pods are gone with them: that each had its own success is judged by the audit log.
    expect(runs.map(({ metadata, status }) => [metadata.labels?.['hookrun-type'], status?.phase])).toEqual([
      ['canary-step', 'Successful'],
    ]);
    expect(runs[0]?.metadata.ownerReferences?.[0]?.kind).toBe('GameStatefulSet');
    expect(scene.target.asked(`/${space.name}`)).toBeGreaterThanOrEqual(3);
  },
};
