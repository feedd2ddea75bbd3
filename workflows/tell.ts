/** A word to another workflow that says by its sequence which one it is. */
import { getExternalWorkflowHandle, proxyLocalActivities, type SignalDefinition } from '@temporalio/workflow';
import type { MessageActivities } from '../activities/tell.ts';
import { BESIDE, doBeside } from './beside.ts';

const beside = proxyLocalActivities<MessageActivities>(BESIDE);

/**
 * Signals the run of this id that is there. Beside the workflow it costs a marker and no task of its own, but may then be heard twice or
 * late, and be sent by a workflow task that is lost: only for words whose sequence says to the receiver which one it is (docs/adr/0018).
 * @throws Error where no such workflow runs.
 */
export function tellWorkflow<T>(
  workflowId: string,
  signal: SignalDefinition<[T]>,
  message: T,
  { isBeside }: { isBeside: boolean },
): Promise<void> {
  const remote = () => getExternalWorkflowHandle(workflowId).signal(signal, message);
  // No promise more than runs of before had: their replay counts them.
  if (!isBeside) return remote();
  const request = { workflowId, signal: signal.name, message };
  return doBeside(
    () => beside.tell.executeWithOptions({ summary: `${signal.name} to ${workflowId}` }, [request]),
    remote,
  );
}
