/**
 * HookRuns of canary steps: whose rollout waits for one, and which of those it waits for will never speak for themselves. A run
 * that was deleted while nobody listened, or whose workflow was lost, leaves only the name that the status of its workload tells.
 */
import { ownerKeyOf, type WorkloadStores, workloadsIn } from '../../activities/kinds.ts';
import type { Stores } from '../../activities/ports.ts';
import { isOfStep } from '../../core/hooks/expiry.ts';
import { isTerminal } from '../../core/hooks/phases.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import { hookRunKey } from './bell-keys.ts';

interface StepOwner {
  kind: string;
  name: string;
}

const ownerOf = (kind: string, name: string): StepOwner => ({ kind, name });

/** The workload whose step this run was made for. */
export function stepOwner(run: HookRun | undefined): StepOwner | undefined {
  const owner = run === undefined || !isOfStep(run) ? undefined : ownerKeyOf(run);
  return owner === undefined ? undefined : ownerOf(owner.kind, owner.name);
}

const awaitedRun = ({ status }: GameWorkload): string | undefined => status?.canary?.currentStepHookRun;

/** The workload whose status says that its step waits for the run of this name. */
export function rolloutAwaiting(
  stores: WorkloadStores,
  { namespace, name }: { namespace: string; name: string },
): StepOwner | undefined {
  const found = workloadsIn(stores).find(
    (workload) => workload.metadata.namespace === namespace && awaitedRun(workload) === name,
  );
  return found === undefined ? undefined : ownerOf(found.kind, found.metadata.name);
}

/**
 * Keys of runs that a step waits for though they are gone or over. A rollout that is paused has heard, or hears when it goes on; one
 * that hears twice takes the first word.
 */
export function unheardStepRuns(stores: WorkloadStores & Pick<Stores, 'hookRuns'>): string[] {
  return workloadsIn(stores).flatMap((workload) => {
    const name = awaitedRun(workload);
    const isPaused = (workload.status?.pauseConditions ?? []).length > 0;
    if (name === undefined || isPaused) return [];
    const ref = { namespace: workload.metadata.namespace ?? '', name };
    const run = stores.hookRuns.get(ref);
    return run === undefined || isTerminal(run.status?.phase) ? [hookRunKey(ref)] : [];
  });
}
