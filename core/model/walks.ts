/** Runs many walks and says which broke a promise; a run with another share of the seeds is another test file. */
import { DEPLOYMENT, type Game } from './game.ts';
import { Walk } from './walk.ts';

export const WALKS = 100_000;
const STEPS = 14;
const SHOWN = 3;

/** Seed and sentences of the first walks that break a promise of protocol §6 or never come to rest; empty when none does. */
export function brokenWalks(from: number, to: number, game: Game = DEPLOYMENT): string[] {
  const found: string[] = [];
  for (let seed = from; seed < to && found.length < SHOWN; seed += 1) {
    const violations = new Walk(seed, game).run(STEPS);
    if (violations.length > 0) found.push(`seed ${seed}: ${violations.join('; ')}`);
  }
  return found;
}
