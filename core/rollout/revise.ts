/**
 * Edits of the spec that do not make a new rollout: steps, paused, the resume annotation, the progress deadline (decisions 7,
 * 8, 12, 13, 17). Pure.
 */
import { canonicalJson } from '../canonical-json.ts';
import { enter, settle, tellAgain } from './advance.ts';
import { dropHook } from './hook-step.ts';
import { applyHuman, type HumanAnswer } from './human.ts';
import { changeLimit } from './progress-clock.ts';
import { copyState, type RolloutState, resumeToken } from './state.ts';
import { addNotice, closeAllEntries, closeEntry, holdEntry, openEntry } from './step-log.ts';
import type { Step } from './types.ts';

/** What the workload saw in the spec. Absent steps: not changed. */
export interface Revision {
  steps?: Step[];
  stepsHash?: string;
  pausedByUser: boolean;
  pauseLifted?: boolean;
  /** The pause that the engine wrote into the spec and somebody lifted there (decision 9): no other one ends by it. */
  liftedPause?: { step: number; startedAtMs: number };
  resumeToken?: string;
  /** null: there is none. Absent: not said, as by a workload of an older release; the known one stays. */
  progressDeadlineSeconds?: number | null;
}

const USER_PAUSE_ENTRY = 'pause by spec.updateStrategy.paused';
const TOKENS_KEPT = 20;

/**
 * Applies an edit and tells the workload the allowance again: a workload that lost its state asks by revising.
 * `pauseLifted` and a token that names the present step end a pause as the message `resume` does.
 */
export function applyRevise(state: RolloutState, revision: Revision, nowMs: number): RolloutState {
  const draft = copyState(state);
  draft.messages += 1;
  if (draft.closed) return draft;
  if (revision.steps && revision.stepsHash !== draft.stepsHash) editSteps(draft, revision, nowMs);
  setUserPause(draft, revision.pausedByUser, nowMs);
  if (revision.progressDeadlineSeconds !== undefined) changeLimit(draft, revision.progressDeadlineSeconds, nowMs);
  tellAgain(draft, nowMs);
  settle(draft, nowMs);
  const isLifted = revision.pauseLifted === true || isLiftOf(draft, revision.liftedPause);
  const lifted = isLifted ? resumeBy(draft, 'spec.updateStrategy.paused', nowMs) : draft;
  return takeToken(lifted, revision.resumeToken, nowMs);
}

/** Continues at the smaller of the present index and the first step that differs; an unchanged step keeps all it has. */
function editSteps(draft: RolloutState, { steps = [], stepsHash = '' }: Revision, nowMs: number): void {
  const differs = firstDifference(draft.steps, steps);
  const stepIndex = draft.rolledBack ? steps.length : Math.min(draft.stepIndex, differs);
  const isSameStep = stepIndex === draft.stepIndex && stepIndex < differs;
  draft.stepsHash = stepsHash;
  if (!isSameStep && !draft.aborted) leave(draft, nowMs);
  draft.steps = steps;
  if (draft.aborted) draft.stepIndex = stepIndex;
  else if (!isSameStep) enter(draft, stepIndex, 'partition', nowMs);
}

/** Index of the first step that differs; equal lists differ nowhere. */
function firstDifference(before: Step[], after: Step[]): number {
  const index = before.findIndex((step, at) => canonicalJson(step) !== canonicalJson(after[at] ?? null));
  if (index >= 0) return index;
  return after.length > before.length ? before.length : Number.POSITIVE_INFINITY;
}

/** The present step is done over: what it waited for ends here; a person's pause stays. */
function leave(draft: RolloutState, nowMs: number): void {
  const { hold } = draft;
  closeAllEntries(draft, 'superseded', nowMs, { reason: 'the steps were edited' });
  if (hold) openEntry(draft, holdEntry(hold), nowMs, hold);
  dropHook(draft);
}

function setUserPause(draft: RolloutState, isPaused: boolean, nowMs: number): void {
  if (isPaused === (draft.userPausedSinceMs !== undefined)) return;
  if (isPaused) {
    draft.userPausedSinceMs = nowMs;
    openEntry(draft, USER_PAUSE_ENTRY, nowMs);
  } else {
    delete draft.userPausedSinceMs;
    closeEntry(draft, USER_PAUSE_ENTRY, 'resumed', nowMs);
  }
}

/** A person's pause by message lies above the steps, and is not written into the spec. */
function isLiftOf({ stepIndex, pause, hold }: RolloutState, lifted: Revision['liftedPause']): boolean {
  return hold === undefined && lifted?.step === stepIndex && lifted.startedAtMs === pause?.startedAtMs;
}

/** A pause that is not there needs no word: `paused` may change for reasons of its own. */
function resumeBy(state: RolloutState, by: string, nowMs: number): RolloutState {
  const applied = applyHuman(state, 'resume', { by, step: state.stepIndex }, nowMs);
  return 'state' in applied ? applied.state : state;
}

/** The annotation is a level that may be read many times: each value acts once; taking it away forgets it. */
function takeToken(state: RolloutState, token: string | undefined, nowMs: number): RolloutState {
  if (token === undefined) return state.consumedTokens.length === 0 ? state : changeTokens(state, [], nowMs);
  if (state.consumedTokens.includes(token)) return state;
  const applied = resumeByToken(state, token, nowMs);
  if ('state' in applied)
    return changeTokens(applied.state, [...state.consumedTokens, token].slice(-TOKENS_KEPT), nowMs);
  const draft = copyState(state);
  addNotice(draft, `annotation holdfast.dev/resume: ${token} is ignored: ${applied.refusal}`, nowMs);
  return draft;
}

function resumeByToken(state: RolloutState, token: string, nowMs: number): HumanAnswer {
  const expected = resumeToken(state);
  if (token !== expected) return { refusal: `the value for the present step is ${expected}` };
  return applyHuman(state, 'resume', { by: 'annotation holdfast.dev/resume', step: state.stepIndex }, nowMs);
}

function changeTokens(state: RolloutState, consumedTokens: string[], nowMs: number): RolloutState {
  const draft = copyState(state);
  draft.consumedTokens = consumedTokens;
  settle(draft, nowMs);
  return draft;
}
