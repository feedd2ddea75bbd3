/** The story of a rollout: opens and closes entries of the step log. Changes the draft it is given. */
import type { RolloutState } from './state.ts';
import type { HumanMessage, StepLogEntry } from './types.ts';

/** A script may pause and resume for days: beyond this many entries the oldest but the first are dropped. */
const ENTRIES_KEPT = 400;
const NOTICES_KEPT = 8;

type Outcome = NonNullable<StepLogEntry['outcome']>;

const iso = (ms: number) => new Date(ms).toISOString();

/** Adds an open entry for the current step. */
export function openEntry(state: RolloutState, what: string, nowMs: number, message: HumanMessage = {}): void {
  if (state.log.length >= ENTRIES_KEPT) state.log.splice(1, 1);
  state.log.push({ step: state.stepIndex, what, startedAt: iso(nowMs), ...saidBy(message) });
}

/** Adds an open entry unless the same one is open already. */
export function ensureEntry(state: RolloutState, what: string, nowMs: number): void {
  if (!findOpen(state, what)) openEntry(state, what, nowMs);
}

/** Ends the open entry named `what`; nothing happens where there is none. */
export function closeEntry(
  state: RolloutState,
  what: string,
  outcome: Outcome,
  nowMs: number,
  message: HumanMessage = {},
): void {
  const entry = findOpen(state, what);
  if (entry) end(entry, outcome, nowMs, message);
}

/** Ends whatever is open: the rollout leaves its steps. */
export function closeAllEntries(
  state: RolloutState,
  outcome: Outcome,
  nowMs: number,
  message: HumanMessage = {},
): void {
  for (const entry of state.log) if (!entry.endedAt) end(entry, outcome, nowMs, message);
}

/** Keeps the newest sentences about what was ignored. */
export function addNotice(state: RolloutState, text: string, nowMs: number): void {
  state.notices = [...state.notices, { atMs: nowMs, text: text.slice(0, 300) }].slice(-NOTICES_KEPT);
}

function findOpen(state: RolloutState, what: string): StepLogEntry | undefined {
  return state.log.findLast((entry) => entry.what === what && entry.endedAt === undefined);
}

function end(entry: StepLogEntry, outcome: Outcome, nowMs: number, message: HumanMessage): void {
  Object.assign(entry, { endedAt: iso(nowMs), outcome, ...saidBy(message) });
}

function saidBy({ by, reason }: HumanMessage): { by?: string; reason?: string } {
  return { ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) };
}

/** Name of what holds a rollout above its steps. */
export const holdEntry = ({ isLoss }: NonNullable<RolloutState['hold']>): string =>
  isLoss ? 'hold after the run was lost' : 'pause by message';
