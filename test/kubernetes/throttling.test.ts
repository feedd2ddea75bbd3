/** 429 with Retry-After from the real apiserver: a priority level without seats refuses everything of one user. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';
import { pods, type ResourceType } from '../../kubernetes/resource-types.ts';
import { eventually } from '../support/eventually.ts';
import { createNamespace, failureOf, makePod } from './objects.ts';

const FLOW_CONTROL = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', namespaced: false };
const flowSchemas: ResourceType = { ...FLOW_CONTROL, plural: 'flowschemas', kind: 'FlowSchema' };
const priorityLevels: ResourceType = {
  ...FLOW_CONTROL,
  plural: 'prioritylevelconfigurations',
  kind: 'PriorityLevelConfiguration',
};
const clusterRoleBindings: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
};

let stack: Devstack;
let admin: KubernetesClient;
/** Impersonates a user who is not exempt from priority and fairness. */
let limited: KubernetesClient;
let dir: string;
let throttled: number[] = [];

beforeAll(async () => {
  stack = await startDevstack({ components: ['kube-apiserver'] });
  admin = createKubernetesClient({ kubeconfigPath: stack.kubeconfig });
  dir = mkdtempSync(join(tmpdir(), 'holdfast-limited-'));
  const kubeconfig = parse(readFileSync(stack.kubeconfig, 'utf8'));
  kubeconfig.users[0].user.as = 'limited';
  writeFileSync(join(dir, 'kubeconfig'), stringify(kubeconfig));
  const onThrottle = (event: { waitedMs: number }) => throttled.push(event.waitedMs);
  limited = createKubernetesClient({ kubeconfigPath: join(dir, 'kubeconfig'), onThrottle });
  await createNamespace(admin, 'crowded');
  await admin.create(clusterRoleBindings, binding());
  await eventually('the user may read', () => limited.list(pods, { namespace: 'crowded' }));
});

afterAll(async () => {
  await limited?.close();
  await admin?.close();
  await stack?.stop();
  if (dir !== undefined) rmSync(dir, { recursive: true });
});

beforeEach(() => {
  throttled = [];
});

test('a refused write waits as it was told and is carried out once the server has room', async () => {
  await takeAllSeats();
  const creating = limited.create(pods, makePod('patient', 'crowded'));
  await eventually('the write was refused', () => throttled.length > 0);
  await giveSeatsBack();
  const pod = await creating;
  expect(pod.metadata.name).toBe('patient');
  // Retry-After of priority and fairness is whole seconds, at least one.
  for (const waitedMs of throttled) expect(waitedMs).toBeGreaterThanOrEqual(1_000);
});

test('patience ends at the time fence, with an outcome that is known', async () => {
  await takeAllSeats();
  const options = { notAfter: performance.now() + 500 };
  const failure = await failureOf(limited.create(pods, makePod('fenced', 'crowded'), options));
  expect(failure).toMatchObject({ reason: 'tooManyRequests', status: 429 });
  expect(throttled).toEqual([]);
  await giveSeatsBack();
  expect(await failureOf(admin.get(pods, { namespace: 'crowded', name: 'fenced' }))).toMatchObject({
    reason: 'notFound',
  });
});

test('patience ends with the signal', async () => {
  await takeAllSeats();
  const stop = new AbortController();
  const failing = failureOf(limited.create(pods, makePod('cancelled', 'crowded'), { signal: stop.signal }));
  await eventually('the write was refused', () => throttled.length > 0);
  stop.abort();
  expect(await failing).toMatchObject({ reason: 'tooManyRequests' });
  await giveSeatsBack();
});

async function takeAllSeats(): Promise<void> {
  await admin.create(priorityLevels, priorityLevel());
  await admin.create(flowSchemas, flowSchema());
  const isRefused = async () => {
    const probe = limited.list(pods, { namespace: 'crowded', notAfter: performance.now() + 500 });
    return (
      (await probe.then(
        () => 200,
        (error: { status?: number }) => error.status,
      )) === 429
    );
  };
  await eventually('the user is refused', isRefused);
  throttled = [];
}

async function giveSeatsBack(): Promise<void> {
  await admin.delete(flowSchemas, { name: 'no-seats' });
  await admin.delete(priorityLevels, { name: 'no-seats' });
  await eventually('the user is served', () => limited.list(pods, { namespace: 'crowded' }));
}

function priorityLevel(): KubernetesObject {
  const limits = { nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0 };
  const spec = { type: 'Limited', limited: { ...limits, limitResponse: { type: 'Reject' } } };
  return withSpec('PriorityLevelConfiguration', spec);
}

function flowSchema(): KubernetesObject {
  const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };
  return withSpec('FlowSchema', {
    priorityLevelConfiguration: { name: 'no-seats' },
    matchingPrecedence: 10,
    rules: [{ subjects: [{ kind: 'User', user: { name: 'limited' } }], resourceRules: [everything] }],
  });
}

function withSpec(kind: string, spec: unknown): KubernetesObject {
  const object = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind, metadata: { name: 'no-seats' }, spec };
  return object;
}

function binding(): KubernetesObject {
  const object = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'limited' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'User', name: 'limited', apiGroup: 'rbac.authorization.k8s.io' }],
  };
  return object;
}
