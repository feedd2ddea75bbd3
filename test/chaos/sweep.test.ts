/**
 * A canary of 5 pods with every write number as the kill point (protocol.md §7). Each game of a batch is stopped after
 * another one of its writes, committed and never answered; one kill serves the batch. The numbers of the creation and of the
 * walk go on until there is no such write: that is asserted. HOLDFAST_CHAOS=full adds the same canary without gates.
 */
import { expect, test } from 'vitest';
import { staffScene } from './chaos-scene.ts';
import type { Game } from './game.ts';
import { KillBarrier } from './kill-barrier.ts';
import { walkCanary } from './walk.ts';

interface Batch {
  what: string;
  gated: boolean;
  from: number;
  to: number;
  /** The last batch of what is swept: so many of its numbers may be those of no write, and the last one must be. */
  spare?: number;
}

/** How many writes of its status a run makes depends on its pace. */
const SPARE = 6;

/** Small enough that a controller that comes back has replayed all of a batch's games within a task's ten seconds. */
const GATED: readonly Batch[] = [
  { what: 'from the apply until the pods are up', gated: true, from: 1, to: 15, spare: 4 },
  { what: 'until the first hooks are measured', gated: true, from: 1, to: 9 },
  { what: 'until the first pause', gated: true, from: 10, to: 18 },
  { what: 'until the second hooks are measured', gated: true, from: 19, to: 27 },
  { what: 'to partition 1', gated: true, from: 28, to: 36 },
  { what: 'until the last hook is measured', gated: true, from: 37, to: 45 },
  { what: 'to the end', gated: true, from: 46, to: 54, spare: SPARE },
];
/** Their writes are a part of those above. */
const BARE: readonly Batch[] = [
  { what: 'without gates, until the first pause', gated: false, from: 1, to: 8 },
  { what: 'without gates, to partition 1', gated: false, from: 9, to: 16 },
  { what: 'without gates, to the end', gated: false, from: 17, to: 28, spare: SPARE },
];
const BATCHES = process.env.HOLDFAST_CHAOS === 'full' ? [...GATED, ...BARE] : GATED;
const isCreation = ({ what }: Batch) => what.startsWith('from the apply');

const chaos = staffScene();

const numbersOf = ({ from, to }: Batch) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Games are armed before they are applied where their creation is judged, otherwise once they are up. */
async function prepare(batch: Batch): Promise<{ games: Game[]; barrier: KillBarrier }> {
  chaos.operator.proxy.reset();
  const games = numbersOf(batch).map(() => chaos.scene.game({ gated: batch.gated }));
  const arm = () =>
    new KillBarrier(
      chaos.operator,
      games.map((game, index) => ({ game, n: batch.from + index })),
    );
  const early = isCreation(batch) ? arm() : undefined;
  await Promise.all(games.map((game) => game.create()));
  await Promise.all(games.map((game) => game.isUp(1)));
  if (early === undefined) return { games, barrier: arm() };
  // The writes of the walk have numbers of their own.
  chaos.operator.proxy.reset();
  return { games, barrier: early };
}

/** Each number is come to; where a last one is named, there is no write that has it. */
function assertSwept(hit: readonly number[], { from, to, gated, what, spare }: Batch): void {
  const surely = spare === undefined ? to : to - spare;
  expect(hit).toEqual(expect.arrayContaining(numbersOf({ from, to: surely, gated, what })));
  if (spare !== undefined) expect(hit, 'there are more writes than numbers').not.toContain(to);
}

test.each(BATCHES)(
  '$what: killed after write $from … $to',
  async (batch) => {
    const startedAt = performance.now();
    const { games, barrier } = await prepare(batch);
    await Promise.all(games.map((game) => walkCanary(game)));
    const judged = await chaos.scene.assertKept();
    const hit = barrier.hit.map(({ point }) => point.n).sort((a, b) => a - b);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(`${seconds} s, ${barrier.kills} kills, killed after ${hit}; judged ${JSON.stringify(judged)}`);
    assertSwept(hit, batch);
    expect(judged.spending).toBeGreaterThanOrEqual(5 * games.length);
    expect(judged.known).toBeGreaterThanOrEqual(5 * games.length);
    await Promise.all(games.map((game) => game.retire()));
  },
  600_000,
);
