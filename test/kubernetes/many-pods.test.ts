/** 5,000 pods with the real apiserver: paging, what the store costs, and that following them stays cheap. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { mergePatch } from '../../kubernetes/patches.ts';
import { startReflector } from '../../kubernetes/reflector.ts';
import { pods } from '../../kubernetes/resource-types.ts';
import { ServerPulse } from '../../kubernetes/server-pulse.ts';
import { ObjectStore } from '../../kubernetes/store.ts';
import { eventually } from '../support/eventually.ts';
import { type ApiServer, startApiServer } from './api-server.ts';
import { createNamespace, makePod } from './objects.ts';

const PODS = 5_000;
const MEBIBYTE = 1024 * 1024;
/** Stated limit of what a store of 5,000 pods keeps; measured 15 MiB. */
const KEPT_MIB = 25;

let server: ApiServer;
let client: KubernetesClient;

beforeAll(async () => {
  server = await startApiServer();
  ({ client } = server);
  await createNamespace(client, 'many');
  await inParallel(32, PODS, (i) => client.create(pods, gamePod(i)));
});

afterAll(() => server?.stop());

test('a list of 5,000 pods comes in pages and is complete', async () => {
  const list = await client.list(pods, { namespace: 'many' });
  expect(new Set(list.items.map((pod) => pod.metadata.uid)).size).toBe(PODS);
});

test(`a store of 5,000 pods keeps less than ${KEPT_MIB} MiB`, async () => {
  const collectGarbage = garbageCollector();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const store = new ObjectStore<Pod>({ indexes: { app: (pod) => [pod.metadata.labels?.app ?? ''] } });
  const pulse = new ServerPulse(client);
  const reflector = startReflector({ client, type: pods, store, pulse });
  try {
    await eventually('the store is fresh', () => store.isFresh(), { timeoutMs: 60_000 });
    expect(store.size).toBe(PODS);
    collectGarbage();
    const keptMib = (process.memoryUsage().heapUsed - before) / MEBIBYTE;
    console.info(`a store of 5,000 pods keeps ${keptMib.toFixed(1)} MiB`);
    expect(keptMib).toBeLessThan(KEPT_MIB);
    expect(store.byIndex('app', 'game')).toHaveLength(PODS);
  } finally {
    await reflector.stop();
  }
});

test('every change of 500 pods arrives, and the fence of the last one is reached', async () => {
  const store = new ObjectStore<Pod>();
  const reflector = startReflector({ client, type: pods, store, pulse: new ServerPulse(client) });
  try {
    await eventually('the store is fresh', () => store.isFresh(), { timeoutMs: 60_000 });
    let highest = 0n;
    await inParallel(16, 500, async (i) => {
      const patch = mergePatch({}, { metadata: { labels: { round: 'second' } } });
      const patched = await client.patch(pods, { namespace: 'many', name: `game-${i}` }, patch);
      const version = BigInt(patched.metadata.resourceVersion!);
      if (version > highest) highest = version;
    });
    expect(await store.whenReached(highest, { timeoutMs: 10_000 })).toBe(true);
    expect(store.list().filter((pod) => pod.metadata.labels?.round === 'second')).toHaveLength(500);
  } finally {
    await reflector.stop();
  }
});

/** About as much as a real game server's pod carries. */
function gamePod(i: number): Pod {
  const pod = makePod(`game-${i}`, 'many');
  const env = Array.from({ length: 10 }, (_, n) => ({ name: `SETTING_${n}`, value: `value ${n} of a game server` }));
  const ports = [{ name: 'game', containerPort: 7777, protocol: 'UDP' }];
  const resources = { requests: { cpu: '500m', memory: '512Mi' }, limits: { cpu: '1', memory: '1Gi' } };
  pod.metadata.labels = { app: 'game', 'controller-revision-hash': `game-${i % 3}` };
  pod.metadata.annotations = { 'kubectl.kubernetes.io/last-applied-configuration': 'x'.repeat(1_000) };
  pod.spec.containers[0] = { ...pod.spec.containers[0]!, env, ports, resources };
  return pod;
}

async function inParallel(workers: number, total: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < total) {
      const i = next;
      next += 1;
      await work(i);
    }
  };
  await Promise.all(Array.from({ length: workers }, run));
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
