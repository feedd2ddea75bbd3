/** What rollouts ask of their activities, and what those answer. */
import type { RolloutResult } from '../core/rollout/types.ts';
import type { WorkloadKey } from './types.ts';

export interface StepHookRequest {
  key: WorkloadKey;
  uid: string;
  revision: string;
  stepIndex: number;
  stepsHash: string;
  /** The rollout's number: a HookRun that an earlier rollout left under the same name is not mistaken for this one's. */
  number: number;
  /** 1 at first, one more with each retry. */
  attempt: number;
}

/** Either the HookRun's name, or why it cannot be created: one sentence with the field's path. */
export type StepHookResult =
  | { hookRun: string; phase?: string; message?: string }
  | { blocked: string; message: string };

export interface CloseRolloutRequest {
  key: WorkloadKey;
  uid: string;
  result: RolloutResult;
}

export interface RolloutActivities {
  createStepHookRun(request: StepHookRequest): Promise<StepHookResult>;
  /** Terminates a step's HookRun that is no longer wanted. */
  cancelStepHookRun(request: { namespace: string; hookRun: string }): Promise<void>;
  /** Writes the summary on the ControllerRevision, so that it outlives Temporal's retention (decision 18). */
  closeRollout(request: CloseRolloutRequest): Promise<void>;
}
