import { Registry } from 'prom-client';
import { beforeEach, expect, test } from 'vitest';
import type { Stores } from '../activities/ports.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { pods } from '../kubernetes/resource-types.ts';
import { ObjectStore } from '../kubernetes/store.ts';
import { withPodWriteTimer } from './pod-write-timer.ts';
import { createPodWriteTimer, exposeReplicas } from './workload-metrics.ts';

const pod = {
  metadata: {
    ...{ namespace: 'games', name: 'lobby-a', uid: 'p1', resourceVersion: '5' },
    ownerReferences: [
      { apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'GameDeployment', name: 'lobby', uid: 'g1', controller: true },
    ],
  },
  spec: {},
} as unknown as Pod;
const lobby = {
  kind: 'GameDeployment',
  metadata: { namespace: 'games', name: 'lobby', uid: 'g1', resourceVersion: '4' },
  spec: { preDeleteUpdateStrategy: { hook: { templateName: 'drain' } } },
  status: { replicas: 3, readyReplicas: 2 },
};

let registry: Registry;
let stores: Record<'gameDeployments' | 'gameStatefulSets' | 'pods', ObjectStore<never>>;
let client: KubernetesClient;
let fails: boolean;

beforeEach(() => {
  registry = new Registry();
  fails = false;
  stores = { gameDeployments: new ObjectStore(), gameStatefulSets: new ObjectStore(), pods: new ObjectStore() };
  stores.gameDeployments.apply('ADDED', structuredClone(lobby) as never);
  stores.pods.apply('ADDED', structuredClone(pod) as never);
  const answer = async () => {
    if (fails) throw new Error('no');
    return pod;
  };
  const timer = createPodWriteTimer(registry);
  timer.follow(stores as unknown as Stores);
  exposeReplicas(registry, stores as unknown as Stores);
  client = withPodWriteTimer({ create: answer, patch: answer, delete: answer } as unknown as KubernetesClient, timer);
});

const counts = async (): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => /_count\{/.test(line) && !line.endsWith(' 0'));

test('replicas are those of the status, and go with the object', async () => {
  expect(await registry.metrics()).toContain('bkbcs_gamedeployment_ready_replicas{namespace="games",gd="lobby"} 2');
  stores.gameDeployments.apply('DELETED', { ...lobby, metadata: { ...lobby.metadata, resourceVersion: '6' } } as never);
  expect(await registry.metrics()).not.toContain('gd="lobby"');
});

test('a create is timed under its workload', async () => {
  await client.create(pods, pod);
  expect(await counts()).toEqual([
    'bkbcs_gamedeployment_pod_create_duration_seconds_count{namespace="games",gd="lobby",status="success"} 1',
  ]);
});

test('a failed delete counts as a failure; grace says that a hook is configured', async () => {
  fails = true;
  await expect(client.delete(pods, pod.metadata)).rejects.toThrow('no');
  expect(await counts()).toEqual([
    'bkbcs_gamedeployment_pod_delete_duration_seconds_count{namespace="games",gd="lobby",status="failure",grace="true",action="deletePod"} 1',
  ]);
});

test('of patches only the one of the spec is an update', async () => {
  await client.patch(pods, pod.metadata, { kind: 'merge', body: { metadata: { annotations: {} } } });
  await client.patch(pods, pod.metadata, { kind: 'merge', body: { spec: {} } }, { subresource: 'status' });
  expect(await counts()).toEqual([]);
  await client.patch(pods, pod.metadata, { kind: 'strategic', body: { spec: {} } });
  expect(await counts()).toHaveLength(1);
});

test('a dry run is not counted, and neither is a pod of somebody else', async () => {
  await client.create(pods, pod, { dryRun: true });
  await client.create(pods, { ...pod, metadata: { name: 'stray' } } as Pod);
  expect(await counts()).toEqual([]);
});

test('the series of a deleted workload are removed', async () => {
  await client.create(pods, pod);
  stores.gameDeployments.apply('DELETED', { ...lobby, metadata: { ...lobby.metadata, resourceVersion: '6' } } as never);
  expect(await counts()).toEqual([]);
});

test('a GameStatefulSet has a family of its own, with its current replicas, also under the name of a GameDeployment', async () => {
  const set = { ...lobby, kind: 'GameStatefulSet', status: { ...lobby.status, currentReplicas: 1 } };
  stores.gameStatefulSets.apply('ADDED', set as never);
  const [owner] = pod.metadata.ownerReferences ?? [];
  const ownerReferences = [{ ...owner!, kind: 'GameStatefulSet' }];
  await client.create(pods, { ...pod, metadata: { ...pod.metadata, name: 'lobby-0', ownerReferences } });
  const text = await registry.metrics();
  expect(text).toContain('bkbcs_gamestatefulset_current_replicas{namespace="games",name="lobby"} 1');
  expect(text).toContain('bkbcs_gamestatefulset_ready_replicas{namespace="games",name="lobby"} 2');
  expect(await counts()).toEqual([
    'bkbcs_gamestatefulset_pod_create_duration_seconds_count{namespace="games",name="lobby",status="success"} 1',
  ]);
});
