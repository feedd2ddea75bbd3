/** Runs many walks and says which broke a promise; a run with another share of the seeds is another test file. */
import { DEPLOYMENT, type Game } from './game.ts';
import { Walk } from './walk.ts';

export const WALKS = 100_000;
const STEPS = 14;
/** Some pods are updated, their hooks fail, and others wait for that. */
const HOOKED_STEPS = 80;
const SHOWN = 3;

/** Seed and sentences of the first walks that break a promise of protocol §6 or never come to rest; empty when none does. */
export const brokenWalks = (from: number, to: number, game: Game = DEPLOYMENT): string[] =>
  firstBroken(from, to, (seed) => new Walk(seed, game).run(STEPS));

/** The same, of longer walks in which pods are updated from the first step on. */
export const brokenRollouts = (from: number, to: number, game: Game): string[] =>
  firstBroken(from, to, (seed) => new Walk(seed, game).begin().run(HOOKED_STEPS));

function firstBroken(from: number, to: number, walk: (seed: number) => string[]): string[] {
  const found: string[] = [];
  for (let seed = from; seed < to && found.length < SHOWN; seed += 1) {
    const violations = walk(seed);
    if (violations.length > 0) found.push(`seed ${seed}: ${violations.join('; ')}`);
  }
  return found;
}
