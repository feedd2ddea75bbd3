/** What is said of a workload that cannot say it itself: its workflow is stuck, or waits for a write that is refused (design §4 and §6.4). */
import type { Condition } from '../../crds/kubernetes.ts';
import { toCondition } from './conditions.ts';

/** Reason of `Stalled` and of `Ready=False` while the API refuses to record the template. */
export const REVISION_REFUSED = 'RevisionRefused';

export interface Finding {
  reason: string;
  message: string;
}

/** Without a message: for that reason, whatever is said of it. */
export const isSaid = (conditions: Condition[] = [], { reason, message }: Partial<Finding>): boolean =>
  conditions.some(
    (said) => said.type === 'Stalled' && said.reason === reason && said.message === (message ?? said.message),
  );

/** The conditions with the finding in them; all others stay as the workload wrote them last. */
export function withStall(conditions: Condition[], finding: Finding, generation: number, nowMs: number): Condition[] {
  const said = [
    toCondition('Ready', { ...finding, status: 'False' }, conditions, generation, nowMs),
    toCondition('Stalled', { ...finding, status: 'True' }, conditions, generation, nowMs),
  ];
  return [...conditions.filter(({ type }) => type !== 'Ready' && type !== 'Stalled'), ...said];
}
