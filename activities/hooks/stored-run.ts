/**
 * The HookRun in the API server: read, and its status written by compare-and-swap. A status that knows less never
 * replaces one that knows more, whoever wrote it (decision 39).
 */
import { beginRun, isFurther, takeUp } from '../../core/hooks/run.ts';
import type { HookRun, HookRunStatus } from '../../crds/hook-run.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { isApiError } from '../../kubernetes/errors.ts';
import { findObject } from '../../kubernetes/find-object.ts';
import { hookRuns, type ResourceType } from '../../kubernetes/resource-types.ts';
import type { HookRunRequest } from './types.ts';

export type HookRunClient = Pick<KubernetesClient, 'get' | 'replaceStatus'>;

const HOOK_RUNS = hookRuns as ResourceType<HookRun>;
const MAX_WRITES = 4;

/** What stands under the run's name: this very run, or nothing, or another run. A run being deleted is no more. */
export type FoundRun = { run: HookRun } | { liveUid: string | undefined };

/** @throws ApiError for everything but a missing object. */
export async function findRun(
  client: HookRunClient,
  { namespace, name, uid }: HookRunRequest,
  signal?: AbortSignal,
): Promise<FoundRun> {
  const run = await findObject(client, HOOK_RUNS, { namespace, name }, { signal });
  if (run === undefined || run.metadata.deletionTimestamp !== undefined) return { liveUid: undefined };
  return run.metadata.uid === uid ? { run } : { liveUid: run.metadata.uid };
}

/** The run after a write. `won` is false where somebody else's status knew more and stayed. */
export interface WrittenRun {
  run: HookRun;
  won: boolean;
}

/**
 * Writes `status` and answers the run as it then is, its spec maybe changed by somebody; undefined when it is gone.
 * @throws ApiError when the outcome is not known: the caller's retry begins from what it finds.
 */
export async function writeStatus(
  client: HookRunClient,
  run: HookRun,
  status: HookRunStatus,
  signal?: AbortSignal,
): Promise<WrittenRun | undefined> {
  let base = run;
  for (let writes = 1; ; writes += 1) {
    try {
      return { run: await client.replaceStatus(HOOK_RUNS, { ...base, status }, { signal }), won: true };
    } catch (error) {
      if (isApiError(error, 'notFound')) return undefined;
      if (!isApiError(error, 'conflict') || writes === MAX_WRITES) throw error;
    }
    const found = await findRun(client, requestOf(run), signal);
    if (!('run' in found)) return undefined;
    const fresh = found.run;
    if (!isFurther(status, fresh.status)) return { run: fresh, won: false };
    base = fresh;
  }
}

/** Where to go on: what the object says, or what an earlier attempt told with its last heartbeat if that is further. */
export function resumeStatus(run: HookRun, told: HookRunStatus | undefined, nowMs: number): HookRunStatus {
  return takeUp(beginRun(run.status, nowMs), told);
}

function requestOf({ metadata }: HookRun): HookRunRequest {
  return { namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid ?? '' };
}
