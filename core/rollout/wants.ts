/** What has to be carried out for a rollout right now: one thing at a time, read off its state. Pure. */
import type { Allowance } from '../plan/types.ts';
import { exceedsAtMs } from './progress-clock.ts';
import { currentStep, partitionPath, type RolloutState } from './state.ts';
import type { HumanMessage, RolloutResult, RolloutView } from './types.ts';

export type Want =
  | { act: 'allow'; sequence: number; allowance: Allowance; view: RolloutView }
  | { act: 'forward'; verb: 'retry' | 'skip'; message: HumanMessage }
  | { act: 'cancel-hook-run'; hookRun: string }
  | { act: 'create-hook-run'; stepIndex: number; attempt: number; stepsHash: string; template: string }
  | { act: 'close'; result: RolloutResult }
  /** Nothing to do until a message comes, the step's own time is over, or the alarm rings. */
  | { act: 'wait'; alarm?: Wait };

/**
 * A stretch of time for a timer: until `untilMs`, or without an end. One with the same key is the same stretch: its timer
 * goes on. The summary is what people read in the Timeline.
 */
export interface Wait {
  key: string;
  untilMs?: number;
  summary: string;
}

/** The next thing to do, the most urgent first: the workload hears of a changed allowance before anything else. */
export function wants(state: RolloutState, nowMs: number): Want {
  const { delivery } = state;
  if (mustTell(state)) {
    if (delivery && nowMs < delivery.retryAtMs) return { act: 'wait', alarm: retryWait(state, delivery.retryAtMs) };
    return { act: 'allow', sequence: state.sequence, allowance: state.allowance, view: state.view };
  }
  const [forward] = state.forwards;
  if (forward) return { act: 'forward', ...forward };
  const [hookRun] = state.unwantedHookRuns;
  if (hookRun) return { act: 'cancel-hook-run', hookRun };
  if (state.closed) return state.callsInFlight > 0 ? { act: 'wait' } : { act: 'close', result: resultOf(state) };
  return createOf(state) ?? { act: 'wait' };
}

/** A run that was replaced says nothing more: the workload listens to its successor. */
function mustTell(state: RolloutState): boolean {
  const isHeard = !state.closed || state.closed.outcome === 'Completed';
  return isHeard && (state.sequence > state.sentSequence || state.delivery !== undefined);
}

function createOf(state: RolloutState): Want | undefined {
  const template = currentStep(state)?.hook?.templateName;
  if (state.hook?.status !== 'wanted' || state.hold || template === undefined) return undefined;
  const { stepIndex, stepsHash } = state;
  return { act: 'create-hook-run', stepIndex, attempt: state.hook.attempt, stepsHash, template };
}

/** The run's result; times are ISO 8601. */
function resultOf(state: RolloutState): RolloutResult {
  const { number, fromRevision, toRevision, startedAtMs, closed, log } = state;
  const iso = (ms: number) => new Date(ms).toISOString();
  const endedAt = iso(closed!.atMs);
  return {
    outcome: closed!.outcome,
    number,
    fromRevision,
    toRevision,
    startedAt: iso(startedAtMs),
    endedAt,
    steps: log,
  };
}

const retryWait = (state: RolloutState, untilMs: number): Wait => ({
  key: `delivery ${state.delivery?.failures}`,
  untilMs,
  summary: `no workflow ${state.workload} is there; tells it again`,
});

/** The one timer of the present step: until a pause's end, a partition's deadline, or without an end; none when it is over. */
export function stepWait(state: RolloutState): Wait | undefined {
  if (state.closed) return undefined;
  const key = `${state.stepIndex} ${state.part} ${state.partSinceMs} ${waitKind(state)}`;
  const untilMs = state.hold ? undefined : (state.pause?.endsAtMs ?? exceedsAtMs(state));
  return { key, summary: summaryOf(state), ...(untilMs === undefined ? {} : { untilMs }) };
}

function waitKind(state: RolloutState): string {
  if (state.aborted) return `aborted ${state.aborted.atMs}`;
  if (state.hold) return `held ${state.hold.startedAtMs}`;
  if (state.pause) return `paused ${state.pause.startedAtMs}`;
  return state.hook ? `hook ${state.hook.attempt}` : 'pods';
}

/** A few words, for the bar of a timer. */
function summaryOf(state: RolloutState): string {
  const at = currentStep(state) ? `step ${state.stepIndex}: ` : '';
  if (state.aborted) return `aborted at step ${state.stepIndex}: back to ${state.fromRevision}`;
  if (state.hold?.isLoss) return `${at}held since its run was lost`;
  if (state.hold) return `${at}paused by ${state.hold.by ?? 'a message'}`.slice(0, 200);
  if (state.pause?.reason === 'PausedByStepBasedHook') return `${at}paused, its hook failed`;
  if (state.pause)
    return state.pause.endsAtMs === undefined ? `${at}paused until resumed` : `${at}pause ${secondsOf(state)} s`;
  if (state.part === 'hook') return `${at}hook ${currentStep(state)?.hook?.templateName}`;
  if (state.part === 'pause') return `${at}before the pause`;
  return `${at}${podsOf(state)}`;
}

const secondsOf = (state: RolloutState) => currentStep(state)?.pause?.durationSeconds;

function podsOf(state: RolloutState): string {
  const { partition } = state.allowance;
  if (partition === 'spec') return `as far as ${partitionPath(state)} allows`;
  return partition === 0 ? 'all pods' : `partition ${partition}`;
}
