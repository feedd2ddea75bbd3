/** The hook of a step: one HookRun per attempt, and what its verdict means. Changes the draft it is given. */
import type { RolloutState, StepHook } from './state.ts';
import { closeEntry, openEntry } from './step-log.ts';

/** The words of a HookRun that ended; any phase but these is still on its way. */
const FAILED_PHASES: ReadonlySet<string> = new Set([
  'Failed',
  'Error',
  'Inconclusive',
  'Terminated',
  'Skipped',
  'Gone',
]);

/** Name of a hook attempt in the step log. */
export function hookEntry(state: RolloutState, attempt: number): string {
  const name = state.steps[state.stepIndex]?.hook?.templateName ?? '';
  return attempt === 1 ? `hook ${name}` : `hook ${name}, attempt ${attempt}`;
}

/** Asks for a run of the current step's hook; an attempt's number is never used twice in a rollout. */
export function wantHook(state: RolloutState, nowMs: number): StepHook {
  const attempt = (state.hookAttempts[state.stepIndex] ?? 0) + 1;
  state.hookAttempts[state.stepIndex] = attempt;
  state.hook = { attempt, status: 'wanted' };
  openEntry(state, hookEntry(state, attempt), nowMs);
  return state.hook;
}

/** Nobody waits for the current hook any more; a run that is on its way is terminated. */
export function dropHook(state: RolloutState): void {
  const { hook } = state;
  if (hook?.status === 'running' && hook.hookRun) state.unwantedHookRuns.push(hook.hookRun);
  delete state.hook;
}

/** Records a verdict; phases on the way change nothing. */
export function judgeHook(state: RolloutState, phase: string, message: string | undefined, nowMs: number): void {
  const { hook } = state;
  if (!hook || hook.status === 'successful' || hook.status === 'failed') return;
  if (phase === 'Successful') {
    hook.status = 'successful';
    closeEntry(state, hookEntry(state, hook.attempt), 'done', nowMs);
    return;
  }
  if (!FAILED_PHASES.has(phase)) return;
  const run = hook.hookRun ?? 'the HookRun';
  failHook(state, message ? `${run} is ${phase}: ${message}` : `${run} is ${phase}`, nowMs);
}

/** The hook cannot be created or did not succeed: the step will pause with this sentence. */
export function failHook(state: RolloutState, sentence: string, nowMs: number): void {
  if (!state.hook) return;
  state.hook.status = 'failed';
  state.hook.message = sentence.slice(0, 500);
  closeEntry(state, hookEntry(state, state.hook.attempt), 'failed', nowMs, { reason: state.hook.message });
}
