/** The one thing that a workload cannot say of itself: that its workflow is stuck (design §4 and §6.4). */
import type { Condition } from '../../crds/kubernetes.ts';
import { toCondition } from './conditions.ts';
import { sentence } from './sentence.ts';

/** Reason of `Stalled` and of `Ready=False` while a workflow task of the workload or of its rollout keeps failing. */
export const WORKFLOW_TASK_FAILED = 'WorkflowTaskFailed';

/** What Temporal reports of one run, e.g. `cause=WorkflowTaskFailedCauseNonDeterministicError`. */
export interface BlockedRun {
  workflowId: string;
  problems: string[];
}

export const isSaidBlocked = (conditions: Condition[] = []): boolean =>
  conditions.some(({ type, reason }) => type === 'Stalled' && reason === WORKFLOW_TASK_FAILED);

/** The conditions with the stuck run in them; all others stay as the workload wrote them last. */
export function withBlockedRun(
  conditions: Condition[],
  { workflowId, problems }: BlockedRun,
  generation: number,
  nowMs: number,
): Condition[] {
  const message = sentence(
    `Workflow ${workflowId} cannot go on because its workflow task fails (${problems.join(', ')}): nothing moves until a controller runs that can carry it on. Where an older release runs than before, start the newer one again; see temporal workflow describe -w ${workflowId}`,
  );
  const finding = { reason: WORKFLOW_TASK_FAILED, message };
  const said = [
    toCondition('Ready', { ...finding, status: 'False' }, conditions, generation, nowMs),
    toCondition('Stalled', { ...finding, status: 'True' }, conditions, generation, nowMs),
  ];
  return [...conditions.filter(({ type }) => type !== 'Ready' && type !== 'Stalled'), ...said];
}
