/**
 * Runs whose object is gone, and who were not told because nobody rang when it went (design §3): without this such a run
 * would wait for ever, and pods that outlived their object would keep marks and closed gates. Reads only.
 */
import type { Client } from '@temporalio/client';
import { GAME_DEPLOYMENT } from '../../crds/api.ts';
import { HOOK_RUN_WORKFLOW } from '../../workflows/hook-run-start.ts';
import type { Watched } from '../stores.ts';
import { hookRunKey, workloadKey } from './bell-keys.ts';

const QUERY = `WorkflowType IN ('workload', '${HOOK_RUN_WORKFLOW}') AND ExecutionStatus = 'Running'`;

interface OrphanedRunsPorts {
  temporal: { workflow: Pick<Client['workflow'], 'list'> };
  stores: Pick<Watched, 'gameDeployments' | 'hookRuns'>;
}

/**
 * Keys to ring: the run then asks the apiserver itself, so that a store that is behind does no harm.
 * @throws what Temporal answers; the next resync tries again.
 */
export async function orphanedRuns({ temporal, stores }: OrphanedRunsPorts): Promise<string[]> {
  const open: string[] = [];
  for await (const { workflowId } of temporal.workflow.list({ query: QUERY })) open.push(workflowId);
  // Read after the list: a run that was just started has its object in the store.
  const present = new Set([
    ...stores.gameDeployments.list().map(({ metadata }) => workloadKey(GAME_DEPLOYMENT.kind, metadata)),
    ...stores.hookRuns.list().map(({ metadata }) => hookRunKey(metadata)),
  ]);
  return open.filter((key) => IS_KEY.test(key) && !present.has(key));
}

/** As `targetOf` can read it: a run that somebody started under another id is not ours. */
const IS_KEY = /^(gamedeployment|hookrun)\/[^/]+\/[^/]+$/;
