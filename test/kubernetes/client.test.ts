/** The client against the real apiserver: the facts that protocol.md rests on, and how calls end. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';
import { isOutcomeUnknown, isTransport } from '../../kubernetes/errors.ts';
import { mergePatch, strategicPatch } from '../../kubernetes/patches.ts';
import { pods, secrets } from '../../kubernetes/resource-types.ts';
import { compareResourceVersions } from '../../kubernetes/resource-versions.ts';
import { type ApiServer, copyKubeconfig, startApiServer } from './api-server.ts';
import { createNamespace, failureOf, makePod } from './objects.ts';

let server: ApiServer;
let client: KubernetesClient;

beforeAll(async () => {
  server = await startApiServer();
  ({ client } = server);
  await createNamespace(client, 'facts');
});

afterAll(() => server?.stop());

let created = 0;

function createPod(by = client): Promise<Pod> {
  created += 1;
  return by.create(pods, makePod(`pod-${created}`, 'facts'));
}

describe('compare and swap', () => {
  test('a patch with a stale resourceVersion is a conflict even when it changes nothing', async () => {
    const pod = await createPod();
    await client.patch(pods, pod.metadata, mergePatch(pod.metadata, { metadata: { labels: { a: '1' } } }));
    const failure = await failureOf(client.patch(pods, pod.metadata, mergePatch(pod.metadata, {})));
    expect(failure).toMatchObject({ reason: 'conflict', status: 409, sent: true });
    expect(isOutcomeUnknown(failure)).toBe(false);
  });

  test('a patch that changes nothing does not raise the resourceVersion', async () => {
    const pod = await createPod();
    const same = await client.patch(pods, pod.metadata, mergePatch(pod.metadata, {}));
    expect(same.metadata.resourceVersion).toBe(pod.metadata.resourceVersion);
  });

  test('a patch with another uid is invalid', async () => {
    const pod = await createPod();
    const failure = await failureOf(client.patch(pods, pod.metadata, mergePatch({ uid: 'other' }, {})));
    expect(failure).toMatchObject({ reason: 'invalid', status: 422 });
  });

  test('a strategic patch changes one container by its name', async () => {
    const pod = await createPod();
    const body = { spec: { containers: [{ name: 'main', image: 'registry.invalid/game:2' }] } };
    const patched = await client.patch(pods, pod.metadata, strategicPatch(pod.metadata, body));
    expect(patched.spec.containers).toMatchObject([{ name: 'main', image: 'registry.invalid/game:2' }]);
    expect(compareResourceVersions(patched.metadata.resourceVersion!, pod.metadata.resourceVersion!)).toBeGreaterThan(
      0,
    );
  });

  test('a status is replaced by PUT at the resourceVersion it was read at', async () => {
    const pod = await createPod();
    const running = await client.replaceStatus(pods, { ...pod, status: { phase: 'Running' } });
    expect(running.status?.phase).toBe('Running');
    const failure = await failureOf(client.replaceStatus(pods, { ...pod, status: { phase: 'Failed' } }));
    expect(failure).toMatchObject({ reason: 'conflict' });
  });
});

describe('deletion', () => {
  test.each([
    ['uid', { uid: 'other' }],
    ['resourceVersion', { resourceVersion: '1' }],
  ])('with a wrong %s is a conflict', async (_what, precondition) => {
    const pod = await createPod();
    expect(await failureOf(client.delete(pods, pod.metadata, precondition))).toMatchObject({ reason: 'conflict' });
  });

  test('repeated with its own preconditions is a conflict while the pod terminates', async () => {
    const pod = await createPod();
    const seen = { uid: pod.metadata.uid, resourceVersion: pod.metadata.resourceVersion };
    const deleted = await client.delete(pods, pod.metadata, seen);
    expect(deleted?.metadata.deletionTimestamp).toBeDefined();
    expect(await failureOf(client.delete(pods, pod.metadata, seen))).toMatchObject({ reason: 'conflict' });
  });

  test('a POST over a terminating pod already exists', async () => {
    const pod = await createPod();
    await client.delete(pods, pod.metadata, { uid: pod.metadata.uid });
    const failure = await failureOf(client.create(pods, makePod(pod.metadata.name, 'facts')));
    expect(failure).toMatchObject({ reason: 'alreadyExists', status: 409 });
  });

  test('answers with the resourceVersion of the DELETED event', async () => {
    const pod = await createPod();
    const stop = new AbortController();
    const watch = client.watch(pods, {
      namespace: 'facts',
      resourceVersion: pod.metadata.resourceVersion,
      timeoutSeconds: 60,
      signal: stop.signal,
    });
    const deleted = await client.delete(pods, pod.metadata, { gracePeriodSeconds: 0 });
    for await (const event of watch) {
      if (event.type !== 'DELETED' || event.object.metadata.uid !== pod.metadata.uid) continue;
      expect(event.object.metadata.resourceVersion).toBe(deleted?.metadata.resourceVersion);
      break;
    }
  });
});

describe('reading', () => {
  test("a list's resourceVersion runs ahead of every object in it", async () => {
    await createPod();
    await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ahead', namespace: 'facts' } });
    const list = await client.list(pods, { namespace: 'facts' });
    for (const pod of list.items) {
      expect(compareResourceVersions(list.resourceVersion, pod.metadata.resourceVersion!)).toBeGreaterThan(0);
    }
    expect(list.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
  });

  test('what does not exist is not found', async () => {
    const failure = await failureOf(client.get(pods, { namespace: 'facts', name: 'nobody' }));
    expect(failure).toMatchObject({ reason: 'notFound', status: 404, message: 'pods "nobody" not found' });
  });
});

describe('refusals', () => {
  test('a dry run proves a template and keeps nothing', async () => {
    const pod = await client.create(pods, makePod('proof', 'facts'), { dryRun: true });
    expect(pod.metadata.uid).toBeDefined();
    expect(await failureOf(client.get(pods, pod.metadata))).toMatchObject({ reason: 'notFound' });
  });

  test("an invalid object names the fields and keeps the fields' values to itself", async () => {
    const pod = makePod('invalid', 'facts');
    const env = [{ name: 'TOKEN=s3cret', value: 's3cret' }];
    pod.spec.containers = [{ name: 'main', image: 'x', env, imagePullPolicy: 's3cret' }];
    const failure = await failureOf(client.create(pods, pod, { dryRun: true }));
    expect(failure).toMatchObject({ reason: 'invalid', status: 422 });
    const { message, details } = failure as { message: string; details: unknown };
    expect(message).toContain('spec.containers[0].imagePullPolicy: Unsupported value');
    expect(message + JSON.stringify(details)).not.toContain('s3cret');
  });

  test('a change of an unchangeable field does not tell the pod', async () => {
    const pod = makePod('unchangeable', 'facts');
    pod.spec.containers[0]!.env = [{ name: 'TOKEN', value: 's3cret' }];
    const created = await client.create(pods, pod);
    const patch = mergePatch(created.metadata, { spec: { hostNetwork: true } });
    const failure = (await failureOf(client.patch(pods, created.metadata, patch))) as Error;
    expect(failure).toMatchObject({ reason: 'invalid' });
    expect(failure.message).toContain('spec: Forbidden: pod updates may not change fields');
    expect(failure.message).not.toContain('s3cret');
  });
});

describe('connections', () => {
  const list = (of: KubernetesClient) => of.list(pods, { namespace: 'facts' });
  const removePod = async (of: KubernetesClient) => {
    const { metadata } = await createPod(of);
    await of.delete(pods, metadata, { uid: metadata.uid, gracePeriodSeconds: 0 });
  };

  test.each([
    { calls: '200 reads', count: 200, call: list },
    { calls: '40 deletes, which have a body', count: 40, call: removePod },
  ])('$calls at once share a few connections', async ({ count, call }) => {
    const frugal = createKubernetesClient({ kubeconfigPath: server.stack.kubeconfig, connections: 4 });
    let connected = 0;
    const countOne = () => {
      connected += 1;
    };
    subscribe('undici:client:connected', countOne);
    await Promise.all(Array.from({ length: count }, () => call(frugal)));
    unsubscribe('undici:client:connected', countOne);
    await frugal.close();
    expect(connected).toBeLessThanOrEqual(4);
  });

  test('many watches do not starve calls', async () => {
    const stop = new AbortController();
    const watches = Array.from({ length: 40 }, async () => {
      const options = { namespace: 'facts', timeoutSeconds: 60, sendInitialEvents: true, signal: stop.signal };
      for await (const event of client.watch(pods, options)) {
        if (event.type === 'BOOKMARK') return;
      }
    });
    await expect(client.list(pods, { namespace: 'facts' })).resolves.toBeDefined();
    await Promise.all(watches);
    stop.abort();
  });

  test('a server that answers nothing ends the call as a transport error', async () => {
    const pod = await createPod();
    await client.list(pods, { namespace: 'facts' });
    server.stack.process('kube-apiserver').freeze();
    try {
      const failure = await failureOf(
        client.patch(pods, pod.metadata, mergePatch(pod.metadata, {}), { timeoutMs: 200 }),
      );
      expect(failure).toMatchObject({ reason: 'timeout', status: undefined });
      expect(isTransport(failure)).toBe(true);
      const stop = new AbortController();
      const aborted = failureOf(client.get(pods, pod.metadata, { signal: stop.signal }));
      stop.abort();
      expect(await aborted).toMatchObject({ reason: 'aborted' });
    } finally {
      server.stack.process('kube-apiserver').resume();
    }
  });

  test('nothing is sent after the time fence, and the outcome is known', async () => {
    const options = { notAfter: performance.now() - 1 };
    const failure = await failureOf(client.create(pods, makePod('too-late', 'facts'), options));
    expect(failure).toMatchObject({ reason: 'aborted', sent: false });
    expect(isOutcomeUnknown(failure)).toBe(false);
    expect(await failureOf(client.get(pods, { namespace: 'facts', name: 'too-late' }))).toMatchObject({
      reason: 'notFound',
    });
  });
});

describe('credentials', () => {
  test('a refused token is read again at once', async () => {
    const { stack } = server;
    const tokenFile = join(stack.dir, 'rotating-token');
    let token: unknown;
    const kubeconfigPath = copyKubeconfig(stack, 'rotating', ({ user }) => {
      ({ token } = user);
      return { user: { 'auth-provider': { name: 'file', config: { tokenFile } } } };
    });
    writeFileSync(tokenFile, 'outdated');
    const rotating = createKubernetesClient({ kubeconfigPath });
    try {
      expect(await failureOf(rotating.list(pods))).toMatchObject({ reason: 'unauthorized', status: 401 });
      writeFileSync(tokenFile, String(token));
      expect((await rotating.list(pods)).resourceVersion).toMatch(/^\d+$/);
    } finally {
      await rotating.close();
    }
  });

  test('a missing kubeconfig is one clear sentence and nothing was sent', async () => {
    const lost = createKubernetesClient({ kubeconfigPath: join(tmpdir(), 'no-such-kubeconfig') });
    const failure = await failureOf(lost.list(pods));
    expect(failure).toMatchObject({ reason: 'other', sent: false });
    expect((failure as Error).message).toMatch(/^no access to the cluster: .*no-such-kubeconfig/);
  });
});
