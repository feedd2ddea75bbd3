/** The first state of a rollout, new or found again after its run was lost (decision 18). */
import { beginPause, enter, settle } from './advance.ts';
import { allowanceOf } from './allowance.ts';
import { limitMsOf } from './progress-clock.ts';
import { currentStep, type RolloutStart, type RolloutState } from './state.ts';
import { openEntry } from './step-log.ts';
import type { RolloutView, Step } from './types.ts';

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
    startedAtMs: nowMs,
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
 * Stays where the lost run stood. A step that is nothing but a pause is paused again at once, a timed one with its whole
 * time; any other step is held until a person resumes it, and then done as if it were new, so that nothing is skipped.
 */
function takeUp(state: RolloutState, at: NonNullable<RolloutStart['resumeAt']>, nowMs: number): void {
  const step = currentStep(state);
  if (at.aborted) {
    state.aborted = { atMs: nowMs };
    openEntry(state, `back to ${state.fromRevision}`, nowMs);
  } else if (at.paused && step && isOnlyPause(step)) {
    enter(state, state.stepIndex, 'pause', nowMs);
    beginPause(state, step.pause.durationSeconds, nowMs);
  } else if (at.paused) {
    const reason = 'the run was lost and found again in a pause';
    state.hold = { startedAtMs: nowMs, by: 'holdfast', reason };
    openEntry(state, 'pause by message', nowMs, state.hold);
  }
}

const isOnlyPause = (step: Step): step is Step & { pause: object } =>
  step.pause !== undefined && step.partition === undefined && step.hook === undefined;
