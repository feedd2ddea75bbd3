/** Answers that never come, and writes that come a minute late: nothing is done twice, nothing is forgotten. */
import { expect, test } from 'vitest';
import type { WriteRecord, WriteSelector } from '../faults/write-faults.ts';
import { eventually } from '../support/eventually.ts';
import { isOf, staffScene } from './chaos-scene.ts';
import { dropAnswers } from './drop-answers.ts';
import type { Game } from './game.ts';
import { seeded } from './seeded.ts';
import { assertRestartedOnce, resumeWhenPaused, walkCanary } from './walk.ts';

const LATE_MS = 60_000;

const chaos = staffScene();

test.each([
  { what: 'no write is ever answered', gated: false, isDropped: () => true },
  { what: 'no write is ever answered, with gates', gated: true, isDropped: () => true },
  { what: 'a third of the answers is lost', gated: false, isDropped: seeded('a third', 1 / 3) },
  { what: 'half of the answers is lost, with gates', gated: true, isDropped: seeded('a half', 1 / 2) },
])(
  '$what',
  async ({ gated, isDropped }) => {
    const game = chaos.scene.game({ gated }, 'unanswered');
    dropAnswers(chaos.operator, game, isDropped);
    await game.create();
    await walkCanary(game);
    const mine = chaos.operator.proxy.writes.filter((write) => isOf(write, game));
    expect(mine.filter(({ outcome }) => outcome === 'dropped').length).toBeGreaterThan(5);
    expect((await chaos.scene.assertKept()).spending).toBeGreaterThanOrEqual(5);
  },
  600_000,
);

const isPatch = (path: RegExp) => (write: WriteRecord) => write.method === 'PATCH' && path.test(write.path);
const POD = /\/pods\/[^/]+$/;
const POD_STATUS = /\/pods\/[^/]+\/status$/;

/** The gate of a pod is opened after its images were patched. */
function isOpening(game: Game): (write: WriteRecord) => boolean {
  const patched = new Set<string>();
  return (write) => {
    if (isOf(write, game) && isPatch(POD)(write)) patched.add(`${write.path}/status`);
    return isPatch(POD_STATUS)(write) && patched.has(write.path);
  };
}

interface Late {
  what: string;
  /** Of the writes of the game, counted from the image change (or the apply). */
  selectorFor: (game: Game) => WriteSelector;
  /** What is asked of the game while the write is under way. */
  act: (game: Game) => Promise<unknown>;
  end: (game: Game) => Promise<unknown>;
}

const canary = {
  act: async (game: Game) => {
    await game.setImage(2);
    await resumeWhenPaused(game);
  },
  end: async (game: Game) => {
    expect((await game.result()).outcome).toBe('Completed');
    await assertRestartedOnce(game);
  },
};

const LATE: readonly Late[] = [
  { what: 'W1', selectorFor: () => isPatch(POD_STATUS), ...canary },
  { what: 'W2', selectorFor: () => isPatch(POD), ...canary },
  { what: 'W3', selectorFor: isOpening, ...canary },
  {
    what: 'a delete',
    selectorFor: () => (write) => write.method === 'DELETE',
    act: (game) => game.scale(3),
    end: (game) => game.isUp(1),
  },
];

test('a write that comes 60 s late: create, W1, W2, W3, delete (report 33)', async () => {
  const creating = chaos.scene.game({}, 'late-create');
  const isPost = (write: WriteRecord) => write.method === 'POST' && write.resource === 'pods' && isOf(write, creating);
  const created = chaos.operator.proxy.holdWrite(isPost, { releaseAfterMs: LATE_MS });
  await creating.create();
  await Promise.all([
    ...LATE.map(arriveLate),
    isAnswered('a create', () => created.write).then(() => creating.isUp(1)),
  ]);
  expect((await chaos.scene.assertKept()).spending).toBeGreaterThanOrEqual(15);
}, 600_000);

async function arriveLate({ what, selectorFor, act, end }: Late): Promise<void> {
  const game = await chaos.scene.startGame({}, 'late');
  const selector = selectorFor(game) as (write: WriteRecord) => boolean;
  const held = chaos.operator.proxy.holdWrite((write) => selector(write) && isOf(write, game), {
    releaseAfterMs: LATE_MS,
  });
  await act(game);
  await isAnswered(what, () => held.write);
  await end(game);
  console.log(`${what} came 60 s late and was answered ${held.write?.status}`);
}

const isAnswered = (what: string, write: () => WriteRecord | undefined) =>
  eventually(`${what} is answered at last`, () => write()?.status !== undefined, {
    ...{ timeoutMs: 150_000, intervalMs: 500 },
  });
