/** Deletes a HookRun that has ended once its time has come, by its uid, and never while a gate or a canary step still needs it. */
import { expiresAtMs } from '../../core/hooks/expiry.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { isApiError } from '../../kubernetes/errors.ts';
import { hookRuns } from '../../kubernetes/resource-types.ts';
import { holderOf } from './holders.ts';
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

/** How often whoever holds a run is looked at. */
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
    return { state: 'waiting', againInMs: HELD_MS, message: `${holder} still needs it` };
  }
  await remove(client, request, signal);
  return { state: 'ended', outcome: { phase: 'Gone' } };
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
