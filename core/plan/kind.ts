/** What a kind decides for itself. Everything else, and the order in which it is done, is the engine's. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { RevisionDiff } from '../in-place.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Blocker, Move, PlanInput } from './types.ts';

export interface Planned {
  moves: Move[];
  blockers: Blocker[];
}

/** Pods that are chosen keep what was begun on them (mark, grace); only those under `now` may begin. */
export interface Choice {
  chosen: PodView[];
  now: PodView[];
}

/** How pods of each old revision become the target. */
export type DiffOf = (revision: string) => RevisionDiff;

/** What only one kind does. */
export interface Extras extends Planned {
  /** Epoch milliseconds at which it changes by time alone. */
  deadlinesMs: number[];
  /** It waits for pods to come or to go. */
  isWaiting: boolean;
}

export interface Kind<W extends GameWorkload, S extends Situation> {
  /** Which pods count, and how far they may move. */
  assess(input: PlanInput<W>): S;
  /** Pods that shall go for good. */
  victims(situation: S): Choice;
  /** One clause for people: why this victim goes. */
  whyVictim(situation: S, view: PodView): string;
  /** Failed and Succeeded pods whose place is needed now. */
  terminal(situation: S): PodView[];
  /** Old pods that may move to the target, first come first. */
  candidates(situation: S, victims: PodView[], diffOf: DiffOf): Choice;
  /** Old pods that the partition gives up; where it keeps just a number of them, any so many. */
  beyondPartition(situation: S): PodView[];
  creates(situation: S): Planned;
  /** Until when creates wait that the API refused; epoch milliseconds. */
  refusedUntilMs(situation: S): number[];
  /** Issued names that nobody needs any more. */
  retired(situation: S): string[];
  /** All that the allowance permits is done. */
  isReached(situation: S, moves: Move[]): boolean;
  extras(situation: S): Extras;
}

export const NOTHING_MORE: Extras = { moves: [], blockers: [], deadlinesMs: [], isWaiting: false };
