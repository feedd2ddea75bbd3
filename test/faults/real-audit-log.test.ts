/** The checker on the audit log of a real API server, with kwok as kubelet and the test in the part of the controller. */
import { readFile } from 'node:fs/promises';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Pod } from '../../crds/kubernetes.ts';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { eventually } from '../support/eventually.ts';
import { assertKept, judgeAuditLog } from './checker.ts';
import { type FaultProxy, startFaultProxy } from './proxy.ts';

const PODS = '/api/v1/namespaces/default/pods';
const WORKLOADS = '/apis/tkex.tencent.com/v1alpha1/namespaces/default/gamedeployments';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

let stack: Devstack;
let proxy: FaultProxy;
let workloadUid: string;

beforeAll(async () => {
  stack = await startDevstack({ components: ['kube-apiserver', 'kwok'], nodes: 1 });
  proxy = await startFaultProxy({ target: { kubeconfigPath: stack.kubeconfig } });
  workloadUid = await createWorkload();
});

afterAll(async () => {
  await proxy?.close();
  await stack?.stop();
});

/** The part of a user: three pods, one of them may be missing. */
async function createWorkload(): Promise<string> {
  const file = new URL('../../crds/generated/gamedeployments.yaml', import.meta.url);
  await stack.api(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    parse(await readFile(file, 'utf8')),
  );
  const workload = {
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'GameDeployment',
    metadata: { name: 'lobby' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'lobby' } },
      template: { metadata: { labels: { app: 'lobby' } }, spec: { containers: [{ name: 'game', image: 'game:1' }] } },
      updateStrategy: { type: 'InplaceUpdate', maxUnavailable: 1, maxSurge: 0 },
    },
  };
  const created = await eventually('the GameDeployment is accepted', async () => {
    const { status, body } = await stack.api('POST', WORKLOADS, workload);
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body as { metadata: { uid: string } };
  });
  return created.metadata.uid;
}

/** A write as the controller makes it: through the proxy, under its user agent. */
async function write(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, type = 'application/json') {
  const headers = { 'content-type': type, 'user-agent': 'holdfast/test' };
  const answer = await request(`${proxy.url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
  const said = (await answer.body.json()) as Pod;
  expect([200, 201], JSON.stringify(said)).toContain(answer.statusCode);
  return said;
}

async function createPod(name: string): Promise<void> {
  const owner = { apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'GameDeployment', name: 'lobby', uid: workloadUid };
  const labels = { app: 'lobby', 'controller-revision-hash': 'lobby-1' };
  const containers = [{ name: 'game', image: 'game:1' }];
  await write('POST', PODS, {
    metadata: { name, labels, ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] },
    spec: { nodeName: 'node-1', containers, readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
  });
  await setGate(name, 'True');
}

async function setGate(name: string, status: 'True' | 'False'): Promise<void> {
  const conditions = [{ type: 'InPlaceUpdateReady', status, lastTransitionTime: new Date().toISOString() }];
  await write('PATCH', `${PODS}/${name}/status`, { status: { conditions } }, STRATEGIC);
}

async function setImage(name: string, image: string): Promise<void> {
  const spec = { containers: [{ name: 'game', image }] };
  await write('PATCH', `${PODS}/${name}`, { spec }, STRATEGIC);
}

async function readPod(name: string): Promise<Pod> {
  return (await stack.api('GET', `${PODS}/${name}`)).body as Pod;
}

async function untilReady(name: string, image = 'game:1'): Promise<void> {
  await eventually(
    `${name} is ready with ${image}`,
    async () => {
      const { status } = await readPod(name);
      const runs = status?.containerStatuses?.[0]?.image === image;
      return runs && status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
    },
    { timeoutMs: 20_000 },
  );
}

test('judges a whole life: create, update in place, and then three broken promises', async () => {
  for (const name of ['lobby-a', 'lobby-b', 'lobby-c']) await createPod(name);
  for (const name of ['lobby-a', 'lobby-b', 'lobby-c']) await untilReady(name);
  await setGate('lobby-a', 'False');
  await setImage('lobby-a', 'game:2');
  await eventually('the container has restarted', async () => {
    const [status] = (await readPod('lobby-a')).status?.containerStatuses ?? [];
    return status?.image === 'game:2' && status.ready && status.restartCount === 1;
  });
  await setGate('lobby-a', 'True');
  await untilReady('lobby-a', 'game:2');
  await write('DELETE', `${PODS}/lobby-b`, { preconditions: { uid: (await readPod('lobby-b')).metadata.uid } });
  const kept = await judgeAuditLog(stack.auditLogPath);
  assertKept(kept);
  expect(kept.judged).toEqual({ spending: 2, creates: 3, turns: 3, questions: 0, known: 0 });

  await setGate('lobby-c', 'False');
  await createPod('lobby-d');
  await createPod('lobby-e');
  await setImage('lobby-a', 'game:3');
  const { violations, judged } = await judgeAuditLog(stack.auditLogPath);
  expect(violations.map(({ promise, pod }) => `${promise} ${pod}`)).toEqual([
    'budget default/lobby-c',
    'surge default/lobby-e',
    'budget default/lobby-a',
  ]);
  expect(judged).toEqual({ spending: 4, creates: 5, turns: 5, questions: 0, known: 0 });
  expect(violations[0]?.sentence).toMatch(
    /of 2 available pods 1 would be left, and 3 replicas − 1 maxUnavailable = 2$/,
  );
});

test('an eviction and a scale are seen, and count after the grace', async () => {
  const newer = { spec: { replicas: 1, updateStrategy: { maxUnavailable: 0, maxSurge: 1 } } };
  expect((await stack.api('PATCH', `${WORKLOADS}/lobby/scale`, { spec: { replicas: 5 } }, MERGE)).status).toBe(200);
  await createPod('lobby-f');
  await untilReady('lobby-f');
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'lobby-f' } };
  expect((await stack.api('POST', `${PODS}/lobby-f/eviction`, eviction)).status).toBe(201);
  await createPod('lobby-g');
  expect((await stack.api('PATCH', `${WORKLOADS}/lobby`, newer)).status).toBe(200);
  const { violations } = await judgeAuditLog(stack.auditLogPath, { graceMs: 0 });
  expect(violations.map(({ pod }) => pod)).not.toContain('default/lobby-f');
  expect(violations.map(({ pod }) => pod)).not.toContain('default/lobby-g');
  await createPod('lobby-h');
  const later = await judgeAuditLog(stack.auditLogPath, { graceMs: 0 });
  expect(later.violations.at(-1)).toMatchObject({ promise: 'surge', pod: 'default/lobby-h' });
});

test('a late duplicate that the API server accepted is judged like any other write', async () => {
  const before = (await judgeAuditLog(stack.auditLogPath)).judged;
  const held = proxy.holdWrite(({ method }) => method === 'DELETE');
  const deleting = write('DELETE', `${PODS}/lobby-h`);
  await eventually('the delete is held', () => held.write);
  expect((await judgeAuditLog(stack.auditLogPath)).judged).toEqual(before);
  held.release();
  await deleting;
  const after = (await judgeAuditLog(stack.auditLogPath)).judged;
  expect(after.spending).toBe(before.spending + 1);
});
