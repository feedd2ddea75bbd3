/** Pods that others take away, that fail, or whose node is silent. */
import { expect } from 'vitest';
import { resumeNode, stopNode } from '../../devstack/nodes.ts';
import { uidsOf } from './game-namespace.ts';
import { gameDeployment } from './manifests.ts';
import type { Stories } from './scene.ts';

/** Its pods are placed by name, so that no other story loses a pod when it goes silent. */
const LONELY_NODE = 'node-4';

export const healing: Stories = {
  'an evicted pod is replaced': async (scene) => {
    const space = await scene.namespace('evicted');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    const [pod] = await space.untilPods({ 'game:1': 2 });
    const name = pod?.metadata.name ?? '';
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: space.name } };
    const path = `/api/v1/namespaces/${space.name}/pods/${name}/eviction`;
    expect((await scene.stack.api('POST', path, eviction)).status).toBe(201);
    await space.eventually('it is gone', async () => !uidsOf(await space.pods()).includes(pod?.metadata.uid ?? ''));
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
  },

  'a failed pod is deleted and replaced': async (scene) => {
    const space = await scene.namespace('failed');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    const [pod] = await space.untilPods({ 'game:1': 2 });
    await space.kubectl('annotate', 'pod', pod?.metadata.name ?? '', 'holdfast.dev/kwok-fail=true');
    await space.eventually('it is deleted', async () => !uidsOf(await space.pods()).includes(pod?.metadata.uid ?? ''));
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
    await space.untilEvent('RecreatingFailedPod');
  },

  'pods that always fail are replaced ever more slowly, and a good template ends it': async (scene) => {
    const space = await scene.namespace('back-off');
    const podAnnotations = { 'holdfast.dev/kwok-fail': 'true' };
    await space.apply(gameDeployment('lobby', { replicas: 1, podAnnotations }));
    const seen = new Map<string, number>();
    await space.eventually('three pods came', async () => {
      for (const { metadata } of await space.pods())
        seen.set(metadata.uid ?? '', Date.parse(metadata.creationTimestamp ?? ''));
      return seen.size >= 3;
    });
    const [first = 0, , third = 0] = [...seen.values()];
    expect(third - first).toBeGreaterThanOrEqual(9_000);
    await space.apply(gameDeployment('lobby', { replicas: 1, podAnnotations: { 'holdfast.dev/kwok-fail': 'false' } }));
    await space.untilReady('lobby');
  },

  'pods on a node that is not Ready count as unavailable and are not touched': async (scene) => {
    const space = await scene.namespace('node');
    const { api } = scene.stack;
    await scene.kubectl(['cordon', LONELY_NODE]);
    const lobby = gameDeployment('lobby', { replicas: 2 }) as { spec: { template: { spec: { nodeName?: string } } } };
    lobby.spec.template.spec.nodeName = LONELY_NODE;
    await space.apply(lobby);
    const before = uidsOf(await space.untilPods({ 'game:1': 2 }));
    await space.untilReady('lobby');
    await stopNode(api, LONELY_NODE);
    const { status } = await space.until(
      'it is not Ready',
      'lobby',
      (workload) => workload.status?.readyReplicas === 0,
    );
    expect(status).toMatchObject({ replicas: 2, availableReplicas: 0 });
    await space.setImage('lobby', 'game:2');
    const message = await space.untilReason('lobby', 'Ready', 'PodsNotReady');
    expect(message).toContain(`its node ${LONELY_NODE} is not Ready`);
    expect(uidsOf(await space.pods())).toEqual(before);
    await resumeNode(api, LONELY_NODE);
    await space.untilPods({ 'game:2': 2 });
    await space.untilReady('lobby');
  },

  'the annotation holdfast.dev/suspend freezes healing too': async (scene) => {
    const space = await scene.namespace('suspend');
    await space.apply(gameDeployment('lobby', { replicas: 2, annotations: { 'holdfast.dev/suspend': 'false' } }));
    const [pod] = await space.untilPods({ 'game:1': 2 });
    await space.kubectl('annotate', 'gamedeployment', 'lobby', '--overwrite', 'holdfast.dev/suspend=true');
    await space.untilReason('lobby', 'Ready', 'Suspended');
    await space.kubectl('delete', 'pod', pod?.metadata.name ?? '');
    await space.until('the status counts one pod', 'lobby', ({ status }) => status?.replicas === 1);
    expect(await space.pods()).toHaveLength(1);
    await space.kubectl('annotate', 'gamedeployment', 'lobby', 'holdfast.dev/suspend-');
    await space.untilPods({ 'game:1': 2 });
  },
};
