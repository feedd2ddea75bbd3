import { Registry } from 'prom-client';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Stores } from '../activities/ports.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { pods } from '../kubernetes/resource-types.ts';
import { ObjectStore } from '../kubernetes/store.ts';
import { createPodWriteMetrics } from './pod-write-metrics.ts';
import { createLookMetrics, exposeDeadlines, exposeReplicas, exposeVersion, exposeWaits } from './workload-metrics.ts';
import { withWriteTimer } from './write-timer.ts';

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
  const writes = createPodWriteMetrics(registry);
  writes.follow(stores as unknown as Stores);
  exposeReplicas(registry, stores as unknown as Stores);
  client = withWriteTimer({ create: answer, patch: answer, delete: answer } as unknown as KubernetesClient, [
    writes.hear,
  ]);
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

describe('what a delete of a pod of a GameStatefulSet is for', () => {
  const podOf = (name: string, phase = 'Running') => ({
    ...pod,
    metadata: {
      ...{ ...pod.metadata, name, uid: name },
      ownerReferences: pod.metadata.ownerReferences!.map((owner) => ({ ...owner, kind: 'GameStatefulSet' })),
    },
    status: { phase },
  });

  beforeEach(() => {
    const set = { ...lobby, kind: 'GameStatefulSet', spec: { replicas: 2, reserveOrders: [1] } };
    stores.gameStatefulSets.apply('ADDED', set as never);
    for (const each of [podOf('lobby-0'), podOf('lobby-1'), podOf('lobby-2', 'Failed')])
      stores.pods.apply('ADDED', each as never);
  });

  test.each([
    ['lobby-0', {}, 'rollingUpdate'],
    ['lobby-1', {}, 'deletePod'],
    ['lobby-2', {}, 'recreatingFailedPod'],
    ['lobby-0', { gracePeriodSeconds: 0 }, 'forceDeletePod'],
  ])('%s %j: %s', async (name, options, action) => {
    await client.delete(pods, { namespace: 'games', name }, options);
    expect(await counts()).toEqual([expect.stringContaining(`grace="false",action="${action}"`)]);
  });
});

test('an update in place waits for the hook before a delete where it has none of its own; a hot patch for none', async () => {
  const patch = { kind: 'strategic' as const, body: { spec: {} } };
  await client.patch(pods, pod.metadata, patch);
  const spec = { ...lobby.spec, updateStrategy: { type: 'HotPatchUpdate' } };
  const metadata = { ...lobby.metadata, resourceVersion: '6' };
  stores.gameDeployments.apply('MODIFIED', { ...lobby, metadata, spec } as never);
  await client.patch(pods, pod.metadata, patch);
  expect((await counts()).map((line) => /grace.*(?=})/.exec(line)?.[0])).toEqual([
    'grace="true",action="inplaceUpdate"',
    'grace="false",action="hotPatchUpdate"',
  ]);
});

test('the longest and the shortest are shown, and go with the object', async () => {
  await client.create(pods, pod);
  const shown = async () => (await registry.metrics()).match(/pod_create_duration_seconds_(max|min)\{.*/g)?.length ?? 0;
  expect(await shown()).toBe(2);
  stores.gameDeployments.apply('DELETED', { ...lobby, metadata: { ...lobby.metadata, resourceVersion: '6' } } as never);
  expect(await shown()).toBe(0);
});

test('a look of the planner is timed under its workload, a failed one as a failure', async () => {
  const looks = createLookMetrics(registry);
  looks.follow(stores as unknown as Stores);
  const key = { kind: 'GameDeployment', namespace: 'games', name: 'lobby' } as const;
  looks.planMade(key, 5, true);
  looks.planMade(key, 5, false);
  expect(await counts()).toEqual(
    ['success', 'failure'].map(
      (status) =>
        `bkbcs_gamedeployment_reconcile_duration_seconds_count{namespace="games",gd="lobby",status="${status}"} 1`,
    ),
  );
  stores.gameDeployments.apply('DELETED', { ...lobby, metadata: { ...lobby.metadata, resourceVersion: '6' } } as never);
  expect(await counts()).toEqual([]);
  looks.planMade(key, 5, true);
  expect(await counts(), 'a look that ends after the delete').toEqual([]);
});

describe('what a workload waits for', () => {
  const waits = async (ready: object) => {
    const metadata = { ...lobby.metadata, resourceVersion: '6' };
    const status = { conditions: [{ type: 'Ready', lastTransitionTime: '2026-01-01T00:00:00Z', ...ready }] };
    stores.gameDeployments.apply('MODIFIED', { ...lobby, metadata, status } as never);
    exposeWaits(registry, stores as unknown as Stores, () => Date.UTC(2026, 0, 1, 0, 1));
    return (await registry.metrics()).match(/holdfast_workload_waiting_seconds\{.*/g) ?? [];
  };
  const labels = 'kind="GameDeployment",namespace="games",name="lobby"';

  test.each([
    [
      { status: 'False', reason: 'GateFailed' },
      [`holdfast_workload_waiting_seconds{${labels},reason="GateFailed"} 60`],
    ],
    [
      { status: 'False', reason: 'SomethingOfTheirs' },
      [`holdfast_workload_waiting_seconds{${labels},reason="Other"} 60`],
    ],
    [{ status: 'True', reason: 'AllPodsAvailable' }, []],
  ])('%j', async (ready, want) => {
    expect(await waits(ready)).toEqual(want);
  });
});

test.each([
  [{ status: 'False', reason: 'ProgressDeadlineExceeded' }, ['60']],
  [{ status: 'False', reason: 'RolloutAborted' }, []],
  [{ status: 'True', reason: 'RolloutProgressing' }, []],
])('since when the progress deadline is exceeded, by %j', async (progressing, want) => {
  const conditions = [{ type: 'Progressing', lastTransitionTime: '2026-01-01T00:00:00Z', ...progressing }];
  stores.gameDeployments.apply('MODIFIED', {
    ...structuredClone(lobby),
    metadata: { ...lobby.metadata, resourceVersion: '6' },
    status: { conditions },
  } as never);
  exposeDeadlines(registry, stores as unknown as Stores, () => Date.UTC(2026, 0, 1, 0, 1));
  const name = 'holdfast_workload_progress_deadline_exceeded_seconds';
  const series = `${name}{kind="GameDeployment",namespace="games",name="lobby"} `;
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  expect(lines).toEqual(want.map((value) => series + value));
});

test('each family says which release this is', async () => {
  exposeVersion(registry, '1.2.3');
  const text = await registry.metrics();
  for (const family of ['gamedeployment', 'gamestatefulset', 'hook'])
    expect(text).toContain(
      `bkbcs_${family}_operator_version{name="holdfast",image_version="1.2.3",crd_version="v1alpha1"`,
    );
});
