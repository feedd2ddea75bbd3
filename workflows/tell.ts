/** A workflow's word to another one. */
import { getExternalWorkflowHandle, proxyLocalActivities, type SignalDefinition } from '@temporalio/workflow';
import type { MessageActivities } from '../activities/tell.ts';
import { BESIDE, doBeside } from './beside.ts';

const beside = proxyLocalActivities<MessageActivities>(BESIDE);

/**
 * Signals the run of this id that is there. Beside the workflow it costs a marker and no task of its own; it may then be heard twice,
 * which no message of ours minds (docs/adr/0018).
 * @throws Error where no such workflow runs.
 */
export async function tellWorkflow<M extends [unknown?]>(
  workflowId: string,
  signal: SignalDefinition<M>,
  message: M[0],
  { isBeside }: { isBeside: boolean },
): Promise<void> {
  const remote = () => getExternalWorkflowHandle(workflowId).signal<M>(signal, ...([message] as unknown as M));
  if (!isBeside) return await remote();
  const request = { workflowId, signal: signal.name, message };
  const local = () => beside.tell.executeWithOptions({ summary: `${signal.name} to ${workflowId}` }, [request]);
  await doBeside(local, remote);
}
