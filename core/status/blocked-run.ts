/** The one thing that a workload cannot say of itself: that its workflow is stuck (design §4 and §6.4). */
import type { Condition } from '../../crds/kubernetes.ts';
import { temporalCommand } from '../command-text.ts';
import { sentence } from './sentence.ts';
import { type Finding, isSaid } from './stalled.ts';

/** Reason of `Stalled` and of `Ready=False` while a workflow task of the workload or of its rollout keeps failing. */
export const WORKFLOW_TASK_FAILED = 'WorkflowTaskFailed';

/** What Temporal reports of one run, e.g. `cause=WorkflowTaskFailedCauseNonDeterministicError`. */
export interface BlockedRun {
  workflowId: string;
  problems: string[];
  /** Where it runs; absent: `default`. */
  temporalNamespace?: string;
}

export const isSaidBlocked = (conditions?: Condition[]): boolean =>
  isSaid(conditions, { reason: WORKFLOW_TASK_FAILED });

export function blockedFinding({ workflowId, problems, temporalNamespace }: BlockedRun): Finding {
  const see = temporalCommand('describe', workflowId, temporalNamespace);
  const message = sentence(
    `Workflow ${workflowId} cannot go on because its workflow task fails (${problems.join(', ')}): nothing moves until a controller runs that can carry it on. Where an older release runs than before, start the newer one again; see ${see}`,
  );
  return { reason: WORKFLOW_TASK_FAILED, message };
}
