/**
 * What a workload tells its rollout of an observation, and whether its moves are still allowed. An observation speaks of the
 * allowance under which it was made, never of one that came while it was on its way. Pure.
 */
import type { Allowance, Blocker, Counts, Move } from '../plan/types.ts';
import { blockedKey, needsPerson } from '../plan/wave.ts';
import type { Revision } from '../rollout/revise.ts';
import type { Step } from '../rollout/types.ts';
import { dated, firstMoments } from '../status/since.ts';
import { liftedPause } from './spec-pause.ts';
import type { WorkloadState } from './state.ts';

/** The word of the rollout that was in force when an observation was asked for. */
export interface Asked {
  /** Of the rollout; 0 where none was linked, or its number was not known. */
  number: number;
  sequence: number;
  isPaused: boolean;
  /** The allowance as text, to be compared. */
  allowance: string;
}

interface Seen {
  asOfMs: number;
  reached: boolean;
  partition: number;
  counts: Counts;
  blockers: Blocker[];
  moves: readonly unknown[];
}

export interface News {
  reached?: { partition: number; counts: Counts };
  /** Empty texts say that it moves again. */
  blocked?: { reason: string; message: string };
}

const allowanceText = ({ rollout }: WorkloadState): string => JSON.stringify(rollout?.allowance ?? null);

export const askedOf = (state: WorkloadState): Asked => ({
  number: state.rollout?.number ?? 0,
  sequence: state.rollout?.sequence ?? 0,
  isPaused: state.rollout?.allowance?.paused === true,
  allowance: allowanceText(state),
});

/** Identity of the allowance that `reached` answers. */
const keyOf = ({ number, sequence }: Asked): string => `${number}/${sequence}`;

/** The rollout has been started, and its first word is on its way. */
export const isAwaited = ({ rollout }: WorkloadState): boolean => rollout?.isOpen === true && rollout.sequence === 0;

/** Missing pods would be made at the revision that is just being left: they wait for that word. */
export const areCreatesEarly = (state: WorkloadState, moves: Move[]): boolean =>
  isAwaited(state) && moves.some(({ act }) => act === 'create');

/** Nobody waits to hear again that this allowance is reached; in a pause nobody waits for it at all. */
export const isReachedTold = ({ told }: WorkloadState, asked: Asked): boolean =>
  asked.isPaused || told.reached === keyOf(asked);

/** Moves were planned under the allowance of that moment: under another one they are planned again. */
export const isStillAllowed = (state: WorkloadState, asked: Asked): boolean => allowanceText(state) === asked.allowance;

/** The allowance of now forbids moves that were planned under the one of then: a wave of them must not go on. */
export function forbidsMore({ rollout }: WorkloadState, asked: Asked): boolean {
  const then = JSON.parse(asked.allowance) as Allowance | null;
  const now = rollout?.allowance ?? null;
  if (then === null || now === null) return now?.paused === true;
  if (now.revision !== then.revision) return true;
  if (now.paused !== then.paused) return now.paused;
  const areNumbers = typeof now.partition === 'number' && typeof then.partition === 'number';
  return areNumbers ? now.partition > then.partition : now.partition !== then.partition;
}

/** What restarting pods and pods on their way out bring with them, and time alone ends: a rollout hears of it where it lasts. */
const PASSING: ReadonlySet<Blocker['reason']> = new Set(['PodsNotReady', 'PodTerminating']);

/** Milliseconds for which such a reason must last; each telling costs both workflows a task. */
export const PASSES_WITHIN_MS = 10_000;

/**
 * Answers what the rollout has to hear, once per allowance, partition and reason, and remembers it as told. Reasons that pass are
 * told when they have lasted for `passesWithinMs`.
 */
