/** How a hook-run workflow is started: by whoever rings its bell, with signal-with-start. */
import { hookRunId } from './ids.ts';
import { WORKFLOW_QUEUE } from './queues.ts';

/** One HookRun object. Another one under the same name is another run of the same workflow id. */
export interface HookRunInput {
  namespace: string;
  name: string;
  /** Empty where nobody knows it: the API server is asked what stands under the name. */
  uid: string;
  /** The workload whose canary step waits for it. Absent: no rollout does, or it was started by a release that did not say. */
  step?: { kind: string; name: string };
  /** Generation that the next measuring sees at least; a bell for a higher one makes it look again. */
  generation?: number;
  /** A run goes on in another one when its history is longer; 2,000 unless a test says less. */
  maxHistoryEvents?: number;
}

/** Type name of the workflow, and the options that start it. */
export const HOOK_RUN_WORKFLOW = 'hookRun';

export function hookRunStart(input: HookRunInput) {
  const { namespace, name } = input;
  return {
    workflowId: hookRunId(namespace, name),
    taskQueue: WORKFLOW_QUEUE,
    args: [input] as [HookRunInput],
    staticSummary: `HookRun ${namespace}/${name}`,
  };
}
