/**
 * What the workload and the hooks tell a rollout, and what its own calls bring back. Pure: a new state each time.
 * Whatever is about another rollout, another allowance or another HookRun is ignored.
 */
import { settle } from './advance.ts';
import { dropHook, failHook, judgeHook } from './hook-step.ts';
import { copyState, type RolloutState } from './state.ts';
import { addNotice, closeAllEntries, closeEntry } from './step-log.ts';

/** After this many failures to reach the workload's workflow (about ten minutes) the rollout ends: nobody is there to obey it. */
const DELIVERY_FAILURES_ALLOWED = 14;
const DELIVERY_RETRY_MAX_MS = 60_000;

type Change = (draft: RolloutState) => void;

/** One change of a rollout, carried as far as it leads. A closed rollout does not change any more. */
function change(state: RolloutState, nowMs: number, act: Change): RolloutState {
  const draft = copyState(state);
  if (!state.closed) act(draft);
  settle(draft, nowMs);
  return draft;
}

/** The present allowance and none before it: view changes alone do not make an answer stale. */
function isAnswer(state: RolloutState, { number, sequence }: { number: number; sequence: number }): boolean {
  return number === state.number && sequence >= state.allowanceSequence && sequence <= state.sentSequence;
}

/**
 * The workload goes by a word of this run that this run does not know: a workflow task sent it that was lost (docs/adr/0018). It is
 * told again, under a number that outbids that word's.
 */
function isOfLostTask(draft: RolloutState, message: { number: number; sequence: number }, nowMs: number): boolean {
  const { rulesVersion, number, sequence } = draft;
  if (rulesVersion < 5 || message.number !== number || message.sequence <= sequence) return false;
  draft.sequence = Math.max(message.sequence + 1, nowMs);
  draft.allowanceSequence = draft.sequence;
  delete draft.reached;
  return true;
}

/** The workload has done all that the allowance permits; `partition` is the resolved one. */
export function applyReached(
  state: RolloutState,
  reached: { number: number; sequence: number; partition: number },
  nowMs: number,
): RolloutState {
  return change(state, nowMs, (draft) => {
    draft.messages += 1;
    if (isOfLostTask(draft, reached, nowMs) || !isAnswer(draft, reached)) return;
    draft.reached = { partition: reached.partition };
    delete draft.blocked;
    if (draft.aborted) closeEntry(draft, `back to ${draft.fromRevision}`, 'done', nowMs);
  });
}

/**
 * Nothing moves, and why; an empty reason says that it moves again. Told once per change, so it holds across allowances
 * until something else is said.
 */
export function applyBlocked(
  state: RolloutState,
  blocked: { number: number; sequence: number; reason: string; message: string },
  nowMs: number,
): RolloutState {
  return change(state, nowMs, (draft) => {
    draft.messages += 1;
    // What blocks pods is said once, under whatever word.
    isOfLostTask(draft, blocked, nowMs);
    if (blocked.number !== draft.number) return;
    const { reason, message } = blocked;
    const sinceMs = draft.blocked?.reason === reason ? draft.blocked.sinceMs : nowMs;
    if (reason === '') delete draft.blocked;
    else draft.blocked = { reason, message: message.slice(0, 500), sinceMs };
  });
}

/** A HookRun has its verdict. One that comes before the run's name is known waits for the name. */
export function applyFinished(
  state: RolloutState,
  finished: { hookRun: string; phase: string; message?: string },
  nowMs: number,
): RolloutState {
  return change(state, nowMs, (draft) => {
    draft.messages += 1;
    const { hookRun, phase, message } = finished;
    if (draft.hook?.hookRun === hookRun) judgeHook(draft, phase, message, nowMs);
    else if (draft.hook?.status === 'creating')
      draft.earlyVerdict = { hookRun, phase, ...(message ? { message } : {}) };
  });
}

/** Another template took the place of this one, or the stable one came back (decision 12). */
export function applySupersede(
  state: RolloutState,
  by: { number: number; revision: string; rolledBack: boolean },
  nowMs: number,
): RolloutState {
  return change(state, nowMs, (draft) => {
    draft.messages += 1;
    if (by.number <= draft.number) return;
    const outcome = by.rolledBack ? 'RolledBack' : draft.aborted ? 'Aborted' : 'Superseded';
    closeAllEntries(draft, 'superseded', nowMs, { reason: whatCame(by) });
    dropHook(draft);
    draft.closed = { outcome, atMs: nowMs };
  });
}

