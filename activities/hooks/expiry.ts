/** Deletes a HookRun that has ended once its time has come, by its uid, and never while the gate of a pod still needs it. */
import { expiresAtMs } from '../../core/hooks/expiry.ts';
import { INSTANCE_LABEL, POD_UID_LABEL } from '../../core/keys.ts';
import { runsNamedBy } from '../../core/plan/pod-view.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { isApiError } from '../../kubernetes/errors.ts';
import { hookRuns, pods } from '../../kubernetes/resource-types.ts';
import { findRun } from './stored-run.ts';
import type { HookRunGone, HookRunRequest } from './types.ts';

export interface ExpiryPorts {
  client: Pick<KubernetesClient, 'get' | 'replaceStatus' | 'delete'>;
  /** Epoch milliseconds. */
  nowMs: () => number;
}

export type ExpiryEnd =
  | { state: 'ended'; outcome: HookRunGone | { phase: 'Kept' } }
  | { state: 'waiting'; againInMs: number; message: string };

/** How often a pod that holds a run is looked at. */
const HELD_MS = 60_000;

/** @throws ApiError when the API server does not answer. */
export async function expireRun(
  { client, nowMs }: ExpiryPorts,
  request: HookRunRequest,
  signal?: AbortSignal,
): Promise<ExpiryEnd> {
  const found = await findRun(client, request, signal);
  if (!('run' in found)) return { state: 'ended', outcome: { phase: 'Gone', liveUid: found.liveUid } };
  const expiresAt = expiresAtMs(found.run);
  if (expiresAt === undefined) return { state: 'ended', outcome: { phase: 'Kept' } };
  const againInMs = expiresAt - nowMs();
  if (againInMs > 0) {
    return { state: 'waiting', againInMs, message: `is deleted at ${new Date(expiresAt).toISOString()}` };
  }
  const holder = await holderOf(client, found.run, signal);
  if (holder !== undefined) {
    return { state: 'waiting', againInMs: HELD_MS, message: `the gate of pod ${holder} still needs it` };
  }
  await remove(client, request, signal);
  return { state: 'ended', outcome: { phase: 'Gone' } };
}

/**
 * The pod whose mark names this run: its gate reads the verdict from the object, and would ask the game once more if it found none
 * (decision 36). Pods of both kinds are named after their workload and instance.
 */
async function holderOf(
  client: ExpiryPorts['client'],
  { metadata: { namespace, name, labels = {}, ownerReferences = [] } }: HookRun,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const owner = ownerReferences.find(({ controller }) => controller === true);
  const [uid, instance] = [labels[POD_UID_LABEL], labels[INSTANCE_LABEL]];
  if (owner === undefined || uid === undefined || instance === undefined) return undefined;
  const podName = `${owner.name}-${instance}`;
  try {
    const pod = await client.get(pods, { namespace, name: podName }, { signal });
    return pod.metadata.uid === uid && runsNamedBy(pod).includes(name) ? podName : undefined;
  } catch (error) {
    if (isApiError(error, 'notFound')) return undefined;
    throw error;
  }
}

/** Another object under the name is somebody else's. */
async function remove(
  client: ExpiryPorts['client'],
  { namespace, name, uid }: HookRunRequest,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await client.delete(hookRuns, { namespace, name }, { uid, signal });
  } catch (error) {
    if (!isApiError(error, 'notFound') && !isApiError(error, 'conflict')) throw error;
  }
}
