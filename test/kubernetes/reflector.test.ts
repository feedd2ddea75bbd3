/** The reflector against the real apiserver, whole and broken: what a store shows, and when it may be believed. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import type { Devstack } from '../../devstack/stack.ts';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';
import type { ApiError } from '../../kubernetes/errors.ts';
import { mergePatch } from '../../kubernetes/patches.ts';
import { type Reflector, startReflector } from '../../kubernetes/reflector.ts';
import { pods, secrets } from '../../kubernetes/resource-types.ts';
import { ServerPulse } from '../../kubernetes/server-pulse.ts';
import { ObjectStore } from '../../kubernetes/store.ts';
import type { StoreChange } from '../../kubernetes/store-reader.ts';
import { startFaultProxy } from '../faults/proxy.ts';
import { eventually } from '../support/eventually.ts';
import { type ApiServer, copyKubeconfig, startApiServer } from './api-server.ts';
import { createNamespace, failureOf, makePod } from './objects.ts';
import { startTcpGate, type TcpGate } from './tcp-gate.ts';

let server: ApiServer;
let stack: Devstack;
let gate: TcpGate;
let throughGate: string;
/** Beside the gate: what other people do. */
let others: KubernetesClient;
let client: KubernetesClient;
let store: ObjectStore<Pod>;
let changes: StoreChange<Pod>[];
let problems: ApiError[];
let running: Reflector;
let namespace: string;
let count = 0;

beforeAll(async () => {
  server = await startApiServer();
  ({ stack, client: others } = server);
  gate = await startTcpGate(stack.ports.apiserver);
  throughGate = copyKubeconfig(stack, 'gate', ({ cluster }) => ({
    cluster: { ...cluster, server: `https://127.0.0.1:${gate.port}` },
  }));
});

afterAll(async () => {
  await gate?.close();
  await server?.stop();
});

beforeEach(async () => {
  count += 1;
  namespace = await createNamespace(others, `reflected-${count}`);
  client = createKubernetesClient({ kubeconfigPath: throughGate });
});

afterEach(async () => {
  await running?.stop();
  await client.close();
});

function start(options: { start?: 'watch-list' | 'list'; streamSeconds?: number } = {}): void {
  store = new ObjectStore<Pod>({ indexes: { app: (pod) => [pod.metadata.labels?.app ?? ''] } });
  changes = [];
  problems = [];
  store.onChange((change) => changes.push(change));
  const pulse = new ServerPulse(client);
  const onProblem = (problem: ApiError) => problems.push(problem);
  running = startReflector({ client, type: pods, namespace, store, pulse, onProblem, ...options });
}

const createPod = (name: string) => others.create(pods, makePod(name, namespace));
const isSynced = () => eventually('the store is synced', () => store.isSynced);
const isFresh = (timeoutMs = 30_000) => eventually('the store is fresh', () => store.isFresh(), { timeoutMs });
const story = () => changes.map((change) => `${change.kind} ${change.object.metadata.name}`);
const caughtUp = (pod: Pod | undefined, timeoutMs = 10_000) =>
  store.whenReached(pod!.metadata.resourceVersion!, { timeoutMs });

describe.each([{ start: 'watch-list' }, { start: 'list' }] as const)('filled by a $start', (options) => {
  test('the store holds what exists and follows what happens', async () => {
    const first = await createPod('first');
    start(options);
    await isSynced();
    expect(store.getByUid(first.metadata.uid!)?.metadata.name).toBe('first');
    expect(store.highestResourceVersion).toBe(BigInt(first.metadata.resourceVersion!));
    await isFresh();

    const second = await createPod('second');
    const patch = mergePatch(second.metadata, { metadata: { labels: { app: 'other' } } });
    await others.patch(pods, second.metadata, patch);
    const deleted = await others.delete(pods, first.metadata, { gracePeriodSeconds: 0 });
    expect(await caughtUp(deleted)).toBe(true);
    // A deletion without grace is two events: the timestamp is set, then the object goes.
    const expected = ['added first', 'added second', 'modified second', 'modified first', 'deleted first'];
    expect(story()).toEqual(expected);
    expect(store.byIndex('app', 'other').map((pod) => pod.metadata.name)).toEqual(['second']);
    expect(store.byIndex('app', 'second')).toEqual([]);
    expect(store.isGone(first.metadata.uid!)).toBe(true);
    expect(store.isGone(second.metadata.uid!)).toBe(false);
    expect(problems).toEqual([]);
  });
});

test('managed fields and the last-applied annotation are not kept', async () => {
  const pod = makePod('applied', namespace);
  pod.metadata.annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: 'yes' };
  await others.create(pods, pod);
  start();
  await isSynced();
  const kept = store.get({ namespace, name: 'applied' });
  expect(kept?.metadata.annotations).toEqual({ kept: 'yes' });
  expect(kept?.metadata).not.toHaveProperty('managedFields');
});

