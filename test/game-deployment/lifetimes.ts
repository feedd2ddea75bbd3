/** Objects that go, and objects that come under the name of one that went. */
import { expect } from 'vitest';
import { livesOf, uidsOf } from './game-namespace.ts';
import { canary, gameDeployment, hookTemplate } from './manifests.ts';
import { pausedCanary } from './pauses.ts';
import type { Stories } from './scene.ts';

export const lifetimes: Stories = {
  'deleting the object in mid-canary ends its workflows and its pods (peers 77)': async (scene) => {
    const space = await scene.namespace('deleted');
    await pausedCanary(space);
    await space.kubectl('delete', 'gamedeployment', 'lobby');
    await space.eventually('its workflow ended', async () => !(await space.isOpen(space.workloadId('lobby'))));
    await space.eventually('its rollout ended', async () => !(await space.isOpen(space.rolloutId('lobby'))));
    expect((await space.result('lobby')).outcome).toBe('Superseded');
    await space.untilPods({});
  },

  'another object under the same name begins anew, and the canary of the one before is not continued': async (
    scene,
  ) => {
    const space = await scene.namespace('again');
    await pausedCanary(space);
    const before = uidsOf(await space.pods());
    await space.kubectl('delete', 'gamedeployment', 'lobby', '--wait=false');
    await space.eventually('the name is free', async () => {
      const left = await space.kubectl('get', 'gamedeployment', '-o', 'name');
      return left === '';
    });
    await space.apply(
      gameDeployment('lobby', { replicas: 2, image: 'game:7', ...canary([{ partition: 1 }, { pause: {} }]) }),
    );
    const pods = await space.untilPods({ 'game:7': 2 });
    expect(uidsOf(pods).filter((uid) => before.includes(uid))).toEqual([]);
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:8');
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    await space.untilPods({ 'game:7': 1, 'game:8': 1 });
    await space.signal(space.rolloutId('lobby'), 'resume');
    await space.untilPods({ 'game:8': 2 });
    await space.untilReady('lobby');
  },

  'an orphan delete leaves the pods in service, without a mark of ours': async (scene) => {
    const space = await scene.namespace('orphaned');
    const url = `${scene.target.origin}/${space.name}`;
    scene.target.answer(`/${space.name}`, () => ({ value: 99 }));
    await space.apply(hookTemplate('drained', url, { interval: '1s', failureLimit: 1_000, successfulLimit: 1 }));
    const preDeleteUpdateStrategy = { hook: { templateName: 'drained' } };
    await space.apply(gameDeployment('lobby', { replicas: 2, preDeleteUpdateStrategy }));
    await space.untilReady('lobby');
    const uids = uidsOf(await space.untilPods({ 'game:1': 2 }));
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=1');
    await space.until('one pod waits for its gate', 'lobby', ({ status }) => status?.waitingReplicas === 1);
    await space.kubectl('delete', 'gamedeployment', 'lobby', '--cascade=orphan');
    await space.eventually('its workflow ended', async () => !(await space.isOpen(space.workloadId('lobby'))));
    const pods = await space.untilPods({ 'game:1': 2 });
    expect(uidsOf(pods)).toEqual(uids);
    expect(pods.flatMap(({ metadata }) => metadata.annotations?.['holdfast.dev/move'] ?? [])).toEqual([]);
  },

  'orphaned pods are adopted by the object that comes after: the same pods, none restarted, none created': async (
    scene,
  ) => {
    const space = await scene.namespace('adopted');
    const container = { args: ['-c', 'play && rest <in >out'] };
    const manifest = gameDeployment('lobby', {
      container,
      replicas: 3,
      updateStrategy: { type: 'InplaceUpdate', maxUnavailable: 1 },
    });
    await space.apply(manifest);
    const before = await space.untilOwned('lobby', 3);
    const { status } = await space.untilReady('lobby');
    await space.untilEvent('SuccessfulCreate');
    await space.kubectl('delete', 'gamedeployment', 'lobby', '--cascade=orphan');
    await space.eventually('its workflow ended', async () => !(await space.isOpen(space.workloadId('lobby'))));
    expect((await space.pods()).flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);

    await space.apply(manifest);
    const adopted = await space.untilOwned('lobby', 3);
    expect(livesOf(adopted)).toEqual(livesOf(before));
    const again = await space.untilReady('lobby');
    expect(again.status).toMatchObject({ replicas: 3, readyReplicas: 3, updatedReplicas: 3 });
    expect(again.status?.updateRevision).toBe(status?.updateRevision);
    expect((await space.untilEvent('SuccessfulAdopt')).note).toMatch(/^Adopted 3 pods: /);
    expect(await space.events('SuccessfulCreate')).toHaveLength(1);

    await space.setImage('lobby', 'game:2');
    expect(uidsOf(await space.untilPods({ 'game:2': 3 }))).toEqual(uidsOf(before));
  },

  'orphaned pods whose revisions were deleted, too, are adopted, and none restarts': async (scene) => {
    const space = await scene.namespace('adoptlost');
    const manifest = gameDeployment('lobby', { replicas: 3, updateStrategy: { type: 'InplaceUpdate' } });
    await space.apply(manifest);
    await space.untilOwned('lobby', 3);
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:2');
    const before = await space.untilPods({ 'game:2': 3 });
    await space.untilReady('lobby');
    await space.kubectl('delete', 'gamedeployment', 'lobby', '--cascade=orphan');
    await space.eventually('its workflow ended', async () => !(await space.isOpen(space.workloadId('lobby'))));
    await space.kubectl('delete', 'controllerrevisions', '--all');

    await space.apply(
      gameDeployment('lobby', { ...{ replicas: 3, image: 'game:2' }, updateStrategy: { type: 'InplaceUpdate' } }),
    );
    const adopted = await space.untilOwned('lobby', 3);
    expect(livesOf(adopted)).toEqual(livesOf(before));
    const { status } = await space.untilReady('lobby');
    expect(new Set(adopted.map(({ metadata }) => metadata.labels?.['controller-revision-hash']))).toEqual(
      new Set([status?.updateRevision]),
    );
  },

  'orphaned pods under an object with another template are its stable revision, and are brought over by its steps':
    async (scene) => {
      const space = await scene.namespace('adoptold');
      await space.apply(gameDeployment('lobby', { replicas: 3 }));
      const before = uidsOf(await space.untilOwned('lobby', 3));
      await space.untilReady('lobby');
      await space.kubectl('delete', 'gamedeployment', 'lobby', '--cascade=orphan');
      const steps = canary([{ partition: 2 }, { pause: {} }]);
      await space.apply(gameDeployment('lobby', { replicas: 3, image: 'game:2', ...steps }));
      await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
      const pods = await space.untilPods({ 'game:1': 2, 'game:2': 1 });
      expect(uidsOf(pods)).toEqual(before);
      await space.untilOwned('lobby', 3);
    },

  'a pod whose label is taken off is let go and replaced; with its label back it is adopted, and one too many goes':
    async (scene) => {
      const space = await scene.namespace('letgo');
      await space.apply(gameDeployment('lobby', { replicas: 2 }));
      const before = await space.untilOwned('lobby', 2);
      await space.untilReady('lobby');
      const [pod] = before;
      const { name, uid } = pod!.metadata;
      await space.kubectl('label', 'pod', name, 'app=quarantine', '--overwrite');
      const after = await space.untilPods({ 'game:1': 3 });
      const quarantined = after.find(({ metadata }) => metadata.uid === uid);
      expect(quarantined?.metadata.ownerReferences).toBeUndefined();
      expect(await space.untilOwned('lobby', 2)).toHaveLength(2);
      const { status } = await space.untilReady('lobby');
      expect(status).toMatchObject({ replicas: 2, readyReplicas: 2 });

      await space.kubectl('label', 'pod', name, 'app=lobby', '--overwrite');
      await space.untilPods({ 'game:1': 2 });
      expect(await space.untilOwned('lobby', 2)).toHaveLength(2);
    },
};
