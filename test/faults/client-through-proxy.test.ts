/** Holdfast's own client and reflector behind the fault proxy: each fault reaches them as what protocol.md says it is. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';
import { isOutcomeUnknown } from '../../kubernetes/errors.ts';
import { startReflector } from '../../kubernetes/reflector.ts';
import { pods } from '../../kubernetes/resource-types.ts';
import { ServerPulse } from '../../kubernetes/server-pulse.ts';
import { ObjectStore } from '../../kubernetes/store.ts';
import { eventually } from '../support/eventually.ts';
import { type FaultProxy, startFaultProxy } from './proxy.ts';

let stack: Devstack;
let proxy: FaultProxy;
let client: KubernetesClient;

beforeAll(async () => {
  stack = await startDevstack({ components: ['kube-apiserver'] });
  proxy = await startFaultProxy({ target: { kubeconfigPath: stack.kubeconfig } });
  client = createKubernetesClient({ kubeconfigPath: proxy.kubeconfigPath, userAgent: 'holdfast/test' });
});

afterEach(() => proxy.reset());

afterAll(async () => {
  await client?.close();
  await proxy?.close();
  await stack?.stop();
});

function createPod(name: string, signal?: AbortSignal): Promise<Pod> {
  const spec = { containers: [{ name: 'game', image: 'game:1' }] };
  return client.create(pods, { metadata: { name, namespace: 'default' }, spec }, { signal });
}

test('a dropped answer is an unknown outcome, and a GET finds what was written', async () => {
  proxy.dropAnswer(1);
  const failure = await createPod('unknown-1').catch((error: unknown) => error);
  expect(isOutcomeUnknown(failure)).toBe(true);
  const found = await client.get(pods, { namespace: 'default', name: 'unknown-1' });
  expect(found.metadata.name).toBe('unknown-1');
  expect(proxy.writes).toMatchObject([{ outcome: 'dropped', userAgent: 'holdfast/test' }]);
});

test('a write whose caller gave up lands later', async () => {
  const held = proxy.holdWrite(1);
  const leaving = new AbortController();
  const failing = createPod('late-1', leaving.signal).catch((error: unknown) => error);
  await eventually('the write is held', () => held.write);
  leaving.abort();
  expect(isOutcomeUnknown(await failing)).toBe(true);
  held.release();
  await eventually('the late write is committed', () => held.write?.status === 201);
  expect((await client.get(pods, { namespace: 'default', name: 'late-1' })).metadata.name).toBe('late-1');
});

test('a withheld watch leaves the store behind the truth; a cut one takes its freshness', async () => {
  const store = new ObjectStore<Pod>();
  const reflector = startReflector({ client, type: pods, store, pulse: new ServerPulse(client) });
  const has = (name: string) => store.get({ namespace: 'default', name }) !== undefined;
  try {
    await eventually('the store is fresh', () => store.isFresh());
    proxy.stopWatch('pods');
    const { metadata } = await createPod('unseen-1');
    expect((await client.list(pods, { namespace: 'default' })).items.map((pod) => pod.metadata.name)).toContain(
      'unseen-1',
    );
    expect(await store.whenReached(metadata.resourceVersion ?? '', { timeoutMs: 500 })).toBe(false);
    expect(has('unseen-1')).toBe(false);
    proxy.resumeWatch('pods');
    await eventually('the store sees the pod', () => has('unseen-1'));
    proxy.stopWatch('pods', 'cut');
    await eventually('the store knows that it is blind', () => !store.isFresh());
    await createPod('unseen-2');
    proxy.resumeWatch('pods');
    await eventually('the store is fresh again and complete', () => store.isFresh() && has('unseen-2'));
  } finally {
    await reflector.stop();
  }
});
