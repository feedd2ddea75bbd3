/**
 * Runs whose object is gone, and objects whose run is: what no store tells (design §3). A run that nobody told would wait for
 * ever, and pods that outlived their object would keep marks and closed gates; an object whose run was terminated, or lost with
 * Temporal's database, would be looked after by nobody. Reads only.
 */
import type { Client } from '@temporalio/client';
import { type WorkloadStores, workloadsIn } from '../../activities/kinds.ts';
import type { Stores } from '../../activities/ports.ts';
import { HOOK_RUN_WORKFLOW } from '../../workflows/hook-run-start.ts';
import { hookRunKey, isBellKey, workloadKey } from './bell-keys.ts';

const QUERY = `WorkflowType IN ('workload', '${HOOK_RUN_WORKFLOW}') AND ExecutionStatus = 'Running'`;

interface UnmatchedRunsPorts {
  temporal: { workflow: Pick<Client['workflow'], 'list'> };
  stores: WorkloadStores & Pick<Stores, 'hookRuns'>;
}

/**
 * Keys to ring. A run then asks the apiserver itself whether its object is gone, and a run that is there after all is only
 * woken: neither a store nor Temporal's list does harm where it is behind.
 * @throws what Temporal answers; the next resync tries again.
 */
export async function unmatchedRuns({ temporal, stores }: UnmatchedRunsPorts): Promise<string[]> {
  const open = new Set<string>();
  for await (const { workflowId } of temporal.workflow.list({ query: QUERY })) open.add(workflowId);
  // Read after the list: a run that was just started has its object in the store.
  const workloads = workloadsIn(stores).map(workloadKey);
  const present = new Set([...workloads, ...stores.hookRuns.list().map(({ metadata }) => hookRunKey(metadata))]);
  const orphaned = [...open].filter((key) => isBellKey(key) && !present.has(key));
  return [...orphaned, ...workloads.filter((key) => !open.has(key))];
}
