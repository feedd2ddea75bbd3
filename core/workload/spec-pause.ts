/**
 * `spec.updateStrategy.paused` where the engine may write it (decision 9): whose `true` it is, what lifting it means, and what is
 * to be written. Everything is read as a level that may be read twice: the mark beside the field names the one pause it was
 * written for, so a late write stands for a pause that is over and is taken back, and no other pause is ended by it. Pure.
 */
import type { PauseReason } from '../rollout/types.ts';
import { sentence } from '../status/sentence.ts';
import type { RolloutLink, WorkloadState } from './state.ts';

/** What an observation says of the pause in the spec. */
export interface SpecPause {
  /** `spec.updateStrategy.paused`, whoever wrote it. */
  pausedByUser: boolean;
  /** The annotation `holdfast.dev/write-paused` is `"true"`. */
  writePaused?: boolean;
  /** Value of the annotation `holdfast.dev/paused-at`. */
  pausedAt?: string;
}

/** One write of the object; it is made only while `mark` fits. */
export interface PauseWrite {
  /** `take-back` sets `false` and removes the mark, `forget` removes a mark beside which the field is somebody else's. */
  act: 'set' | 'take-back' | 'forget';
  mark: string;
}

/** A pause of the rollout, as it says of itself when it ends. */
export interface PauseId {
  step: number;
  startedAtMs: number;
}

/**
 * What the pause in the spec was last written for. `leaving`: it is being taken back, which lifts nothing; `over`: the user decides
 * about this pause, and it is not written again.
 */
export interface OwnPause {
  mark: string;
  standing: 'written' | 'leaving' | 'lifted' | 'over';
}

/** Pauses that a canary comes to by its steps. Any other one has a person behind it, or needs one who looks. */
const OF_CANARY: ReadonlySet<PauseReason> = new Set(['PausedByCanaryPauseStep', 'PausedByStepBasedHook']);

/** The pause that the rollout began itself and is in; null: none. Undefined: it has not said yet. */
function presentPause(rollout: RolloutLink | null): { mark: string; id: PauseId } | null | undefined {
  if (rollout === null || !rollout.isOpen) return null;
  const { view, toRevision } = rollout;
  if (view === null) return undefined;
  const { pause, stepIndex: step } = view;
  if (pause === undefined || !OF_CANARY.has(pause.reason)) return null;
  const { startedAtMs } = pause;
  return { mark: `${toRevision}/${step}/${startedAtMs}`, id: { step, startedAtMs } };
}

/** True where the `true` of the spec was written by the engine, for a pause of now or of before. */
function isOwn({ ownPause }: WorkloadState, { pausedByUser, pausedAt }: SpecPause): boolean {
  if (!pausedByUser || pausedAt === undefined) return false;
  return ownPause?.mark !== pausedAt || ownPause.standing === 'written' || ownPause.standing === 'leaving';
}

/**
 * Takes in what an observation shows, and answers whether the user pauses the workload: the engine's own `true` is no word of
 * his, and the rollout hears nothing of it. Histories of before `remembersPauses` are replayed without what it remembers; it is
 * asked only where that makes a difference.
 */
export function takeSpecPause(
  state: WorkloadState,
  spec: SpecPause,
  remembersPauses: () => boolean,
): { pausedByUser: boolean } {
  const own = isOwn(state, spec);
  const pausedByUser = spec.pausedByUser && !own;
  if (isLeft(state, spec) && remembersPauses()) delete state.ownPause;
  const next = own
    ? ownAt(state, spec.pausedAt!, remembersPauses)
    : (turnOf(state, spec, pausedByUser) ?? lateLift(state, spec, remembersPauses));
  if (next !== undefined) state.ownPause = next;
  return { pausedByUser };
}

/** What is being taken back may be there no more, although it is seen: its absence lifts nothing. */
function ownAt({ ownPause }: WorkloadState, mark: string, remembersPauses: () => boolean): OwnPause {
  const isLeaving = ownPause?.mark === mark && ownPause.standing === 'leaving';
  return isLeaving && remembersPauses() ? ownPause : { mark, standing: 'written' };
}

/** It was taken back, although no answer said so; looks do not go back in time. */
const isLeft = ({ ownPause }: WorkloadState, { pausedByUser, pausedAt }: SpecPause): boolean =>
  ownPause?.standing === 'leaving' && !pausedByUser && pausedAt === undefined;