export function takeNews(state: WorkloadState, asked: Asked, seen: Seen, passesWithinMs = 0): News {
  const { told, rollout } = state;
  told.blockers = blockedKey(seen.blockers);
  told.since = firstMoments(seen.blockers, told.since, seen.asOfMs);
  if (rollout !== null && rollout.number !== asked.number) return {};
  const isReachedNews = seen.reached && (!isReachedTold(state, asked) || told.partition !== seen.partition);
  if (seen.reached) Object.assign(told, { reached: keyOf(asked), partition: seen.partition });
  if (rollout === null || !rollout.isOpen || asked.sequence === 0) return {};
  const isStill = seen.moves.length === 0 && !seen.reached;
  // What waits for a person is told also while other pods move: only so can it be skipped through the rollout.
  const first = seen.blockers.find(needsPerson) ?? (isStill ? seen.blockers[0] : undefined);
  const isBrief = first !== undefined && PASSING.has(first.reason) && lastedMs(first, state, seen) < passesWithinMs;
  const { reason, message } = first === undefined || isBrief ? { reason: '', message: '' } : first;
  const isBlockedNews = reason !== told.blocked;
  told.blocked = reason;
  return {
    ...(isReachedNews && !asked.isPaused ? { reached: { partition: seen.partition, counts: seen.counts } } : {}),
    ...(isBlockedNews ? { blocked: { reason, message } } : {}),
  };
}

/** Since its pods, or the first look that saw it, date it; a node whose clock is ahead dates nothing. */
function lastedMs(blocker: Blocker, { told }: WorkloadState, { asOfMs }: Seen): number {
  const { sinceMs = asOfMs } = dated(blocker, told.since ?? {}, asOfMs);
  return sinceMs > asOfMs ? Number.POSITIVE_INFINITY : asOfMs - sinceMs;
}

/**
 * The rollout has something to say to it: it hears for the first time that this allowance is reached, not only that it still is
 * under a word that changed nothing for pods. Remembers that it was asked.
 */
export function isAnswerDue({ told }: WorkloadState, { number, allowance }: Asked, partition: number): boolean {
  const answered = `${number} ${partition} ${allowance}`;
  const isDue = told.answered !== answered;
  told.answered = answered;
  return isDue;
}

/** The fields of the spec that a rollout works by. */
interface SpecSeen {
  steps: Step[];
  stepsHash: string;
  pausedByUser: boolean;
  resumeToken?: string;
  progressDeadlineSeconds?: number;
}

/** In one text, to be compared. One without a deadline reads as it did before deadlines were told: open runs know that text. */
const specText = ({ stepsHash, pausedByUser, resumeToken = '', progressDeadlineSeconds: seconds }: SpecSeen): string =>
  JSON.stringify([stepsHash, pausedByUser, resumeToken, ...(seconds === undefined ? [] : [seconds])]);

/** The rollout was started with this spec: it need not hear it again. */
export function rememberSpec(state: WorkloadState, spec: SpecSeen): void {
  if (liftedPause(state) === undefined) state.told.spec = specText(spec);
}

/** Answers what an open rollout has to hear of the spec, once per change, and remembers it as told. */
export function takeSpecNews(state: WorkloadState, spec: SpecSeen): Revision | undefined {
  const { rollout, told, pausedByUser } = state;
  const text = specText(spec);
  const lifted = liftedPause(state);
  const isLiftNews = lifted !== undefined && told.lifted !== lifted.mark;
  if (rollout?.isOpen !== true || (told.spec === text && !isLiftNews)) return undefined;
  const isNew = told.spec === '';
  told.spec = text;
  if (lifted !== undefined) told.lifted = lifted.mark;
  return {
    steps: spec.steps,
    stepsHash: spec.stepsHash,
    pausedByUser: spec.pausedByUser,
    pauseLifted: !isNew && pausedByUser && !spec.pausedByUser,
    ...(lifted === undefined ? {} : { liftedPause: lifted.id }),
    ...(spec.resumeToken === undefined ? {} : { resumeToken: spec.resumeToken }),
    progressDeadlineSeconds: spec.progressDeadlineSeconds ?? null,
  };
}
