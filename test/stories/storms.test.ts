/** Each story once more in random order: no promise of protocol §6 is broken on the way, and it ends as its trace says. */
import { expect, it } from 'vitest';
import { STORIES } from './all.ts';
import { GoldenPlay } from './golden-play.ts';
import { StormPlay } from './storm-play.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];

it.each(STORIES)('$name ends the same in any order', (story) => {
  const { ending } = new GoldenPlay(story).run();
  const found = SEEDS.flatMap((seed) =>
    new StormPlay(story, seed).run(ending).map((fault) => `seed ${seed}: ${fault}`),
  );
  expect(found).toEqual([]);
});
