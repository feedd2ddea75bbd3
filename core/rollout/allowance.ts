/** How far pods may move at a step. The counting itself belongs to the planner. */
import type { Allowance } from '../plan/types.ts';
import { isPaused, type RolloutState } from './state.ts';
import type { Step } from './types.ts';

/** Keeps every pod at the old revision, whatever `replicas` becomes. */
const ALL_OLD = '100%';

/**
 * Partition in force at `index` (game-workloads §2.2): that of the nearest step at or before it; none yet: nothing
 * moves; all steps done: 0; no steps at all: what the spec says.
 */
export function effectivePartition(steps: Step[], index: number): Allowance['partition'] {
  if (steps.length === 0) return 'spec';
  if (index >= steps.length) return 0;
  const nearest = steps.slice(0, index + 1).findLast((step) => step.partition !== undefined);
  return nearest?.partition ?? ALL_OLD;
}

/** The allowance that the state asks for. An aborted rollout lets all pods go back under the normal budget (decision 16). */
export function allowanceOf(state: RolloutState): Allowance {
  if (state.aborted) return { revision: state.fromRevision, partition: 0, paused: false };
  const partition = state.rolledBack ? 0 : effectivePartition(state.steps, state.stepIndex);
  return { revision: state.toRevision, partition, paused: isPaused(state) };
}

/** Compares allowances by value. */
export const isSameAllowance = (left: Allowance, right: Allowance): boolean =>
  left.revision === right.revision && left.partition === right.partition && left.paused === right.paused;