test('a quiet watch stays fresh over the ends of its streams, and its bookmarks never become a fence', async () => {
  const pod = await createPod('quiet');
  // The server sends a bookmark each minute, and one shortly before it ends a stream.
  start({ streamSeconds: 8 });
  await isFresh();
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'noise', namespace } };
  const noise = await others.create(secrets, secret);
  // A quorum read makes the server's cache of pods learn how far history has come.
  await others.list(pods, { namespace });
  const isCovered = () => store.hasReached(noise.metadata.resourceVersion!);
  await eventually('a bookmark has come', isCovered, { timeoutMs: 60_000 });
  expect(store.highestResourceVersion).toBe(BigInt(pod.metadata.resourceVersion!));
  let wasEnded = false;
  const isResumed = () => {
    wasEnded ||= !store.health.isConnected;
    return wasEnded && store.isFresh();
  };
  await eventually('the stream was ended and resumed', isResumed, { intervalMs: 1 });
  expect(await caughtUp(await createPod('next'))).toBe(true);
  expect(story()).toEqual(['added quiet', 'added next']);
  expect(problems).toEqual([]);
});

test('history compacted while the network was away: everything is read again and unseen deletions are told', async () => {
  const lost = await createPod('lost');
  const kept = await createPod('kept');
  start();
  await isFresh();
  gate.shut();
  await eventually('the store noticed', () => !store.isFresh());
  await others.delete(pods, lost.metadata, { gracePeriodSeconds: 0 });
  const late = await createPod('late');
  await compact(late.metadata.resourceVersion!);
  // A restart empties the server's own memory of past events, which would outlive a compaction.
  await stack.process('kube-apiserver').restart('SIGKILL');
  gate.open();
  await isFresh();
  expect(problems.map((problem) => problem.reason)).toContain('expired');
  expect(story().sort()).toEqual(['added kept', 'added late', 'added lost', 'deleted lost']);
  expect(store.isGone(lost.metadata.uid!)).toBe(true);
  expect(store.getByUid(kept.metadata.uid!)).toBeDefined();
});

test('a watch from a compacted version is told that history is gone', async () => {
  const pod = await createPod('old');
  const newer = await createPod('newer');
  await compact(newer.metadata.resourceVersion!);
  await stack.process('kube-apiserver').restart('SIGKILL');
  const { resourceVersion } = pod.metadata;
  const signal = new AbortController().signal;
  const watch = others.watch(pods, { namespace, resourceVersion, timeoutSeconds: 60, signal });
  expect(await failureOf(watch.next())).toMatchObject({ reason: 'expired', status: 410 });
});

test('an apiserver that restarts: not fresh meanwhile, nothing lost afterwards', async () => {
  const pod = await createPod('steady');
  start();
  await isFresh();
  await stack.process('kube-apiserver').kill();
  await eventually('the store noticed', () => !store.isFresh(), { timeoutMs: 2_000 });
  expect(store.size).toBe(1);
  await stack.process('kube-apiserver').start();
  const next = await createPod('after');
  expect(await caughtUp(next, 20_000)).toBe(true);
  await isFresh();
  expect(store.getByUid(pod.metadata.uid!)).toBeDefined();
  expect(story()).toEqual(['added steady', 'added after']);
});

test('a frozen apiserver is found out within 6 s, and its return too', async () => {
  start();
  await isFresh();
  await assertFreezeIsFoundOut();
  const next = await createPod('after');
  expect(await caughtUp(next, 20_000)).toBe(true);
  await isFresh();
});

test('a frozen apiserver is found out over HTTP/1.1 too, where there is no ping', async () => {
  const proxy = await startFaultProxy({ target: { kubeconfigPath: stack.kubeconfig } });
  await client.close();
  client = createKubernetesClient({ kubeconfigPath: proxy.kubeconfigPath });
  start();
  await isFresh();
  await assertFreezeIsFoundOut();
  await isFresh();
  await running.stop();
  await proxy.close();
});

test('a connection that silently died is replaced although the server is well', async () => {
  start();
  await isFresh();
  gate.strandOpenConnections();
  const strandedAt = performance.now();
  const missed = await createPod('missed');
  await eventually('the missed pod arrived', () => store.getByUid(missed.metadata.uid!), { intervalMs: 20 });
  expect(performance.now() - strandedAt).toBeLessThan(8_000);
  await isFresh();
});

test('stopping ends everything and leaves a store that is not fresh', async () => {
  await createPod('last');
  start();
  await isFresh();
  await running.stop();
  expect(store.isFresh()).toBe(false);
  expect(store.size).toBe(1);
  expect(problems).toEqual([]);
});

/** Freezes the apiserver until the store is not fresh any more, which must take less than 6 s. */
async function assertFreezeIsFoundOut(): Promise<void> {
  stack.process('kube-apiserver').freeze();
  const frozenAt = performance.now();
  try {
    await eventually('the store noticed', () => !store.isFresh(), { timeoutMs: 10_000, intervalMs: 20 });
    expect(performance.now() - frozenAt).toBeLessThan(6_000);
  } finally {
    stack.process('kube-apiserver').resume();
  }
}

/** Makes etcd forget what was before this revision. */
async function compact(revision: string): Promise<void> {
  const url = `http://127.0.0.1:${stack.ports.etcd}/v3/kv/compaction`;
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ revision, physical: true }) });
  if (!response.ok) throw new Error(`etcd refused to compact: ${response.status} ${await response.text()}`);
}
