import { Registry } from 'prom-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { namespaceIndex, type Stores } from '../activities/ports.ts';
import type { HookRun, HookRunStatus } from '../crds/hook-run.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { hookRuns } from '../kubernetes/resource-types.ts';
import { ObjectStore } from '../kubernetes/store.ts';
import { createHookMetrics, exposeHookRuns } from './hook-metrics.ts';
import { withWriteTimer } from './write-timer.ts';

const lobby = {
  kind: 'GameDeployment',
  metadata: { namespace: 'games', name: 'lobby', uid: 'g1', resourceVersion: '4' },
};
const ownerReferences = [
  { apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'GameDeployment', name: 'lobby', uid: 'g1', controller: true },
];

const drain = {
  ...{ kind: 'HookTemplate', metadata: { namespace: 'games', name: 'drain', uid: 'drain', resourceVersion: '3' } },
  spec: { metrics: [{ name: 'players' }] },
};

const runOf = (status: HookRunStatus = {}, type = 'pre-delete-step') =>
  ({
    kind: 'HookRun',
    metadata: {
      ...{ namespace: 'games', name: 'drain', uid: 'h1', resourceVersion: '5', labels: { 'hookrun-type': type } },
      ...{ ownerReferences, creationTimestamp: '2026-01-01T00:00:00Z' },
    },
    spec: { metrics: [] },
    status,
  }) as unknown as HookRun;

const ENDED: HookRunStatus = {
  ...{ phase: 'Successful', startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:30Z' },
  metricResults: [
    {
      name: 'players',
      phase: 'Successful',
      measurements: [{ phase: 'Successful', finishedAt: '2026-01-01T00:00:20Z' }],
    },
  ],
};

let registry: Registry;
let stores: Record<'gameDeployments' | 'gameStatefulSets' | 'hookRuns' | 'hookTemplates', ObjectStore<never>>;
let client: KubernetesClient;

beforeEach(() => {
  registry = new Registry();
  stores = {
    ...{ gameDeployments: new ObjectStore(), gameStatefulSets: new ObjectStore(), hookRuns: new ObjectStore() },
    hookTemplates: new ObjectStore<never>({ indexes: namespaceIndex as Record<string, () => string[]> }),
  };
  stores.hookTemplates.apply('ADDED', structuredClone(drain) as never);
  stores.gameDeployments.apply('ADDED', structuredClone(lobby) as never);
  const answer = async () => runOf();
  const metrics = createHookMetrics(registry);
  metrics.follow(stores as unknown as Stores);
  client = withWriteTimer({ create: answer, replaceStatus: answer } as unknown as KubernetesClient, [metrics.hear]);
});

const lines = async (pattern: RegExp): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => pattern.test(line) && !line.startsWith('#'));

test.each([
  ['pre-delete-step', 'predelete'],
  ['pre-inplace-step', 'preinplace'],
  ['post-inplace-step', 'postinplace'],
  ['canary-step', 'canary'],
])('the creation of a %s is timed as %s under its workload', async (type, action) => {
  await client.create(hookRuns, runOf({}, type));
  expect(await lines(/create_duration_seconds_count/)).toEqual([
    `bkbcs_gameworkload_hookrun_create_duration_seconds_count{namespace="games",name="lobby",status="success",action="${action}",objectKind="GameDeployment"} 1`,
  ]);
});

test('a verdict is counted once, by who wrote it, with its metrics', async () => {
  await client.replaceStatus(hookRuns, runOf({ phase: 'Running' }));
  await client.replaceStatus(hookRuns, runOf(ENDED));
  await client.replaceStatus(hookRuns, runOf(ENDED));
  expect(await lines(/_exec_duration_seconds_(sum|count)/)).toEqual([
    'bkbcs_hook_hookrun_exec_duration_seconds_sum{namespace="games",owner="lobby",action="predelete",status="success"} 30',
    'bkbcs_hook_hookrun_exec_duration_seconds_count{namespace="games",owner="lobby",action="predelete",status="success"} 1',
    'bkbcs_hook_metric_exec_duration_seconds_sum{namespace="games",owner="lobby",metric="players",phase="Successful"} 20',
    'bkbcs_hook_metric_exec_duration_seconds_count{namespace="games",owner="lobby",metric="players",phase="Successful"} 1',
  ]);
});

describe('series of a metric', () => {
  const shown = () => lines(/hook_metric_exec_duration_seconds_(count|max|min)\{/);
  const template = (type: 'ADDED' | 'MODIFIED' | 'DELETED', resourceVersion: string, name: string, metric: string) =>
    stores.hookTemplates.apply(type, {
      ...{ kind: 'HookTemplate', metadata: { namespace: 'games', name, uid: name, resourceVersion } },
      spec: { metrics: [{ name: metric }] },
    } as never);

  test('go when no HookTemplate of the namespace has it any more, and are not begun then', async () => {
    await client.replaceStatus(hookRuns, runOf(ENDED));
    expect(await shown()).toHaveLength(3);
    template('ADDED', '8', 'other', 'players');
    template('MODIFIED', '9', 'drain', 'guests');
    expect(await shown()).toHaveLength(3);
    template('DELETED', '10', 'other', 'players');
    expect(await shown()).toEqual([]);
    const again = runOf(ENDED);
    await client.replaceStatus(hookRuns, { ...again, metadata: { ...again.metadata, uid: 'h2' } });
    expect(await shown()).toEqual([]);
    expect(await lines(/hookrun_exec_duration_seconds_count\{/)).toEqual([expect.stringMatching(/ 2$/)]);
  });
});

test('an error is told from a failure', async () => {
  await client.replaceStatus(hookRuns, runOf({ ...ENDED, phase: 'Error', metricResults: [] }));
  expect(await lines(/hookrun_exec_duration_seconds_count/)).toEqual([expect.stringContaining('status="error"')]);
});

test('all series go with the workload', async () => {
  await client.create(hookRuns, runOf());
  await client.replaceStatus(hookRuns, runOf(ENDED));
  stores.gameDeployments.apply('DELETED', { ...lobby, metadata: { ...lobby.metadata, resourceVersion: '6' } } as never);
  expect(await lines(/lobby/)).toEqual([]);
});

test('a HookRun is as old as it is until its verdict, and its series goes with it', async () => {
  const nowMs = () => Date.UTC(2026, 0, 1, 0, 2);
  exposeHookRuns(registry, stores as unknown as Stores, nowMs);
  const told = () => lines(/survive_time/);
  const show = (type: 'ADDED' | 'MODIFIED' | 'DELETED', version: string, status: HookRunStatus) => {
    const run = runOf(status);
    stores.hookRuns.apply(type, { ...run, metadata: { ...run.metadata, resourceVersion: version } } as never);
  };
  show('ADDED', '6', { phase: 'Running', startedAt: '2026-01-01T00:01:00Z' });
  const labels = 'namespace="games",owner="lobby",name="drain"';
  expect(await told()).toEqual([`bkbcs_hook_hookrun_survive_time_seconds{${labels},phase="Running"} 60`]);
  show('MODIFIED', '7', ENDED);
  expect(await told()).toEqual([`bkbcs_hook_hookrun_survive_time_seconds{${labels},phase="Successful"} 30`]);
  show('DELETED', '8', ENDED);
  expect(await told()).toEqual([]);
});