/** Without a revision it is the object that went, or that another one has the name of. */
function whatCame({ revision, rolledBack }: { revision: string; rolledBack: boolean }): string {
  if (revision === '') return 'its object is gone';
  return `the template is ${revision} ${rolledBack ? 'again' : 'now'}`;
}

/** Time passed: pauses end and deadlines are seen. Also sends again what could not be delivered. */
export function applyTick(state: RolloutState, nowMs: number): RolloutState {
  const draft = copyState(state);
  if (draft.delivery && nowMs >= draft.delivery.retryAtMs)
    draft.sentSequence = Math.min(draft.sentSequence, draft.sequence - 1);
  settle(draft, nowMs);
  return draft;
}

/** The allowance with this number is on its way. */
export function applySent(state: RolloutState, sequence: number): RolloutState {
  return { ...state, sentSequence: sequence };
}

/** The workload's workflow took the allowance. */
export function applyDelivered(state: RolloutState): RolloutState {
  const { delivery: _, ...rest } = state;
  return rest;
}

/** The workload's workflow is not there: tries again, less and less often, and ends when it stays away. */
export function applyUndelivered(state: RolloutState, nowMs: number): RolloutState {
  return change(state, nowMs, (draft) => {
    const failures = (draft.delivery?.failures ?? 0) + 1;
    draft.delivery = { failures, retryAtMs: nowMs + Math.min(DELIVERY_RETRY_MAX_MS, 1000 * 2 ** (failures - 1)) };
    if (failures < DELIVERY_FAILURES_ALLOWED) return;
    const reason = `no workflow ${draft.workload} is there to carry it out`;
    closeAllEntries(draft, 'superseded', nowMs, { reason });
    dropHook(draft);
    draft.closed = { outcome: draft.aborted ? 'Aborted' : 'Superseded', atMs: nowMs };
  });
}

/** The creation of a HookRun is on its way. */
export function applyHookRequested(state: RolloutState): RolloutState {
  const draft = copyState(state);
  if (draft.hook) draft.hook.status = 'creating';
  draft.callsInFlight += 1;
  return draft;
}

/** The HookRun exists, or cannot be created. A run that nobody waits for any more is terminated. */
export function applyHookRun(
  state: RolloutState,
  asked: { stepIndex: number; attempt: number },
  answer: { hookRun: string; phase?: string; message?: string } | { blocked: string; message: string },
  nowMs: number,
): RolloutState {
  const draft = copyState(state);
  draft.callsInFlight -= 1;
  const isWanted =
    draft.hook?.status === 'creating' && draft.hook.attempt === asked.attempt && draft.stepIndex === asked.stepIndex;
  if ('blocked' in answer) {
    if (isWanted) failHook(draft, answer.message, nowMs);
  } else if (isWanted) {
    takeHookRun(draft, answer, nowMs);
  } else {
    draft.unwantedHookRuns.push(answer.hookRun);
  }
  settle(draft, nowMs);
  return draft;
}

function takeHookRun(
  draft: RolloutState,
  run: { hookRun: string; phase?: string; message?: string },
  nowMs: number,
): void {
  Object.assign(draft.hook!, { status: 'running', hookRun: run.hookRun });
  const early = draft.earlyVerdict;
  delete draft.earlyVerdict;
  if (early?.hookRun === run.hookRun) judgeHook(draft, early.phase, early.message, nowMs);
  else if (run.phase !== undefined) judgeHook(draft, run.phase, run.message, nowMs);
}

/** The termination of an unwanted HookRun is on its way. */
export function applyCancelRequested(state: RolloutState, hookRun: string): RolloutState {
  const unwantedHookRuns = state.unwantedHookRuns.filter((name) => name !== hookRun);
  return { ...state, unwantedHookRuns, callsInFlight: state.callsInFlight + 1 };
}

/** A call that brings nothing back has ended; a sentence says what went wrong, if anything. */
export function applyCallEnded(state: RolloutState, nowMs: number, trouble?: string): RolloutState {
  const draft = copyState(state);
  draft.callsInFlight -= 1;
  if (trouble) addNotice(draft, trouble, nowMs);
  return draft;
}

/** The workload heard a person's word about its gates. */
export function applyForwarded(state: RolloutState): RolloutState {
  return { ...state, forwards: state.forwards.slice(1) };
}
