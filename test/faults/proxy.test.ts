/** The fault proxy in front of a real API server: what it breaks is broken, and nothing else. */
import { Agent, request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { eventually } from '../support/eventually.ts';
import { type FaultProxy, startFaultProxy } from './proxy.ts';

const PODS = '/api/v1/namespaces/default/pods';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let stack: Devstack;
let proxy: FaultProxy;
let agent: Agent;

beforeAll(async () => {
  stack = await startDevstack({ components: ['kube-apiserver'] });
  proxy = await startFaultProxy({ target: { kubeconfigPath: stack.kubeconfig } });
  agent = new Agent({ connections: 16 });
});

afterEach(() => proxy.reset());

afterAll(async () => {
  await agent?.destroy();
  await proxy?.close();
  await stack?.stop();
});

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API server says
  body: any;
}

async function call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const options = { method, dispatcher: agent, headers: { 'content-type': type, 'user-agent': 'holdfast/test' } };
  const answer = await request(`${proxy.url}${path}`, { ...options, body: body ? JSON.stringify(body) : null });
  return { status: answer.statusCode, body: await answer.body.json() };
}

function podNamed(name: string) {
  return { metadata: { name }, spec: { containers: [{ name: 'game', image: 'game:1' }] } };
}

async function statusOf(name: string): Promise<number> {
  return (await stack.api('GET', `${PODS}/${name}`)).status;
}

/** Opens a watch through the proxy and collects the names of its events. */
function watchPods() {
  const stopped = new AbortController();
  const seen: string[] = [];
  const ended = (async () => {
    const options = { dispatcher: agent, signal: stopped.signal };
    const answer = await request(`${proxy.url}${PODS}?watch=true&resourceVersion=0`, options);
    let text = '';
    for await (const chunk of answer.body) {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) seen.push(JSON.parse(line).object.metadata.name);
    }
  })();
  return {
    seen,
    ended: ended.then(
      () => 'ended' as const,
      () => 'broken' as const,
    ),
    stop: () => stopped.abort(),
  };
}

describe('a lost answer', () => {
  test('drops the answer of a write that was committed', async () => {
    proxy.dropAnswer(2);
    expect((await call('POST', PODS, podNamed('kept-1'))).status).toBe(201);
    await expect(call('POST', PODS, podNamed('dropped-2'))).rejects.toThrow();
    expect((await call('POST', PODS, podNamed('kept-3'))).status).toBe(201);
    expect(await statusOf('dropped-2')).toBe(200);
    expect(proxy.writes).toMatchObject([
      {
        n: 1,
        commit: 1,
        method: 'POST',
        resource: 'pods',
        status: 201,
        outcome: 'answered',
        userAgent: 'holdfast/test',
      },
      { n: 2, commit: 2, status: 201, outcome: 'dropped' },
      { n: 3, commit: 3, status: 201, outcome: 'answered' },
    ]);
  });

  test('calls back after the commit and before the answer', async () => {
    const seen: unknown[] = [];
    let isAnswered = false;
    proxy.afterCommit(1, async (write) => {
      seen.push(write.status, await statusOf('killed-1'), isAnswered);
    });
    const asking = call('POST', PODS, podNamed('killed-1')).finally(() => {
      isAnswered = true;
    });
    await expect(asking).rejects.toThrow();
    expect(seen).toEqual([201, 200, false]);
    expect((await call('POST', PODS, podNamed('killed-2'))).status).toBe(201);
  });

  test('counts commits, so that a refused write is no kill point', async () => {
    const killedAt: string[] = [];
    proxy.afterCommit(2, ({ path, n }) => void killedAt.push(`${n} ${path}`));
    expect((await call('POST', PODS, podNamed('counted-1'))).status).toBe(201);
    expect((await call('POST', PODS, podNamed('counted-1'))).status).toBe(409);
    const label = { metadata: { labels: { seen: 'true' } } };
    await expect(call('PATCH', `${PODS}/counted-1`, label)).rejects.toThrow();
    expect(killedAt).toEqual([`3 ${PODS}/counted-1`]);
    expect(proxy.commits).toBe(2);
  });
});

