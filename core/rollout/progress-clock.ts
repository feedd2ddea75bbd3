/** The progress deadline of a step (decision 17): time spent waiting for pods, without pauses, hooks and gates. */
import { currentStep, isHalted, type RolloutState } from './state.ts';

/** Reasons of the workload for which nobody can blame the pods. */
const CLOCK_STOPS_FOR: ReadonlySet<string> = new Set([
  'GateWaiting',
  'GateFailed',
  'PostInplaceHookFailed',
  'Suspended',
  'WaitsForDeletion',
]);

/** Pods stand before a gate that nobody can be asked at: what is missing has to be given. */
const HOOK_CANNOT_RUN: ReadonlySet<string> = new Set([
  'HookTemplateMissing',
  'HookArgumentUnresolved',
  'NotImplemented',
]);

/** True while the rollout waits for pods to move. */
function waitsForPods(state: RolloutState): boolean {
  if (isHalted(state) || state.pause || state.reached || state.part === 'hook') return false;
  const step = currentStep(state);
  return step === undefined || state.part === 'pause' || step.partition !== undefined;
}

/**
 * Counts what has passed since the last look and decides whether the clock runs on; also without a deadline, since one may
 * be given later. Changes the draft.
 */
export function runClock(state: RolloutState, nowMs: number): void {
  const { clock } = state;
  clock.spentMs = spentMs(state, nowMs);
  delete clock.runningSinceMs;
  if (!waitsForPods(state) || isExcused(state)) return;
  clock.runningSinceMs = nowMs;
  if (clock.limitMs !== undefined && clock.spentMs >= clock.limitMs) clock.exceededAtMs ??= nowMs;
}

const spentMs = ({ clock }: RolloutState, nowMs: number): number =>
  clock.spentMs + Math.max(0, nowMs - (clock.runningSinceMs ?? nowMs));

/** The clock's limit for a deadline in seconds; undefined where there is none. */
export const limitMsOf = (seconds: number | null | undefined): number | undefined =>
  typeof seconds === 'number' ? seconds * 1000 : undefined;

/** Another deadline, in seconds; null: none any more. What this step has waited already counts against it. Changes the draft. */
export function changeLimit(state: RolloutState, seconds: number | null, nowMs: number): void {
  const { clock } = state;
  clock.limitMs = limitMsOf(seconds);
  if (clock.limitMs === undefined || spentMs(state, nowMs) < clock.limitMs) delete clock.exceededAtMs;
}

/** The user or a gate stops the pods. */
function isExcused(state: RolloutState): boolean {
  const { rulesVersion, userPausedSinceMs, blocked: { reason = '' } = {} } = state;
  const isBeforeGate = rulesVersion >= 4 && HOOK_CANNOT_RUN.has(reason);
  return userPausedSinceMs !== undefined || CLOCK_STOPS_FOR.has(reason) || isBeforeGate;
}

/** A new step gets the whole time again. */
export function resetClock(state: RolloutState): void {
  state.clock = { limitMs: state.clock.limitMs, spentMs: 0 };
}

/** When the running clock will be exceeded; undefined where it stands still, has no limit or is exceeded already. */
export function exceedsAtMs({ clock }: RolloutState): number | undefined {
  if (clock.limitMs === undefined || clock.runningSinceMs === undefined || clock.exceededAtMs !== undefined) return;
  return clock.runningSinceMs + clock.limitMs - clock.spentMs;
}
