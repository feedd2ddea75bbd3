/**
 * 429 with Retry-After from the real apiserver: one user's requests have a priority level with a single seat, and a
 * request that is held in an admission webhook sits on it.
 */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';
import { pods, type ResourceType } from '../../kubernetes/resource-types.ts';
import { eventually } from '../support/eventually.ts';
import { type AdmissionHold, startAdmissionHold } from './admission-hold.ts';
import { type ApiServer, copyKubeconfig, startApiServer } from './api-server.ts';
import { createNamespace, failureOf, makePod } from './objects.ts';

const FLOW_CONTROL = 'flowcontrol.apiserver.k8s.io';
const configMaps: ResourceType = { ...clusterWide('', 'configmaps', 'ConfigMap'), namespaced: true };
const flowSchemas = clusterWide(FLOW_CONTROL, 'flowschemas', 'FlowSchema');
const priorityLevels = clusterWide(FLOW_CONTROL, 'prioritylevelconfigurations', 'PriorityLevelConfiguration');
const roleBindings = clusterWide('rbac.authorization.k8s.io', 'clusterrolebindings', 'ClusterRoleBinding');
const webhooks = clusterWide(
  'admissionregistration.k8s.io',
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
);

let server: ApiServer;
let admin: KubernetesClient;
/** Impersonates a user who is not exempt from priority and fairness. */
let limited: KubernetesClient;
let hold: AdmissionHold;
let throttled: number[] = [];
let sitting: Promise<unknown>;
let count = 0;

beforeAll(async () => {
  server = await startApiServer();
  admin = server.client;
  const kubeconfigPath = copyKubeconfig(server.stack, 'limited', ({ user }) => ({ user: { ...user, as: 'limited' } }));
  const onThrottle = (event: { waitedMs: number }) => throttled.push(event.waitedMs);
  limited = createKubernetesClient({ kubeconfigPath, onThrottle });
  hold = await startAdmissionHold(join(server.stack.dir, 'certs'), 'crowded');
  await createNamespace(admin, 'crowded');
  await admin.create(roleBindings, roleBinding());
  await admin.create(priorityLevels, priorityLevel());
  await admin.create(flowSchemas, flowSchema());
  await admin.create(webhooks, hold.configuration);
  await eventually('the user may read', () => limited.list(pods, { namespace: 'crowded' }));
});

afterAll(async () => {
  await limited?.close();
  await hold?.close();
  await server?.stop();
});

beforeEach(async () => {
  await eventually('the seat is taken', takeSeat);
  throttled = [];
});

afterEach(async () => {
  hold.release();
  await sitting;
});

test('a refused write waits as it was told and is carried out once the server has room', async () => {
  const creating = limited.create(pods, makePod('patient', 'crowded'));
  await eventually('the write was refused', () => throttled.length > 0);
  hold.release();
  expect((await creating).metadata.name).toBe('patient');
  // Retry-After of priority and fairness is whole seconds, at least one.
  for (const waitedMs of throttled) expect(waitedMs).toBeGreaterThanOrEqual(1_000);
});

test('patience ends at the time fence, and the write is known not to have happened', async () => {
  const options = { notAfter: performance.now() + 500 };
  const failure = await failureOf(limited.create(pods, makePod('fenced', 'crowded'), options));
  expect(failure).toMatchObject({ reason: 'tooManyRequests', status: 429 });
  expect(throttled).toEqual([]);
  const found = failureOf(admin.get(pods, { namespace: 'crowded', name: 'fenced' }));
  expect(await found).toMatchObject({ reason: 'notFound' });
});

test('patience ends with the signal', async () => {
  const stop = new AbortController();
  const failing = failureOf(limited.create(pods, makePod('cancelled', 'crowded'), { signal: stop.signal }));
  await eventually('the write was refused', () => throttled.length > 0);
  stop.abort();
  expect(await failing).toMatchObject({ reason: 'tooManyRequests' });
});

test('a read waits in the same way', async () => {
  const reading = limited.list(pods, { namespace: 'crowded' });
  await eventually('the read was refused', () => throttled.length > 0);
  hold.release();
  expect((await reading).resourceVersion).toMatch(/^\d+$/);
});

/** A request of the limited user that stays inside the apiserver until the hold is released; false when it passed. */
async function takeSeat(): Promise<boolean> {
  count += 1;
  const metadata = { name: `sitting-${count}`, namespace: 'crowded' };
  let hasPassed = false;
  sitting = limited.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata }, { timeoutMs: 25_000 });
  void sitting.then(() => {
    hasPassed = true;
  });
  // A webhook becomes active a moment after it is created: until then the request is not held.
  await eventually('the request is held or has passed', () => hasPassed || hold.held > 0);
  return hold.held > 0;
}

function clusterWide(group: string, plural: string, kind: string): ResourceType {
  return { group, version: 'v1', plural, kind, namespaced: false };
}

function object(type: ResourceType, fields: object): KubernetesObject {
  const apiVersion = `${type.group}/v1`;
  return { apiVersion, kind: type.kind, metadata: { name: 'limited' }, ...fields };
}

function priorityLevel(): KubernetesObject {
  const limits = { nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0 };
  const spec = { type: 'Limited', limited: { ...limits, limitResponse: { type: 'Reject' } } };
  return object(priorityLevels, { spec });
}

function flowSchema(): KubernetesObject {
  const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };
  const rule = { subjects: [{ kind: 'User', user: { name: 'limited' } }], resourceRules: [everything] };
  const spec = { priorityLevelConfiguration: { name: 'limited' }, matchingPrecedence: 10, rules: [rule] };
  return object(flowSchemas, { spec });
}

function roleBinding(): KubernetesObject {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const subjects = [{ kind: 'User', name: 'limited', apiGroup: 'rbac.authorization.k8s.io' }];
  return object(roleBindings, { roleRef, subjects });
}
