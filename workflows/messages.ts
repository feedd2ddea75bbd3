/** Every message that workflows take, and the shapes that travel: one definition each, with what it is for. */
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Allowance, Counts } from '../core/plan/types.ts';
import type { HumanMessage, HumanVerb, RolloutView, Step } from '../core/rollout/types.ts';

export { HUMAN_VERBS, type HumanVerb } from '../core/rollout/types.ts';

/** The doorbell: something about the object changed. Never data (design §3). */
export interface Wake {
  uid: string;
  generation?: number;
  reason: string;
}

/** Rollout to workload. `sequence` grows by one with each; `reached` and `blocked` echo it. */
export interface Allow {
  uid: string;
  /** Number of the rollout that speaks; an older rollout is ignored. */
  number: number;
  sequence: number;
  allowance: Allowance;
  view: RolloutView;
}

/** Workload to rollout: all that this allowance permits is done. */
export interface Reached {
  number: number;
  sequence: number;
  observedGeneration: number;
  /** Partition as resolved against replicas; above 0 a rollout without steps stays open. */
  partition: number;
  counts: Counts;
}

/** Workload to rollout: nothing moves, and why. */
export interface Blocked {
  number: number;
  sequence: number;
  observedGeneration: number;
  reason: string;
  message: string;
}

/** Workload to rollout: the spec's rollout fields changed without a new template (decisions 7, 12, 13, 17). */
export interface Revise {
  steps?: Step[];
  stepsHash?: string;
  /** Value of `spec.updateStrategy.paused`. */
  pausedByUser: boolean;
  /** True where `paused` was seen to change from true to false. */
  pauseLifted?: boolean;
  /** The pause that was written into the spec (decision 9) and is lifted there. */
  liftedPause?: { step: number; startedAtMs: number };
  /** Value of the annotation `holdfast.dev/resume`. */
  resumeToken?: string;
  /** Value of `spec.progressDeadlineSeconds`; null: none is given. Absent: not said. */
  progressDeadlineSeconds?: number | null;
}

/** The workload tells the running rollout that another template took its place. */
export interface Supersede {
  /** Number of the rollout that follows. */
  number: number;
  revision: string;
  /** The template equals the stable revision again: the outcome is RolledBack. */
  rolledBack: boolean;
}

/** A HookRun of a hook step has its verdict. */
export interface Finished {
  hookRun: string;
  phase: string;
  message?: string;
}

export const wake = defineSignal<[Wake]>('wake');
export const allow = defineSignal<[Allow]>('allow');
export const reached = defineSignal<[Reached]>('reached');
export const blocked = defineSignal<[Blocked]>('blocked');
export const revise = defineSignal<[Revise]>('revise');
export const supersede = defineSignal<[Supersede]>('supersede');
export const finished = defineSignal<[Finished]>('finished');

/** The signal of a human verb: any Temporal CLI can send it, nothing is answered. */
export const humanSignal = (verb: HumanVerb) => defineSignal<[HumanMessage?]>(verb);
/** The update of a human verb: answers what happened, or a refusal with its reason. */
export const humanUpdate = (verb: HumanVerb) => defineUpdate<string, [HumanMessage?]>(verb);
