/**
 * Runs of ours whose workflow task keeps failing: such a run says nothing of itself, so the process that rings says it on
 * the object. Temporal keeps the list (search attribute `TemporalReportedProblems`).
 */
import type { Client } from '@temporalio/client';
import { type WorkloadStores, workloadsIn } from '../../activities/kinds.ts';
import { type StallPorts, sayStalled } from '../../activities/stalls.ts';
import { type BlockedRun, blockedFinding, isSaidBlocked } from '../../core/status/blocked-run.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import { isApiError } from '../../kubernetes/errors.ts';
import { workloadKey } from './bell-keys.ts';

const QUERY =
  "TemporalReportedProblems IN ('category=WorkflowTaskFailed', 'category=WorkflowTaskTimedOut') AND ExecutionStatus = 'Running'";
const ROLLOUT = /\/rollout$/;

export interface BlockedRunsPorts extends StallPorts {
  temporal: Pick<Client, 'workflow'>;
  stores: WorkloadStores;
}

/** By key of the workload; a rollout's run counts for its workload. */
async function readBlockedRuns({ temporal }: BlockedRunsPorts): Promise<Map<string, BlockedRun>> {
  const runs = new Map<string, BlockedRun>();
  const temporalNamespace = temporal.workflow.options.namespace;
  for await (const { workflowId, searchAttributes } of temporal.workflow.list({ query: QUERY })) {
    const problems = (searchAttributes.TemporalReportedProblems ?? []).map(String);
    runs.set(workflowId.replace(ROLLOUT, ''), { workflowId, problems, temporalNamespace });
  }
  return runs;
}

/**
 * Says on each workload that its run is stuck. Answers the keys of those that say so and are not any more: their bell makes
 * them write their own status again.
 * @throws what Temporal or the apiserver answers; the next resync tries again.
 */
export async function tellBlockedRuns(ports: BlockedRunsPorts): Promise<string[]> {
  const runs = await readBlockedRuns(ports);
  const recovered: string[] = [];
  for (const workload of workloadsIn(ports.stores)) {
    const key = workloadKey(workload);
    const run = runs.get(key);
    if (run !== undefined) await tell(ports, workload, run);
    else if (isSaidBlocked(workload.status?.conditions)) recovered.push(key);
  }
  return recovered;
}

async function tell(ports: BlockedRunsPorts, workload: GameWorkload, run: BlockedRun): Promise<void> {
  if (isSaidBlocked(workload.status?.conditions)) return;
  try {
    await sayStalled(ports, workload, blockedFinding(run), { action: 'Rollout' });
  } catch (error) {
    // Somebody was faster: the next resync looks at what they wrote.
    if (!isApiError(error, 'conflict', 'notFound')) throw error;
  }
}
