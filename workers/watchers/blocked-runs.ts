/**
 * Runs of ours whose workflow task keeps failing: such a run says nothing of itself, so the process that rings says it on
 * the object. Temporal keeps the list (search attribute `TemporalReportedProblems`).
 */
import type { Client } from '@temporalio/client';
import { type WorkloadStores, workloadsIn, workloadTypeOf } from '../../activities/kinds.ts';
import { type BlockedRun, isSaidBlocked, WORKFLOW_TASK_FAILED, withBlockedRun } from '../../core/status/blocked-run.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { isApiError } from '../../kubernetes/errors.ts';
import { referenceTo } from '../../kubernetes/event-notes.ts';
import type { EventRecorder } from '../../kubernetes/event-recorder.ts';
import { workloadKey } from './bell-keys.ts';

const QUERY =
  "TemporalReportedProblems IN ('category=WorkflowTaskFailed', 'category=WorkflowTaskTimedOut') AND ExecutionStatus = 'Running'";
const ROLLOUT = /\/rollout$/;

export interface BlockedRunsPorts {
  temporal: Pick<Client, 'workflow'>;
  client: KubernetesClient;
  recorder: EventRecorder;
  stores: WorkloadStores;
  nowMs: () => number;
}

/** By key of the workload; a rollout's run counts for its workload. */
async function readBlockedRuns({ temporal }: BlockedRunsPorts): Promise<Map<string, BlockedRun>> {
  const runs = new Map<string, BlockedRun>();
  for await (const { workflowId, searchAttributes } of temporal.workflow.list({ query: QUERY })) {
    const problems = (searchAttributes.TemporalReportedProblems ?? []).map(String);
    runs.set(workflowId.replace(ROLLOUT, ''), { workflowId, problems });
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

async function tell(
  { client, recorder, nowMs }: BlockedRunsPorts,
  workload: GameWorkload,
  run: BlockedRun,
): Promise<void> {
  if (isSaidBlocked(workload.status?.conditions)) return;
  const { generation = 0 } = workload.metadata;
  const conditions = withBlockedRun(workload.status?.conditions ?? [], run, generation, nowMs());
  try {
    const next = { ...workload, status: { ...workload.status, conditions } } as GameWorkload;
    await client.replaceStatus(workloadTypeOf(workload.kind), next);
  } catch (error) {
    // Somebody was faster: the next resync looks at what they wrote.
    if (isApiError(error, 'conflict', 'notFound')) return;
    throw error;
  }
  const note = conditions.find(({ type }) => type === 'Stalled')?.message ?? '';
  recorder.record({
    regarding: referenceTo(workload),
    type: 'Warning',
    reason: WORKFLOW_TASK_FAILED,
    action: 'Rollout',
    note,
  });
}
