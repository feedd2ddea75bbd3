/** What `temporal workflow query --name state` and `holdfast get` read of a rollout. */
import { defineQuery } from '@temporalio/workflow';
import type { RolloutState } from '../core/rollout/state.ts';
import type { RolloutView, Step, StepLogEntry } from '../core/rollout/types.ts';

export interface RolloutReport {
  workload: string;
  fromRevision: string;
  toRevision: string;
  view: RolloutView;
  steps: Step[];
  log: StepLogEntry[];
  /** Why nothing moves, as the workload said; absent while something does. */
  blocked?: { reason: string; message: string; sinceMs: number };
  /** What was ignored lately, and why. */
  notices: { atMs: number; text: string }[];
}

export const rolloutState = defineQuery<RolloutReport>('state');

/** The part of the state that people and tools may rely on. */
export function reportOf(state: RolloutState): RolloutReport {
  const { workload, fromRevision, toRevision, view, steps, log, blocked, notices } = state;
  return { workload, fromRevision, toRevision, view, steps, log, ...(blocked ? { blocked } : {}), notices };
}
