/** Fake nodes that kwok plays the kubelet of, and how a test takes one down and brings it back. */
import type { ApiCall } from './api.ts';
import { waitFor } from './wait.ts';

const LABEL_KEY = 'holdfast.dev/kwok';
/** kwok manages the nodes that carry this label. */
export const NODE_LABEL = `${LABEL_KEY}=managed`;

const CAPACITY = { cpu: '1000', memory: '4Ti', pods: '10000', 'ephemeral-storage': '4Ti' };

/** The manifest of the fake node with this number, named node-1, node-2, … */
export function makeNode(number: number): Record<string, unknown> {
  const name = `node-${number}`;
  const labels = { [LABEL_KEY]: 'managed', 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
  const address = `10.96.${Math.floor(number / 250)}.${(number % 250) + 1}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: {
      capacity: CAPACITY,
      allocatable: CAPACITY,
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
    },
  };
}

/** Creates nodes 1 to `count` (those that exist stay) and waits until kwok reports each Ready. */
export async function createNodes(api: ApiCall, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const { status, body } = await api('POST', '/api/v1/nodes', makeNode(number));
    if (status !== 201 && status !== 409) throw new Error(`creating node-${number}: ${JSON.stringify(body)}`);
  }
  for (let number = 1; number <= count; number++) await waitForNode(api, `node-${number}`, 'True');
}

/**
 * Takes the kubelet of a node away: its pods no longer change and its lease is no longer renewed. The node and the pods
 * on it are reported as the controller-manager does after its grace period, so that a test need not wait for that.
 */
export async function stopNode(api: ApiCall, name: string): Promise<void> {
  await patchNode(api, name, '', { metadata: { labels: { [LABEL_KEY]: null } } });
  const lost = { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
  const { body } = await api('GET', `/api/v1/nodes/${name}`);
  const conditions = readConditions(body).map((before) => ({ ...before, ...lost, lastTransitionTime: timestamp() }));
  await patchNode(api, name, '/status', { status: { conditions } });
  await markPodsNotReady(api, name);
}

async function markPodsNotReady(api: ApiCall, node: string): Promise<void> {
  const { body } = await api('GET', `/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`);
  const patch = { status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: timestamp() }] } };
  for (const { metadata } of (body as { items: { metadata: { namespace: string; name: string } }[] }).items) {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`;
    await api('PATCH', path, patch, 'application/strategic-merge-patch+json');
  }
}

/** Now, as Kubernetes writes times: in whole seconds. */
function timestamp(): string {
  return new Date().toISOString().replace(/\.\d+/, '');
}

/** Gives a stopped node its kubelet back and waits until it is Ready. */
export async function resumeNode(api: ApiCall, name: string): Promise<void> {
  await patchNode(api, name, '', { metadata: { labels: { [LABEL_KEY]: 'managed' } } });
  await waitForNode(api, name, 'True');
}

async function patchNode(api: ApiCall, name: string, subresource: string, patch: unknown): Promise<void> {
  const { status, body } = await api('PATCH', `/api/v1/nodes/${name}${subresource}`, patch);
  if (status !== 200) throw new Error(`patching ${name}: ${JSON.stringify(body)}`);
}

interface Condition {
  type: string;
  status: string;
}

function readConditions(node: unknown): Condition[] {
  return (node as { status?: { conditions?: Condition[] } }).status?.conditions ?? [];
}

async function waitForNode(api: ApiCall, name: string, wanted: string): Promise<void> {
  const check = async () => {
    const { body } = await api('GET', `/api/v1/nodes/${name}`);
    const ready = readConditions(body).find((condition) => condition.type === 'Ready')?.status;
    if (ready === wanted) return true;
    throw new Error(`Ready=${ready}`);
  };
  await waitFor(check, { what: `Ready=${wanted} of ${name}`, timeoutMs: 60_000 });
}
