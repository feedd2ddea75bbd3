/** One Temporal namespace serves one cluster: its identity is kept in the memo of the doorbell workflow (design §4). */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { temporalCommand } from '../core/command-text.ts';
import { DOORBELL_ID } from '../workflows/doorbell-start.ts';
import { WORKFLOW_QUEUE } from '../workflows/queues.ts';
import { CannotStart } from './startup-error.ts';

type Workflows = Pick<Client, 'workflow'>;

/** Starts the doorbell workflow where it does not run. @throws CannotStart where another cluster holds the namespace. */
export async function claimCluster({ workflow }: Workflows, clusterUid: string): Promise<void> {
  const handle = await workflow.start('doorbell', {
    workflowId: DOORBELL_ID,
    taskQueue: WORKFLOW_QUEUE,
    args: [],
    memo: { clusterUid },
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: 'Elects the process that watches the cluster and rings the bells',
  });
  const { memo } = await handle.describe();
  const recorded = memo?.clusterUid;
  if (recorded === undefined || recorded === clusterUid) return;
  const free = temporalCommand('terminate', DOORBELL_ID, workflow.options.namespace);
  throw new CannotStart(
    `This Temporal namespace belongs to another cluster (kube-system ${recorded}, not ${clusterUid}): give each cluster its own. Where that cluster is gone for good, \`${free}\` frees the namespace`,
  );
}

/**
 * Starts it again where somebody ended it, or Temporal was made anew: nobody would ring. Answers whether it had to.
 * @throws as `claimCluster` does.
 */
export async function keepClaim(client: Workflows, clusterUid: string): Promise<boolean> {
  if (await isRunning(client)) return false;
  await claimCluster(client, clusterUid);
  return true;
}

async function isRunning({ workflow }: Workflows): Promise<boolean> {
  try {
    const { status } = await workflow.getHandle(DOORBELL_ID).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
