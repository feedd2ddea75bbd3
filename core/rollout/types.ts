/** The words of one rollout: steps, state, messages, results. Pure data, plain JSON: it is carried through continue-as-new. */
import type { IntOrString } from '../../crds/kubernetes.ts';

/** One canary step without hook arguments: those may hold secrets and stay in the object. */
export interface Step {
  partition?: IntOrString;
  /** `durationSeconds` absent: waits for a person. */
  pause?: { durationSeconds?: number };
  hook?: { templateName: string };
  /** What a hook does that failed; absent means pause. */
  onFailure?: 'pause' | 'abort';
}

export type RolloutPhase = 'Progressing' | 'Paused' | 'Aborted' | 'Completed' | 'RolledBack' | 'Superseded';

/** The verbs of people; each exists as a signal and as an update under the same name (design §4). */
export const HUMAN_VERBS = ['pause', 'resume', 'skip', 'retry', 'abort', 'promote'] as const;
export type HumanVerb = (typeof HUMAN_VERBS)[number];

/**
 * What a person sends, as signal or as update. `step` guards against acting on another step than the one looked at. With `pod`
 * the word is about hooks of that pod only.
 */
export interface HumanMessage {
  by?: string;
  reason?: string;
  step?: number;
  pod?: string;
}

/** `PausedByLostRun`: nobody paused it; its run was lost in the middle of a step, and a person says when it goes on. */
export type PauseReason = 'PausedByCanaryPauseStep' | 'PausedByStepBasedHook' | 'PausedByUser' | 'PausedByLostRun';

/** Where a rollout stood whose run was lost (decision 18). */
export interface ResumePoint {
  stepIndex: number;
  paused: boolean;
  aborted: boolean;
  /** What had paused it, as far as anybody knows. */
  pausedBy?: PauseReason;
  /** Of a hook that failed. */
  hookRun?: string;
  hookAttempt?: number;
}

/** What the workload shows of the rollout in the object's status; travels with every `allow`. */
export interface RolloutView {
  number: number;
  phase: RolloutPhase;
  stepIndex: number;
  stepCount: number;
  stepsHash: string;
  /** The Temporal namespace that commands have to name; absent: `default`. */
  temporalNamespace?: string;
  /** Since when this attempt moves pods to the target, as far as it knows. */
  movesSinceMs?: number;
  pause?: { reason: PauseReason; startedAtMs: number; endsAtMs?: number };
  /** HookRun of the current hook step, and its attempt where it is not the first. */
  hookRun?: string;
  hookAttempt?: number;
  /** The step takes longer than the spec allows (decision 17); the rollout goes on trying. */
  blocked?: { reason: 'ProgressDeadlineExceeded'; message: string; sinceMs: number };
  /** Where a failed hook aborted the rollout: one clause. */
  abortedBecause?: string;
  /** Values of the resume annotation that were acted on, or came too early to be meant (decision 7). */
  consumedResume?: string[];
  /** One sentence: what the rollout waits for, since when, and what would end it. */
  message: string;
}

/** One entry of the step log; the list is the run's result. Times are ISO 8601. */
export interface StepLogEntry {
  step: number;
  what: string;
  startedAt: string;
  endedAt?: string;
  outcome?: 'done' | 'resumed' | 'elapsed' | 'skipped' | 'retried' | 'promoted' | 'aborted' | 'superseded' | 'failed';
  by?: string;
  reason?: string;
}

export interface RolloutResult {
  outcome: 'Completed' | 'RolledBack' | 'Superseded' | 'Aborted';
  number: number;
  fromRevision: string;
  toRevision: string;
  startedAt: string;
  endedAt: string;
  steps: StepLogEntry[];
}
