/** The first state of a rollout, new or found again after its run was lost (decision 18). */
import { namedNamespace } from '../command-text.ts';
import { beginPause, enter, settle } from './advance.ts';
import { allowanceOf } from './allowance.ts';
import { limitMsOf } from './progress-clock.ts';
import { currentStep, type RolloutStart, type RolloutState } from './state.ts';
import { holdEntry, openEntry } from './step-log.ts';
import type { ResumePoint, RolloutView, Step } from './types.ts';

/**
 * Builds the state and goes as far as it can; the first allowance is not sent yet. A resume annotation that is there already
 * was meant for a rollout before this one, or has acted in a run that was lost: it does not act again.
 */
export function begin(start: RolloutStart, nowMs: number): RolloutState {
  const state = blank(start, nowMs);
  state.allowance = allowanceOf(state);
  if (start.resumeAt) takeUp(state, start.resumeAt, nowMs);
  settle(state, nowMs);
  state.allowanceSequence = state.sequence;
  return state;
}

function blank(start: RolloutStart, nowMs: number): RolloutState {
  const { rulesVersion, workload, number, fromRevision, toRevision, rolledBack, steps, stepsHash } = start;
  const stepIndex = rolledBack ? steps.length : Math.min(start.resumeAt?.stepIndex ?? 0, steps.length);
  // A run that takes over a lost one, or was reset, speaks under the same number: its messages must be newer than all before.
  const first = start.resumeAt || rulesVersion >= 2 ? nowMs : 1;
  return {
    ...{ rulesVersion, workload, number, fromRevision, toRevision, rolledBack, steps, stepsHash, stepIndex },
    ...namedNamespace(start.temporalNamespace),
    startedAtMs: nowMs,
    ...(start.resumeAt ? {} : { movesSinceMs: nowMs }),
    part: 'partition',
    partSinceMs: nowMs,
    allowance: { revision: '', partition: '100%', paused: true },
    view: {} as RolloutView,
    sequence: first,
    allowanceSequence: first,
    sentSequence: first - 1,
    ...(start.pausedByUser ? { userPausedSinceMs: nowMs } : {}),
    consumedTokens: start.resumeToken ? [start.resumeToken] : [],
    hookAttempts: {},
    unwantedHookRuns: [],
    callsInFlight: 0,
    forwards: [],
    clock: { limitMs: limitMsOf(start.progressDeadlineSeconds), spentMs: 0 },
    log: [],
    notices: [],
    messages: 0,
  };
}

/**
 * Stays where the lost run stood. A step that was at its pause, or is nothing else, is paused again at once, a timed one with its
 * whole time; one whose hook had failed waits for a person as it did. Any other step is held until a person resumes it, and then
 * done as if it were new, so that nothing is skipped.
 */
function takeUp(state: RolloutState, at: ResumePoint, nowMs: number): void {
  const step = currentStep(state);
  if (at.aborted) {
    state.aborted = { atMs: nowMs };
    openEntry(state, `back to ${state.fromRevision}`, nowMs);
  } else if (at.paused && at.pausedBy === 'PausedByStepBasedHook' && step?.hook) {
    enter(state, state.stepIndex, 'hook', nowMs);
    rememberFailure(state, at);
  } else if (at.paused && step?.pause && (at.pausedBy === 'PausedByCanaryPauseStep' || isOnlyPause(step))) {
    enter(state, state.stepIndex, 'pause', nowMs);
    beginPause(state, step.pause.durationSeconds, nowMs);
  } else if (at.paused) {
    hold(state, at, nowMs);
  }
}

/** The step pauses because of it; how it failed, only its HookRun knows. */
function rememberFailure(state: RolloutState, { hookRun, hookAttempt: attempt = 1 }: ResumePoint): void {
  const run = hookRun === undefined ? 'its HookRun' : `HookRun ${hookRun}`;
  const message = `${run} did not succeed, before the run of this rollout was lost`;
  state.hookAttempts[state.stepIndex] = attempt;
  state.hook = { attempt, status: 'failed', ...(hookRun === undefined ? {} : { hookRun }), message };
}

function hold(state: RolloutState, { pausedBy }: ResumePoint, nowMs: number): void {
  const isLoss = pausedBy === 'PausedByUser' ? {} : { isLoss: true as const };
  const reason = pausedBy === 'PausedByUser' ? 'it was paused when its run was lost' : 'its run was lost';
  state.hold = { startedAtMs: nowMs, ...isLoss, reason };
  openEntry(state, holdEntry(state.hold), nowMs, { by: 'holdfast', reason });
}

const isOnlyPause = ({ partition, hook }: Step): boolean => partition === undefined && hook === undefined;