/** `false` beside the mark of a pause that is over: a later `true` beside it is the user's. */
function lateLift(state: WorkloadState, spec: SpecPause, remembersPauses: () => boolean): OwnPause | undefined {
  const { pausedByUser, pausedAt } = spec;
  if (pausedByUser || pausedAt === undefined || !mayForget(state, pausedAt)) return undefined;
  return remembersPauses() ? { mark: pausedAt, standing: 'lifted' } : undefined;
}

/** Another mark takes the place of what is known, but not where that is, or may be, the present pause. */
function mayForget({ ownPause, rollout }: WorkloadState, mark: string): boolean {
  if (ownPause === undefined) return true;
  if (ownPause.mark === mark) return ownPause.standing === 'written' || ownPause.standing === 'leaving';
  const present = presentPause(rollout);
  return present !== undefined && present?.mark !== ownPause.mark;
}

/** Whether the present pause was lifted in the spec, or taken over by the user. A tool may take the mark away with the field. */
function turnOf(state: WorkloadState, spec: SpecPause, pausedByUser: boolean): OwnPause | undefined {
  const present = presentPause(state.rollout)?.mark;
  if (present === undefined) return undefined;
  const { ownPause } = state;
  const isKnown = ownPause?.mark === present && (ownPause.standing === 'written' || ownPause.standing === 'lifted');
  const isWritten = spec.pausedAt === undefined ? isKnown : spec.pausedAt === present;
  if (isWritten && !spec.pausedByUser) return { mark: present, standing: 'lifted' };
  // What he sets stays until he changes it (decision 8), and his change ends this pause (decision 7).
  const isHis = isWritten ? pausedByUser : spec.writePaused === true && state.pausedByUser && !pausedByUser;
  return isHis ? { mark: present, standing: 'over' } : undefined;
}

/** The present pause, where it was written into the spec and is lifted there: the rollout is to end it. */
export function liftedPause({ ownPause, rollout }: WorkloadState): { mark: string; id: PauseId } | undefined {
  const present = presentPause(rollout);
  if (present === null || present === undefined || ownPause?.mark !== present.mark) return undefined;
  return ownPause.standing === 'lifted' ? present : undefined;
}

/** What has to be written now; null: the object is as it should be. */
export function pauseWriteOf(state: WorkloadState, spec: SpecPause): PauseWrite | null {
  const present = presentPause(state.rollout);
  if (present === undefined) return null;
  const wanted = spec.writePaused === true ? present?.mark : undefined;
  const { pausedAt } = spec;
  const own = isOwn(state, spec);
  if (wanted !== undefined) {
    if (wanted === pausedAt) return null;
    const isDue = state.ownPause?.mark !== wanted && (own || !spec.pausedByUser);
    if (isDue) return { act: 'set', mark: wanted };
  }
  if (pausedAt === undefined) return null;
  if (own) return { act: 'take-back', mark: pausedAt };
  // Until the rollout has ended it, the mark says that this pause was lifted.
  return pausedAt === present?.mark ? null : { act: 'forget', mark: pausedAt };
}

/** The write is about to be sent: whatever becomes of it, what is seen next is understood. */
export function sendPauseWrite(state: WorkloadState, { act, mark }: PauseWrite): void {
  if (act === 'take-back') state.ownPause = { mark, standing: 'leaving' };
}

/** The object is as the write wanted it. A pause that is still on may be written again, should the user ask for that again. */
export function takePauseWritten(state: WorkloadState, { act, mark }: PauseWrite): void {
  if (act === 'set') state.ownPause = { mark, standing: 'written' };
  else if (state.ownPause?.mark === mark) delete state.ownPause;
}

const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 600_000;

const keyOf = ({ act, mark }: PauseWrite): string => `${act} ${mark}`;

/** A write that failed waits until its time has come; another one does not. */
export function isPauseWriteDue({ pauseTrouble }: WorkloadState, write: PauseWrite, nowMs: number): boolean {
  return pauseTrouble?.write !== keyOf(write) || nowMs >= pauseTrouble.retryAtMs;
}

/** It could not be written: said once as an event, and in the conditions until it is mended; tried again less and less often. */
export function takePauseTrouble(state: WorkloadState, write: PauseWrite, trouble: string, nowMs: number): void {
  const message = sentence(trouble);
  const before = state.pauseTrouble?.write === keyOf(write) ? state.pauseTrouble : undefined;
  const tries = (before?.tries ?? 0) + 1;
  const retryAtMs = nowMs + Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), LONGEST_RETRY_MS);
  if (before === undefined) state.events.push({ type: 'Warning', reason: 'PauseNotWritten', message });
  state.pauseTrouble = { write: keyOf(write), message, tries, retryAtMs };
}

export function endPauseTrouble(state: WorkloadState): void {
  delete state.pauseTrouble;
}
