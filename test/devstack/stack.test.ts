/** The life of a stack: servers that are killed, frozen and restarted keep their address and data. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { waitFor } from '../../devstack/wait.ts';
import { container, createPod, isReady, type Pod, readAudit, setImage, waitForPod } from './pods.ts';
import { run } from './programs.ts';

let stack: Devstack;
const crashed: string[] = [];

beforeAll(async () => {
  stack = await startDevstack({ nodes: 1, log: console.error, onCrash: ({ name }) => crashed.push(name) });
});
afterAll(() => stack?.stop());

describe('the apiserver', () => {
  test('killed and started again has its address and data, and the kubelet goes on', async () => {
    await createPod(stack, 'survivor');
    await waitForPod(stack, 'survivor', 'readiness', isReady);
    const before = stack.process('kube-apiserver').pid;
    await stack.process('kube-apiserver').restart('SIGKILL');
    expect(stack.process('kube-apiserver').pid).not.toBe(before);
    await setImage(stack, 'survivor', 'c0', 'game:2');
    const isDone = (pod: Pod) => isReady(pod) && container(pod, 'c0').image === 'game:2';
    await waitForPod(stack, 'survivor', 'restart', isDone);
  });

  test('frozen says nothing, and answers when it is woken', async () => {
    const server = stack.process('kube-apiserver');
    server.freeze();
    // Each of its threads stops when it gets to it: until then one may answer.
    await untilStopped(server.pid);
    const answer = stack.api('GET', '/readyz');
    const other = fetch(`http://127.0.0.1:${stack.ports.etcd}/health`);
    const first = await Promise.race([answer.then(() => 'frozen'), other.then(() => 'awake')]);
    server.resume();
    expect(first).toBe('awake');
    expect((await answer).status).toBe(200);
  });

  test('writes an audit log that holds writes of the named objects with their answers, and nothing else', async () => {
    await createPod(stack, 'audited');
    await waitForPod(stack, 'audited', 'readiness', isReady);
    await stack.api('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'unaudited' } });
    const events = readAudit(stack);
    expect(new Set(events.map(({ objectRef }) => objectRef.resource))).toEqual(new Set(['pods', 'nodes']));
    expect(events.every(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb))).toBe(true);
    const created = events.find(({ verb, objectRef }) => verb === 'create' && objectRef.name === 'audited');
    expect(created?.responseObject).toMatchObject({ metadata: { name: 'audited' } });
    expect(created?.responseObject).not.toHaveProperty('metadata.managedFields');
    expect(events.some(({ objectRef }) => objectRef.subresource === 'binding')).toBe(true);
  });
});

describe('temporal', () => {
  test('keeps a workflow for 30 days and through a kill', async () => {
    const temporal = (...args: string[]) =>
      run(stack.binaries.temporal, [...args, `--address=${stack.env.TEMPORAL_ADDRESS}`]);
    await temporal('workflow', 'start', '--type=any', '--task-queue=nobody', '--workflow-id=kept');
    await stack.process('temporal').restart('SIGKILL');
    expect(await temporal('workflow', 'describe', '--workflow-id=kept')).toContain('kept');
    expect(await temporal('operator', 'namespace', 'describe', '--namespace=default')).toContain('720h');
  });

  test('shows its UI', async () => {
    const { statusCode, body } = await request(stack.env.TEMPORAL_UI ?? '');
    await body.dump();
    expect(statusCode).toBe(200);
  });
});

test('prometheus scrapes what is written into its targets file', async () => {
  writeFileSync(stack.targetsPath, JSON.stringify([{ targets: [`127.0.0.1:${stack.ports.etcd}`] }]));
  const check = async () => {
    const { body } = await request(`${stack.env.PROMETHEUS_URL}/api/v1/query?query=etcd_server_has_leader`);
    const answer = (await body.json()) as { data: { result: unknown[] } };
    return answer.data.result.length > 0;
  };
  await waitFor(check, { what: 'a sample from the new target', timeoutMs: 60_000 });
});

test('no server ended that was not asked to', () => {
  expect(crashed).toEqual([]);
});

test('two stacks at once do not meet', async () => {
  const other = await startDevstack({ components: ['kube-apiserver'] });
  try {
    const { body } = await other.api('GET', '/api/v1/namespaces/default/pods');
    expect((body as { items: unknown[] }).items).toEqual([]);
    expect(other.env).not.toHaveProperty('TEMPORAL_ADDRESS');
    expect(() => other.process('temporal')).toThrow('runs no temporal');
  } finally {
    await other.stop();
  }
});

test('a server that does not come up is reported with the last lines of its log', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-broken-'));
  writeFileSync(join(dir, 'etcd'), 'a file where etcd wants its directory');
  try {
    await expect(startDevstack({ components: ['etcd'], dir })).rejects.toThrow(/etcd ended before.*not a directory/s);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

/** Resolves once the kernel reports the process as stopped. */
function untilStopped(pid: number | undefined): Promise<boolean> {
  const threads = `/proc/${pid}/task`;
  const isStopped = (thread: string) => readFileSync(`${threads}/${thread}/stat`, 'utf8').includes(') T ');
  const check = async () => readdirSync(threads).every(isStopped);
  return waitFor(check, { what: 'freezing', timeoutMs: 10_000 });
}
