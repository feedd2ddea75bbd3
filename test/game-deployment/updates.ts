/** Updates without canary steps: by recreation, in place, under budgets and a partition. */
import { expect } from 'vitest';
import { HOT_PATCH_ANNOTATION, REVISION_LABEL } from '../../core/keys.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { conditionOf, imageOf, restartsOf, uidsOf } from './game-namespace.ts';
import { gameDeployment, withContainers } from './manifests.ts';
import type { Stories } from './scene.ts';

const createdAtMs = ({ metadata }: Pod) => Date.parse(metadata.creationTimestamp ?? '');
const readyAtMs = ({ status }: Pod) =>
  Date.parse(status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? '');

export const updates: Stories = {
  'RollingUpdate with maxSurge replaces every pod and never goes below replicas': async (scene) => {
    const space = await scene.namespace('surge');
    const updateStrategy = { type: 'RollingUpdate' as const, maxUnavailable: 0, maxSurge: 1 };
    await space.apply(gameDeployment('lobby', { replicas: 3, updateStrategy }));
    const before = uidsOf(await space.untilPods({ 'game:1': 3 }));
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:2');
    const fewest = { ready: 3 };
    await space.until('all pods are replaced', 'lobby', ({ status }) => {
      fewest.ready = Math.min(fewest.ready, status?.readyReplicas ?? 0);
      return status?.updatedReadyReplicas === 3 && status.replicas === 3;
    });
    expect(fewest.ready).toBe(3);
    const after = uidsOf(await space.untilPods({ 'game:2': 3 }));
    expect(after.filter((uid) => before.includes(uid))).toEqual([]);
    await space.untilReady('lobby');
  },

  'another template and more replicas in one edit: what is missing is made at the new one (peers 83)': async (
    scene,
  ) => {
    const space = await scene.namespace('one-edit');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    const before = uidsOf(await space.untilPods({ 'game:1': 2 }));
    await space.untilReady('lobby');
    const columns = 'custom-columns=UID:.metadata.uid,IMAGE:.spec.containers[0].image';
    const watching = scene.follow(['-n', space.name, 'get', 'pods', '-w', '--no-headers', '-o', columns]);
    await space.patch('lobby', {
      spec: { replicas: 6, template: { spec: { containers: [{ name: 'game', image: 'game:2' }] } } },
    });
    await space.untilPods({ 'game:2': 6 });
    await space.untilReady('lobby');
    watching.end();
    const old = new Set(watching.lines.filter((line) => line.includes('game:1')).map((line) => line.split(' ')[0]!));
    expect([...old].filter((uid) => !before.includes(uid))).toEqual([]);
  },

  'a partition of the spec holds the rollout open, and a lower one lets it end': async (scene) => {
    const space = await scene.namespace('partition');
    const strategy = { type: 'InplaceUpdate' as const, maxUnavailable: 2 };
    await space.apply(gameDeployment('lobby', { updateStrategy: { ...strategy, partition: 3 } }));
    await space.untilPods({ 'game:1': 5 });
    await space.setImage('lobby', 'game:2');
    const message = await space.untilReason('lobby', 'Ready', 'PartitionReached');
    expect(message).toContain('spec.updateStrategy.partition');
    await space.untilPods({ 'game:1': 3, 'game:2': 2 });
    expect(await space.isOpen(space.rolloutId('lobby'))).toBe(true);
    await space.patch('lobby', { spec: { updateStrategy: { partition: 0 } } });
    await space.untilPods({ 'game:2': 5 });
    expect(await space.result('lobby')).toMatchObject({ outcome: 'Completed' });
    await space.untilReady('lobby');
  },

  'paused by the user: no pod is updated, scaling and healing go on, until paused is false': async (scene) => {
    const space = await scene.namespace('paused');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    await space.untilPods({ 'game:1': 2 });
    await space.patch('lobby', { spec: { updateStrategy: { paused: true } } });
    await space.setImage('lobby', 'game:2');
    await space.untilReason('lobby', 'Paused', 'PausedByUser');
    await space.untilReason('lobby', 'Ready', 'PausedByUser');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
    const [pod] = await space.untilPods({ 'game:1': 3 });
    await space.kubectl('delete', 'pod', pod?.metadata.name ?? '', '--wait=false');
    await space.eventually('the pod is replaced', async () =>
      (await space.pods()).every(({ metadata }) => metadata.uid !== pod?.metadata.uid),
    );
    await space.untilPods({ 'game:1': 3 });
    await space.patch('lobby', { spec: { updateStrategy: { paused: false } } });
    await space.untilPods({ 'game:2': 3 });
    await space.untilReady('lobby');
    expect(conditionOf(await space.workload('lobby'), 'Paused')).toMatchObject({ status: 'False' });
  },

  'minReadySeconds: the next pod goes only when the one before has been ready for so long': async (scene) => {
    const space = await scene.namespace('min-ready');
    const updateStrategy = { type: 'RollingUpdate' as const, maxUnavailable: 1 };
    await space.apply(gameDeployment('lobby', { replicas: 2, minReadySeconds: 4, updateStrategy }));
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:2');
    const pods = await space.untilPods({ 'game:2': 2 });
    const [first, second] = pods.sort((a, b) => createdAtMs(a) - createdAtMs(b));
    expect(createdAtMs(second!) - readyAtMs(first!)).toBeGreaterThanOrEqual(4_000);
    const waiting = await space.workload('lobby');
    if ((waiting.status?.availableReplicas ?? 0) < 2) expect(conditionOf(waiting, 'Ready')?.status).toBe('False');
    await space.untilReady('lobby');
  },

  'a change that is not possible in place recreates the pods and says so': async (scene) => {
    const space = await scene.namespace('not-in-place');
    const updateStrategy = { type: 'InplaceUpdate' as const, maxUnavailable: 1 };
    const container = { env: [{ name: 'MAP', value: 'desert' }] };
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy }));
    const before = uidsOf(await space.untilPods({ 'game:1': 2 }));
    await space.untilReady('lobby');
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy, container }));
    await space.eventually('both pods are recreated', async () =>
      uidsOf(await space.pods()).every((uid) => !before.includes(uid)),
    );
    await space.untilReady('lobby');
    const { note } = await space.untilEvent('InPlaceNotPossible');
    expect(note).toMatch(/cannot be updated in place because .*env.* differs; the pod is recreated/);
  },

  'template metadata alone is patched without a restart': async (scene) => {
    const space = await scene.namespace('metadata');
    const updateStrategy = { type: 'InplaceUpdate' as const, maxUnavailable: 1 };
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy }));
    const before = await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
    const podAnnotations = { 'example.com/motd': 'welcome' };
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy, podAnnotations }));
    const { status } = await space.until(
      'the revision moved',
      'lobby',
      (workload) =>
        workload.status?.updateRevision !== before[0]?.metadata.labels?.[REVISION_LABEL] &&
        workload.status?.updatedReadyReplicas === 2,
    );
    const after = await space.pods();
    expect(uidsOf(after)).toEqual(uidsOf(before));
    expect(after.map(restartsOf)).toEqual([0, 0]);
    for (const { metadata } of after) {
      expect(metadata.annotations).toMatchObject(podAnnotations);
      expect(metadata.labels?.[REVISION_LABEL]).toBe(status?.updateRevision);
    }
  },

  'a broken image stops itself within the budget, and a good one recovers': async (scene) => {
    const space = await scene.namespace('broken-image');
    const updateStrategy = { type: 'InplaceUpdate' as const, maxUnavailable: 1 };
    await space.apply(gameDeployment('lobby', { replicas: 3, updateStrategy }));
    await space.untilPods({ 'game:1': 3 });
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:404');
    await space.eventually('the reason is in the Ready condition', async () =>
      /ImagePullBackOff|ErrImagePull/.test(conditionOf(await space.workload('lobby'), 'Ready')?.message ?? ''),
    );
    expect((await space.pods()).map(imageOf).sort()).toEqual(['game:1', 'game:1', 'game:404']);
    await space.setImage('lobby', 'game:2');
    await space.untilPods({ 'game:2': 3 });
    await space.untilReady('lobby');
  },

  'kubectl.kubernetes.io/restartedAt in the template recreates pods, also where updates are in place': async (
    scene,
  ) => {
    const space = await scene.namespace('restarted');
    const updateStrategy = { type: 'InplaceUpdate' as const, maxUnavailable: 1 };
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy }));
    const before = uidsOf(await space.untilPods({ 'game:1': 2 }));
    await space.untilReady('lobby');
    const podAnnotations = { 'kubectl.kubernetes.io/restartedAt': '2026-11-30T12:00:00Z' };
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy, podAnnotations }));
    await space.eventually('both pods are recreated', async () =>
      uidsOf(await space.pods()).every((uid) => !before.includes(uid)),
    );
    await space.untilReady('lobby');
  },

  'HotPatchUpdate: images are written, one pod at a time, and each counts when its kubelet shows the new one': async (
    scene,
  ) => {
    const space = await scene.namespace('hot-patch');
    const updateStrategy = { type: 'HotPatchUpdate' as const, maxUnavailable: 1 };
    await space.apply(gameDeployment('lobby', { replicas: 3, updateStrategy }));
    const before = uidsOf(await space.untilPods({ 'game:1': 3 }));
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:2');
    const pods = await space.untilPods({ 'game:2': 3 });
    expect(uidsOf(pods)).toEqual(before);
    for (const { metadata } of pods) expect(metadata.annotations?.[HOT_PATCH_ANNOTATION]).toBe('true');
    expect(await space.result('lobby')).toMatchObject({ outcome: 'Completed' });
    await space.untilReady('lobby');
    await space.eventually('it is told', async () => (await space.events('SuccessfulUpdatePodHotPatch')).length > 0);
  },

  'HotPatchUpdate to an image that never comes stops within the budget, and a good one recovers': async (scene) => {
    const space = await scene.namespace('hot-patch-404');
    const updateStrategy = { type: 'HotPatchUpdate' as const, maxUnavailable: 1 };
    await space.apply(gameDeployment('lobby', { replicas: 3, updateStrategy }));
    await space.untilPods({ 'game:1': 3 });
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:404');
    await space.eventually('the reason is in the Ready condition', async () =>
      /ImagePull/.test(conditionOf(await space.workload('lobby'), 'Ready')?.message ?? ''),
    );
    expect((await space.pods()).map(imageOf).sort()).toEqual(['game:1', 'game:1', 'game:404']);
    await space.setImage('lobby', 'game:2');
    await space.untilPods({ 'game:2': 3 });
    await space.untilReady('lobby');
  },

  'containers of a pod change one after the other with policy OrderedReady': async (scene) => {
    const space = await scene.namespace('ordered');
    const inPlaceUpdateStrategy = { policy: 'OrderedReady' as const };
    const updateStrategy = { type: 'InplaceUpdate' as const, maxUnavailable: 1, inPlaceUpdateStrategy };
    const twofold = (version: number) => {
      const containers = ['game', 'side'].map((name) => ({ name, image: `${name}:${version}` }));
      return withContainers(gameDeployment('lobby', { replicas: 2, updateStrategy }), containers);
    };
    await space.apply(twofold(1));
    const before = uidsOf(await space.untilPods({ 'game:1': 2 }));
    await space.untilReady('lobby');
    await space.apply(twofold(2));
    await space.untilReady('lobby');
    const pods = await space.untilPods({ 'game:2': 2 });
    expect(uidsOf(pods)).toEqual(before);
    for (const { spec } of pods) expect(spec.containers.map(({ image }) => image)).toEqual(['game:2', 'side:2']);
  },

  'progressDeadlineSeconds is said when it has passed, and the rollout goes on trying (peers 3)': async (scene) => {
    const space = await scene.namespace('deadline');
    const updateStrategy = { type: 'InplaceUpdate' as const, maxUnavailable: 1 };
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy, progressDeadlineSeconds: 3 }));
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:404');
    const message = await space.untilReason('lobby', 'Progressing', 'ProgressDeadlineExceeded');
    expect(message).toContain('progressDeadlineSeconds 3');
    await space.untilEvent('ProgressDeadlineExceeded');
    await space.setImage('lobby', 'game:2');
    await space.untilPods({ 'game:2': 2 });
    await space.untilReady('lobby');
  },
};
