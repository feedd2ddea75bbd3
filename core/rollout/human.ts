/**
 * What people may do with a rollout, and why it is refused (design §4, decisions 7, 10, 16).
 * Pure: the caller asks once and gets both the new state and the sentence that is true from then on.
 */
import { enter, leavePart, pauseEntry, settle } from './advance.ts';
import { dropHook, hookEntry, wantHook } from './hook-step.ts';
import { goBack, leaveSteps } from './leave-steps.ts';
import { refuse } from './refusals.ts';
import { copyState, currentStep, type RolloutState } from './state.ts';
import { addNotice, closeAllEntries, closeEntry, holdEntry, openEntry } from './step-log.ts';
import type { HumanMessage, HumanVerb } from './types.ts';
import { sentenceOf } from './view.ts';

export type HumanAnswer = { state: RolloutState; answer: string } | { refusal: string };

/** Applies a verb at once. The answer says what was done and what the rollout waits for now. */
export function applyHuman(state: RolloutState, verb: HumanVerb, message: HumanMessage, nowMs: number): HumanAnswer {
  const refusal = refuse(state, verb, message, nowMs);
  if (refusal !== undefined) return { refusal };
  const draft = copyState(state);
  draft.messages += 1;
  const done = ACTS[verb](draft, message, nowMs);
  settle(draft, nowMs);
  return { state: draft, answer: done === undefined ? sentenceOf(draft) : `${done}. ${sentenceOf(draft)}` };
}

/** A message that changes nothing is remembered and shown: nobody reads a signal's answer. */
export function noteRefusal(state: RolloutState, text: string, nowMs: number): RolloutState {
  const draft = copyState(state);
  draft.messages += 1;
  addNotice(draft, text, nowMs);
  return draft;
}

/** Answers what was done, where what the rollout waits for from then on does not say it. */
type HumanAct = (draft: RolloutState, message: HumanMessage, nowMs: number) => string | undefined;

const ACTS: Record<HumanVerb, HumanAct> = { pause, resume, skip, retry, abort, promote };

function pause(draft: RolloutState, message: HumanMessage, nowMs: number): undefined {
  const { by, reason } = message;
  draft.hold = { startedAtMs: nowMs, ...(by ? { by } : {}), ...(reason ? { reason } : {}) };
  openEntry(draft, holdEntry(draft.hold), nowMs, message);
}

/** Ends the pause of a person first: the pause of the step below it keeps its clock and needs a resume of its own. */
export function resume(draft: RolloutState, message: HumanMessage, nowMs: number): string {
  draft.resumedAtMs = nowMs;
  if (draft.hold) {
    releaseHold(draft, draft.hold, message, nowMs);
    return `Resumed at step ${draft.stepIndex}`;
  }
  const step = draft.stepIndex;
  closeEntry(draft, pauseEntry(draft), 'resumed', nowMs, message);
  leavePart(draft, nowMs);
  return `Resumed step ${step}`;
}

function releaseHold(
  draft: RolloutState,
  hold: NonNullable<RolloutState['hold']>,
  message: HumanMessage,
  nowMs: number,
): void {
  delete draft.hold;
  closeEntry(draft, holdEntry(hold), 'resumed', nowMs, message);
}

function skip(draft: RolloutState, message: HumanMessage, nowMs: number): string {
  if (message.pod !== undefined || draft.part === 'partition') return forward(draft, 'skip', message);
  const step = draft.stepIndex;
  const part = draft.part;
  if (draft.pause) closeEntry(draft, pauseEntry(draft), 'skipped', nowMs, message);
  if (part === 'hook') {
    if (draft.hook) closeEntry(draft, hookEntry(draft, draft.hook.attempt), 'skipped', nowMs, message);
    dropHook(draft);
  }
  leavePart(draft, nowMs);
  return `Skipped the ${part} of step ${step}`;
}

function retry(draft: RolloutState, message: HumanMessage, nowMs: number): string {
  if (message.pod !== undefined) return forward(draft, 'retry', message);
  if (draft.aborted) return restart(draft, message, nowMs);
  if (draft.hook?.status !== 'failed') return forward(draft, 'retry', message);
  closeEntry(draft, pauseEntry(draft), 'retried', nowMs, message);
  delete draft.pause;
  const { attempt } = wantHook(draft, nowMs);
  return `The hook ${currentStep(draft)?.hook?.templateName} of step ${draft.stepIndex} runs again, attempt ${attempt}`;
}

/** The gates of pods belong to the workload: it hears the same word. */
function forward(draft: RolloutState, verb: 'retry' | 'skip', message: HumanMessage): string {
  draft.forwards.push({ verb, message });
  const whose = message.pod === undefined ? '' : ` of pod ${message.pod}`;
  return `Told the workload to ${verb} the gates${whose} that failed, if any did`;
}

function restart(draft: RolloutState, message: HumanMessage, nowMs: number): string {
  closeAllEntries(draft, 'retried', nowMs, message);
  delete draft.aborted;
  draft.movesSinceMs = nowMs;
  enter(draft, draft.rolledBack ? draft.steps.length : 0, 'partition', nowMs);
  return 'Started again at step 0';
}

function abort(draft: RolloutState, message: HumanMessage, nowMs: number): undefined {
  goBack(draft, message, nowMs);
}

function promote(draft: RolloutState, message: HumanMessage, nowMs: number): string {
  leaveSteps(draft, 'promoted', message, nowMs);
  enter(draft, draft.steps.length, 'partition', nowMs);
  return 'Promoted: all remaining steps are passed';
}