describe('a held write', () => {
  test('is delivered later, although its client is gone', async () => {
    const held = proxy.holdWrite(({ method }) => method === 'POST');
    const options = { dispatcher: agent, headers: { 'content-type': 'application/json' } };
    const leaving = new AbortController();
    const body = JSON.stringify(podNamed('late-1'));
    const asking = request(`${proxy.url}${PODS}`, { ...options, method: 'POST', body, signal: leaving.signal });
    const gone = expect(asking).rejects.toThrow();
    await eventually('the write is held', () => held.write?.outcome === 'held');
    leaving.abort();
    await gone;
    expect(await statusOf('late-1')).toBe(404);
    expect((await call('POST', PODS, podNamed('meanwhile'))).status).toBe(201);
    held.release();
    await eventually('the late write is committed', () => held.write?.status === 201);
    expect(await statusOf('late-1')).toBe(200);
    expect(held.write).toMatchObject({ n: 1, commit: 2, outcome: 'dropped' });
  });

  test('is answered when its client still waits; time releases it', async () => {
    proxy.holdWrite(1, { releaseAfterMs: 300 });
    const startedAt = performance.now();
    expect((await call('POST', PODS, podNamed('patient'))).status).toBe(201);
    expect(performance.now() - startedAt).toBeGreaterThan(290);
  });

  test('is discarded when that is asked for, and the next one passes', async () => {
    const held = proxy.holdWrite(1);
    const refused = expect(call('POST', PODS, podNamed('lost'))).rejects.toThrow();
    await eventually('the write is held', () => held.write);
    held.discard();
    await refused;
    expect(held.write?.outcome).toBe('discarded');
    expect(await statusOf('lost')).toBe(404);
    expect((await call('POST', PODS, podNamed('next'))).status).toBe(201);
  });

  test('is discarded at a reset', async () => {
    const held = proxy.holdWrite(1);
    const refused = expect(call('POST', PODS, podNamed('discarded'))).rejects.toThrow();
    await eventually('the write is held', () => held.write);
    proxy.reset();
    await refused;
    expect(await statusOf('discarded')).toBe(404);
    expect(proxy.writes).toEqual([]);
  });
});

describe('what passes through', () => {
  test('delays what matches', async () => {
    proxy.delay(250, ({ resource }) => resource === 'configmaps');
    const startedAt = performance.now();
    await call('GET', PODS);
    const quickMs = performance.now() - startedAt;
    await call('GET', CONFIG_MAPS);
    expect(performance.now() - startedAt - quickMs).toBeGreaterThan(240);
    expect(quickMs).toBeLessThan(240);
  });

  test('other resources, reads and dry runs are not counted', async () => {
    expect((await call('POST', CONFIG_MAPS, { metadata: { name: 'plain' } })).status).toBe(201);
    expect((await call('POST', `${PODS}?dryRun=All`, podNamed('dry'))).status).toBe(201);
    expect((await call('GET', PODS)).body.kind).toBe('PodList');
    expect((await call('DELETE', `${PODS}/none`)).status).toBe(404);
    expect(proxy.writes).toMatchObject([{ method: 'DELETE', name: 'none', status: 404, outcome: 'answered' }]);
  });

  test('concurrent writes all get their own answer', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `many-${index}`);
    const answers = await Promise.all(names.map((name) => call('POST', PODS, podNamed(name))));
    expect(answers.map(({ body }) => body.metadata.name)).toEqual(names);
    expect(proxy.commits).toBe(40);
    expect(new Set(proxy.writes.map((write) => write.commit)).size).toBe(40);
  });
});

describe('a stopped watch', () => {
  test('withholds bytes while the connection stays open, then delivers them in order', async () => {
    const watch = watchPods();
    await call('POST', PODS, podNamed('before-stop'));
    await eventually('the watch flows', () => watch.seen.includes('before-stop'));
    proxy.stopWatch('pods');
    await call('POST', PODS, podNamed('during-stop-1'));
    await call('POST', PODS, podNamed('during-stop-2'));
    const other = await stack.api('GET', PODS);
    expect(other.status).toBe(200);
    expect(watch.seen).not.toContain('during-stop-1');
    expect(proxy.countWatches('pods')).toBe(1);
    proxy.resumeWatch('pods');
    await eventually('the withheld events arrive', () => watch.seen.includes('during-stop-2'));
    expect(watch.seen.indexOf('during-stop-1')).toBeLessThan(watch.seen.indexOf('during-stop-2'));
    watch.stop();
    await eventually('the watch is closed', () => proxy.countWatches('pods') === 0);
  });

  test('cuts running watches and refuses new ones', async () => {
    const watch = watchPods();
    await eventually('the watch is open', () => proxy.countWatches('pods') === 1);
    proxy.stopWatch('pods', 'cut');
    expect(await watch.ended).toBe('broken');
    expect(await watchPods().ended).toBe('broken');
    expect((await call('GET', PODS)).status).toBe(200);
    proxy.resumeWatch('pods');
    const again = watchPods();
    await eventually('a new watch flows', () => again.seen.length > 0);
    again.stop();
  });
});

describe('the API server itself', () => {
  test('a killed API server is a broken connection, and its return is noticed', async () => {
    await stack.process('kube-apiserver').kill();
    await expect(call('GET', PODS)).rejects.toThrow();
    await expect(call('POST', PODS, podNamed('unreachable'))).rejects.toThrow();
    expect(proxy.writes).toMatchObject([{ outcome: 'unreachable' }]);
    await stack.process('kube-apiserver').start();
    await eventually('the API server answers through the proxy', async () => (await call('GET', PODS)).status === 200);
  });
});
