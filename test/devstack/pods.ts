/** Pods as these tests write and watch them, beside the code under test: bare requests and the audit log. */
import { readFileSync } from 'node:fs';
import type { Devstack } from '../../devstack/stack.ts';
import { waitFor } from '../../devstack/wait.ts';

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  restartCount: number;
  ready: boolean;
  started?: boolean;
  state: {
    waiting?: { reason: string };
    running?: { startedAt: string };
    terminated?: { exitCode: number };
  };
}

export interface Pod {
  metadata: {
    name: string;
    uid: string;
    generation: number;
    resourceVersion: string;
    deletionTimestamp?: string;
    finalizers?: string[];
  };
  spec: { nodeName?: string };
  status: {
    phase: string;
    reason?: string;
    podIP?: string;
    hostIP?: string;
    startTime?: string;
    observedGeneration?: number;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
  };
}

export interface PodOptions {
  images?: readonly string[];
  gates?: readonly string[];
  annotations?: Record<string, string>;
  nodeName?: string;
  finalizers?: readonly string[];
}

const PODS = '/api/v1/namespaces/default/pods';

/** Creates a pod with one container per image, named c0, c1, … */
export async function createPod(stack: Devstack, name: string, options: PodOptions = {}): Promise<void> {
  const images = options.images ?? ['game:1'];
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations: options.annotations, finalizers: options.finalizers },
    spec: {
      nodeName: options.nodeName,
      containers: images.map((image, index) => ({ name: `c${index}`, image })),
      readinessGates: options.gates?.map((conditionType) => ({ conditionType })),
    },
  };
  const { status, body } = await stack.api('POST', PODS, pod);
  if (status !== 201) throw new Error(`creating ${name}: ${JSON.stringify(body)}`);
}

export async function patchPod(stack: Devstack, name: string, patch: unknown, subresource = ''): Promise<void> {
  const type = 'application/strategic-merge-patch+json';
  const { status, body } = await stack.api('PATCH', `${PODS}/${name}${subresource}`, patch, type);
  if (status !== 200) throw new Error(`patching ${name}: ${JSON.stringify(body)}`);
}

export function setImage(stack: Devstack, name: string, container: string, image: string): Promise<void> {
  return patchPod(stack, name, { spec: { containers: [{ name: container, image }] } });
}

export function setGate(stack: Devstack, name: string, gate: string, status: 'True' | 'False'): Promise<void> {
  return patchPod(stack, name, { status: { conditions: [{ type: gate, status }] } }, '/status');
}

export async function deletePod(stack: Devstack, name: string, gracePeriodSeconds: number): Promise<void> {
  const { status, body } = await stack.api('DELETE', `${PODS}/${name}`, { gracePeriodSeconds });
  if (status !== 200) throw new Error(`deleting ${name}: ${JSON.stringify(body)}`);
}

export async function readPod(stack: Devstack, name: string): Promise<Pod | undefined> {
  const { status, body } = await stack.api('GET', `${PODS}/${name}`);
  if (status === 404) return undefined;
  return body as Pod;
}

/** Waits until the pod looks as wanted; the error says how it looked last. */
export function waitForPod(stack: Devstack, name: string, what: string, isWanted: (pod: Pod) => boolean): Promise<Pod> {
  const check = async () => {
    const pod = await readPod(stack, name);
    if (pod === undefined) throw new Error('no such pod');
    if (!isWanted(pod)) throw new Error(JSON.stringify(pod.status));
    return pod;
  };
  return waitFor(check, { what: `${what} of pod ${name}`, timeoutMs: 30_000 });
}

export function waitUntilGone(stack: Devstack, name: string): Promise<boolean> {
  const check = async () => {
    const pod = await readPod(stack, name);
    if (pod === undefined) return true;
    throw new Error(JSON.stringify(pod.status));
  };
  return waitFor(check, { what: `end of pod ${name}`, timeoutMs: 30_000 });
}

export function condition(pod: Pod, type: string): Condition | undefined {
  return pod.status.conditions?.find((candidate) => candidate.type === type);
}

export function isReady(pod: Pod): boolean {
  return condition(pod, 'Ready')?.status === 'True';
}

export function container(pod: Pod, name: string): ContainerStatus {
  const found = pod.status.containerStatuses?.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`pod ${pod.metadata.name} reports no container ${name}`);
  return found;
}

export interface AuditEvent {
  verb: string;
  requestReceivedTimestamp: string;
  stageTimestamp: string;
  objectRef: { resource: string; subresource?: string; name?: string; apiGroup?: string };
  responseStatus?: { code: number };
  responseObject?: unknown;
}

export function readAudit(stack: Devstack): AuditEvent[] {
  const lines = readFileSync(stack.auditLogPath, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AuditEvent);
}

/** Every version of a pod that a write brought about, in the apiserver's order. */
export function readHistory(stack: Devstack, name: string): Pod[] {
  const pods = readAudit(stack)
    .filter(({ objectRef, responseStatus }) => objectRef.name === name && (responseStatus?.code ?? 500) < 300)
    .map(({ responseObject }) => responseObject as Pod)
    .filter((pod) => pod?.metadata?.resourceVersion !== undefined);
  return pods.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
}
