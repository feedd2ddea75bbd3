/**
 * Carries a rollout as far as the facts in its state allow: part by part, step by step (game-workloads §2.2, R4, R5).
 * Changes the draft it is given; every change of a rollout ends with `settle`.
 */
import { allowanceOf, isSameAllowance } from './allowance.ts';
import { wantHook } from './hook-step.ts';
import { goBack } from './leave-steps.ts';
import { resetClock, runClock } from './progress-clock.ts';
import { currentStep, isHalted, type Part, type RolloutState, type StepHook } from './state.ts';
import { closeAllEntries, closeEntry, ensureEntry } from './step-log.ts';
import type { Step } from './types.ts';
import { viewOf } from './view.ts';

const NEXT_PART: Record<Part, Part | undefined> = { partition: 'hook', hook: 'pause', pause: undefined };

/** Goes on while parts are done, then brings allowance, clock and view in line with where that led. */
export function settle(state: RolloutState, nowMs: number): void {
  do {
    syncAllowance(state, nowMs);
  } while (!isHalted(state) && passPart(state, nowMs));
  syncAllowance(state, nowMs);
  runClock(state, nowMs);
  syncView(state, nowMs);
}

/** Moves to the beginning of a part; what was waited for before is forgotten. */
export function enter(state: RolloutState, stepIndex: number, part: Part, nowMs: number): void {
  if (stepIndex !== state.stepIndex || part === 'partition') resetClock(state);
  state.stepIndex = stepIndex;
  state.part = part;
  state.partSinceMs = nowMs;
  delete state.pause;
  delete state.hook;
}

/** Leaves the current part for the next one of this step, or for the next step. */
export function leavePart(state: RolloutState, nowMs: number): void {
  const next = NEXT_PART[state.part];
  if (next) enter(state, state.stepIndex, next, nowMs);
  else enter(state, state.stepIndex + 1, 'partition', nowMs);
}

/** Name of the current wait for pods in the step log. */
function partitionEntry(state: RolloutState): string {
  const step = currentStep(state);
  if (step) return `partition ${step.partition}`;
  return state.steps.length === 0 && !state.rolledBack ? 'all pods that the spec allows' : 'all pods';
}

/** Name of the current pause in the step log. */
export function pauseEntry(state: RolloutState): string {
  if (state.pause?.reason === 'PausedByStepBasedHook') return 'pause after the failed hook';
  const seconds = currentStep(state)?.pause?.durationSeconds;
  return seconds === undefined ? 'pause until resumed' : `pause ${seconds} s`;
}

/** True where the current part was done and the rollout stands at another one now. */
function passPart(state: RolloutState, nowMs: number): boolean {
  const step = currentStep(state);
  if (!step) return finish(state, nowMs);
  if (!isPartDone(state, step, nowMs)) return false;
  leavePart(state, nowMs);
  return true;
}

function isPartDone(state: RolloutState, step: Step, nowMs: number): boolean {
  switch (state.part) {
    case 'partition':
      return step.partition === undefined || isPartitionDone(state, nowMs);
    case 'hook':
      return step.hook === undefined || isHookDone(state, nowMs);
    case 'pause':
      return step.pause === undefined || isPauseDone(state, step.pause, nowMs);
  }
}

function isPartitionDone(state: RolloutState, nowMs: number): boolean {
  ensureEntry(state, partitionEntry(state), nowMs);
  if (!state.reached) return false;
  closeEntry(state, partitionEntry(state), 'done', nowMs);
  return true;
}

function isHookDone(state: RolloutState, nowMs: number): boolean {
  const hook = state.hook ?? wantHook(state, nowMs);
  if (hook.status === 'failed' && !state.pause) takeFailure(state, hook, nowMs);
  return hook.status === 'successful';
}

/** A step may say that its hook decides: then nobody is waited for. */
function takeFailure(state: RolloutState, { message = 'its hook did not succeed' }: StepHook, nowMs: number): void {
  if (currentStep(state)?.onFailure === 'abort') {
    const because = `${message} at step ${state.stepIndex}`;
    goBack(state, { by: 'onFailure: abort', reason: because }, nowMs, because);
    return;
  }
  state.pause = { reason: 'PausedByStepBasedHook', startedAtMs: nowMs };
  ensureEntry(state, pauseEntry(state), nowMs);
}

/** A pause begins when the partition of before is reached, and ends by its clock or by a person. */
function isPauseDone(state: RolloutState, { durationSeconds }: { durationSeconds?: number }, nowMs: number): boolean {
  if (!state.pause) {
    if (state.reached) beginPause(state, durationSeconds, nowMs);
    return false;
  }
  const { endsAtMs } = state.pause;
  if (endsAtMs === undefined || nowMs < endsAtMs) return false;
  closeEntry(state, pauseEntry(state), 'elapsed', nowMs);
  return true;
}

/** Starts the pause of the current step; a duration is in seconds. */
export function beginPause(state: RolloutState, durationSeconds: number | undefined, nowMs: number): void {
  state.pause = { reason: 'PausedByCanaryPauseStep', startedAtMs: nowMs };
  if (durationSeconds !== undefined) state.pause.endsAtMs = nowMs + durationSeconds * 1000;
  ensureEntry(state, pauseEntry(state), nowMs);
}

/** Completed when the last answer says that no pod has to stay old (decision 15). Never "passes" to another part. */
function finish(state: RolloutState, nowMs: number): false {
  ensureEntry(state, partitionEntry(state), nowMs);
  if (state.reached?.partition === 0) {
    closeAllEntries(state, 'done', nowMs);
    state.closed = { outcome: 'Completed', atMs: nowMs };
  }
  return false;
}

/** A changed allowance voids the answer to the one before. */
function syncAllowance(state: RolloutState, nowMs: number): void {
  const allowance = allowanceOf(state);
  if (isSameAllowance(allowance, state.allowance)) return;
  state.allowance = allowance;
  tellAgain(state, nowMs);
  state.allowanceSequence = state.sequence;
  delete state.reached;
}

/** The workload shows the view; a run that was replaced has nothing more to show. */
function syncView(state: RolloutState, nowMs: number): void {
  const view = viewOf(state);
  if (JSON.stringify(view) === JSON.stringify(state.view)) return;
  state.view = view;
  if (!state.closed || state.closed.outcome === 'Completed') tellAgain(state, nowMs);
}

/** One more message to the workload. A number that was never sent is used again. */
export function tellAgain(state: RolloutState, nowMs: number): void {
  if (state.sentSequence === state.sequence) state.sequence = nextSequence(state, nowMs);
}

/**
 * The number after the last one. A run that somebody resets forgets how far it had counted, and the workload hears only what is
 * newer than the last it heard: so the clock counts (decision 18).
 */
function nextSequence({ rulesVersion, sequence }: RolloutState, nowMs: number): number {
  return rulesVersion < 2 ? sequence + 1 : Math.max(sequence + 1, nowMs);
}
