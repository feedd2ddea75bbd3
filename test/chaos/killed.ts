/** Games of which each is killed after another one of its writes, many by one kill; asserts which of the numbers were come to. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { isOf, type StaffedScene } from './chaos-scene.ts';
import type { Game } from './game.ts';
import type { GameVariant } from './game-manifests.ts';
import { KillBarrier } from './kill-barrier.ts';

/** Something that is done to a game of one shape, and how many writes that takes. */
export interface Deed {
  what: string;
  variant: GameVariant;
  /** Changes it and sees it through. */
  act: (game: Game) => Promise<unknown>;
  /** Pods that are taken from it at least. */
  takes: number;
  /** How many writes of its status it makes depends on its pace: `sure` ones it makes always, `beyond` ones never. */
  sure: number;
  beyond: number;
}

/** A deed that is killed after its n-th write. */
export interface Killed extends Deed {
  n: number;
}

export const killedAt = (deed: Deed, numbers: readonly number[]): Killed[] => numbers.map((n) => ({ ...deed, n }));

/** Every number of each, so far that the last one is beyond the end. */
export const killedAtAll = (deeds: readonly Deed[]): Killed[] =>
  deeds.flatMap((deed) =>
    killedAt(
      deed,
      Array.from({ length: deed.beyond }, (_, index) => index + 1),
    ),
  );

/** As many as a controller that comes back has replayed within a task's ten seconds. */
const BATCH = 18;

export function inBatches(killed: readonly Killed[]): { title: string; killed: readonly Killed[] }[] {
  const starts = Array.from({ length: Math.ceil(killed.length / BATCH) }, (_, index) => index * BATCH);
  return starts.map((start) => {
    const batch = killed.slice(start, start + BATCH);
    return { title: sayNumbers(batch), killed: batch };
  });
}

/** Kills all of them, sees them through, has every write judged; each number that is surely there must have been come to. */
export async function killAll(chaos: StaffedScene, killed: readonly Killed[]): Promise<void> {
  const startedAt = performance.now();
  const games = await Promise.all(killed.map(({ variant }) => chaos.scene.startGame(variant, 'set')));
  chaos.operator.proxy.reset();
  const points = games.map((game, index) => ({ game, n: killed[index]!.n }));
  const barrier = new KillBarrier(chaos.operator, points);
  await Promise.all(games.map((game, index) => killed[index]!.act(game)));
  const judged = await chaos.scene.assertKept();
  const indexes = new Set(barrier.hit.map(({ point }) => points.indexOf(point)));
  const hit = killed.filter((_, index) => indexes.has(index));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${seconds} s, ${barrier.kills} kills, killed after ${sayNumbers(hit)}; judged ${JSON.stringify(judged)}`,
  );
  console.log(`writes of each: ${games.map((game) => writesOf(chaos, game)).join(' ')}`);
  expect(judged.spending).toBeGreaterThanOrEqual(killed.reduce((sum, { takes }) => sum + takes, 0));
  expect(sayNumbers(killed.filter((each) => each.n <= each.sure && !hit.includes(each))), 'never come to').toBe('');
  expect(sayNumbers(hit.filter(({ n, beyond }) => n >= beyond)), 'there are more writes than numbers').toBe('');
  await Promise.all(games.map((game) => game.retire()));
}

const writesOf = ({ operator: { proxy } }: StaffedScene, game: Game): number =>
  proxy.writes.filter((write) => isOf(write, game) && write.commit !== undefined).length;

/** The numbers of each deed, in order. */
function sayNumbers(killed: readonly Killed[]): string {
  const numbers = Map.groupBy(killed, ({ what }) => what);
  const says = [...numbers].map(([what, of]) => `${what} ${of.map(({ n }) => n).sort((a, b) => a - b)}`);
  return says.join('; ');
}

/** One number of each of `count` equal parts of the numbers up to `last`; the same seed chooses the same ones. */
export function spread(seed: string, last: number, count: number): number[] {
  const startOf = (part: number) => Math.floor((part * last) / count);
  return Array.from({ length: count }, (_, part) => {
    const chance = createHash('sha256').update(`${seed}/${part}`).digest().readUInt32BE(0) / 2 ** 32;
    return 1 + startOf(part) + Math.floor(chance * (startOf(part + 1) - startOf(part)));
  });
}
