/**
 * Runs of ours that ended before their time: terminated by somebody, failed or timed out. An object whose run was lost is looked
 * after by nobody, and a workload that waits for its rollout would wait for the next resync. Temporal is asked for the few that
 * ended lately, whatever the number of workloads; a database that was lost tells of none, which the resync finds. Reads only.
 */
import type { Client } from '@temporalio/client';
import { HOOK_RUN_WORKFLOW } from '../../workflows/hook-run-start.ts';
import { isBellKey } from './bell-keys.ts';

/** What ended longer ago was seen by a look before, or by the resync. Temporal's list and its clock may be behind ours. */
const LOOK_BACK_MS = 120_000;
const TYPES = `WorkflowType IN ('workload', 'rollout', '${HOOK_RUN_WORKFLOW}')`;
const ENDED = "ExecutionStatus IN ('Terminated', 'Failed', 'TimedOut', 'Canceled')";
const ROLLOUT = /\/rollout$/;

interface LostRunsPorts {
  temporal: { workflow: Pick<Client['workflow'], 'list'> };
  nowMs: () => number;
}

/**
 * Answers a function that answers the keys to ring, each lost run once. A run that another one follows already is only woken.
 * The function @throws what Temporal answers; the next look asks again.
 */
export function followLostRuns({ temporal, nowMs }: LostRunsPorts): () => Promise<string[]> {
  let seen = new Set<string>();
  return async () => {
    const since = new Date(nowMs() - LOOK_BACK_MS).toISOString();
    const runs = new Map<string, string>();
    const query = `${TYPES} AND ${ENDED} AND CloseTime > '${since}'`;
    for await (const { runId, workflowId } of temporal.workflow.list({ query })) runs.set(runId, workflowId);
    const fresh = [...runs].filter(([runId]) => !seen.has(runId)).map(([, id]) => id.replace(ROLLOUT, ''));
    seen = new Set(runs.keys());
    return [...new Set(fresh)].filter(isBellKey);
  };
}
