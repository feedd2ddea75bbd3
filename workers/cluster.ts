/** What must be true of the cluster before a process of ours may work in it. Reads only. */
import { API_GROUP, GAME_DEPLOYMENT, GAME_STATEFUL_SET, HOOK_RUN, HOOK_TEMPLATE } from '../crds/api.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { isUntrusted } from '../kubernetes/connection-problems.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { customResourceDefinitions, namespaces, type ResourceType } from '../kubernetes/resource-types.ts';
import { CannotStart, sayError } from './startup-error.ts';

const KINDS = [GAME_DEPLOYMENT, GAME_STATEFUL_SET, HOOK_TEMPLATE, HOOK_RUN];
const LOCK_NAMESPACE = 'bcs-system';
/** Names under which the existing operators hold their leader lock (decision 2). */
const LOCK_NAMES = ['gamedeployment-operator', 'gamestatefulset-operator'];
const LEADER_ANNOTATION = 'control-plane.alpha.kubernetes.io/leader';
const DEFAULT_LEASE_SECONDS = 15;

const leases: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};
const endpoints: ResourceType = { group: '', version: 'v1', plural: 'endpoints', kind: 'Endpoints', namespaced: true };

interface LockRecord {
  holderIdentity?: string | null;
  leaseDurationSeconds?: number | null;
  renewTime?: string | null;
}

interface Lease extends KubernetesObject {
  spec?: LockRecord;
}

/**
 * Where it does not answer, time may heal that; what it refuses, a configuration that leads nowhere and a certificate that is
 * not accepted, it does not. A name that is not known may be that of a Service which is not there yet.
 */
function cannotUse(cause: unknown): CannotStart {
  const isAway = isApiError(cause, 'network', 'timeout', 'unavailable', 'tooManyRequests');
  const isPassing = isAway && !isUntrusted(cause);
  return new CannotStart(`The Kubernetes API server cannot be used: ${sayError(cause)}`, { cause, isPassing });
}

/** The uid of kube-system: what tells one cluster from another. @throws CannotStart when the apiserver does not answer. */
export async function readClusterUid(client: KubernetesClient): Promise<string> {
  try {
    const { metadata } = await client.get(namespaces, { name: 'kube-system' });
    return metadata.uid ?? '';
  } catch (cause) {
    throw cannotUse(cause);
  }
}

/** @throws CannotStart that names the missing CRDs. */
export async function checkKinds(client: KubernetesClient): Promise<void> {
  const names = KINDS.map(({ plural }) => `${plural}.${API_GROUP}`);
  const found = await Promise.all(names.map((name) => find(client, customResourceDefinitions, { name })));
  const missing = names.filter((_, index) => found[index] === 'none');
  if (missing.length === 0) return;
  throw new CannotStart(`CRDs are missing (${missing.join(', ')}): run \`holdfast install\``);
}

/** Two operators on the same pods break every promise. @throws CannotStart while the existing operators' lock is fresh. */
export async function checkLeaderLocks(client: KubernetesClient, nowMs: number): Promise<void> {
  for (const name of LOCK_NAMES) {
    const record = (await leaseRecord(client, name)) ?? (await endpointsRecord(client, name));
    if (record === undefined || !isFresh(record, nowMs)) continue;
    const since = `renewed at ${record.renewTime}`;
    throw new CannotStart(
      `${name} is running (its leader lock in ${LOCK_NAMESPACE} is held by ${record.holderIdentity}, ${since}): stop it first`,
    );
  }
}

async function leaseRecord(client: KubernetesClient, name: string): Promise<LockRecord | undefined> {
  const found = await find(client, leases, { namespace: LOCK_NAMESPACE, name });
  return typeof found === 'object' ? found.spec : undefined;
}

async function endpointsRecord(client: KubernetesClient, name: string): Promise<LockRecord | undefined> {
  const found = await find(client, endpoints, { namespace: LOCK_NAMESPACE, name });
  const text = typeof found === 'object' ? found.metadata.annotations?.[LEADER_ANNOTATION] : undefined;
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as LockRecord;
  } catch {
    return undefined;
  }
}

function isFresh({ holderIdentity, renewTime, leaseDurationSeconds }: LockRecord, nowMs: number): boolean {
  const renewedAt = Date.parse(renewTime ?? '');
  if (!holderIdentity || Number.isNaN(renewedAt)) return false;
  return nowMs - renewedAt < (leaseDurationSeconds ?? DEFAULT_LEASE_SECONDS) * 1000;
}

/** What we may not read is taken as fine: it is a check, not a guard. */
async function find<T extends KubernetesObject>(
  client: KubernetesClient,
  type: ResourceType<T>,
  ref: { namespace?: string; name: string },
): Promise<T | 'none' | 'hidden'> {
  try {
    return await client.get(type, ref);
  } catch (error) {
    if (isApiError(error, 'notFound')) return 'none';
    if (isApiError(error, 'forbidden')) return 'hidden';
    throw cannotUse(error);
  }
}
