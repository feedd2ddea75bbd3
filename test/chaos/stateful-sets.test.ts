/**
 * The fault runs on GameStatefulSets, whose pods come back under their names, and on what both kinds do in the same way: gates at
 * scale-in, abort and rollback in a wave. Killed at a few writes of each, in HOLDFAST_CHAOS=full at every one
 * until there is no such write any more.
 */
import { afterEach, expect, test } from 'vitest';
import type { WriteRecord } from '../faults/write-faults.ts';
import { eventually } from '../support/eventually.ts';
import { DEPLOYMENT, IN_PLACE, inOneGo, ORDERED, PARALLEL, SURGE, scaleIn, type Word, wordsOf } from './acts.ts';
import { isOf, staffScene } from './chaos-scene.ts';
import { dropAnswers } from './drop-answers.ts';
import type { Game } from './game.ts';
import type { GameVariant } from './game-manifests.ts';
import { type Deed, inBatches, killAll, killedAt, killedAtAll, spread } from './killed.ts';
import { seeded } from './seeded.ts';
import { assertMadeAnew, assertWalked, walkCanary } from './walk.ts';

const chaos = staffScene();
afterEach(() => chaos.operator.proxy.reset());

const isFull = process.env.HOLDFAST_CHAOS === 'full';
const { abort, rollBack, inWave } = wordsOf(chaos);

const canary = (what: string, variant: GameVariant, counted: Pick<Deed, 'sure' | 'beyond'>): Deed => ({
  ...{ what, variant, takes: 5 },
  act: (game) => walkCanary(game, variant === IN_PLACE ? assertWalked : assertMadeAnew),
  ...counted,
});

const CANARIES = [
  canary('one after the other', ORDERED, { sure: 42, beyond: 64 }),
  canary('side by side', PARALLEL, { sure: 42, beyond: 64 }),
  canary('with a surge', SURGE, { sure: 60, beyond: 90 }),
  canary('in place', IN_PLACE, { sure: 42, beyond: 64 }),
];
/** For each shape two numbers before the pause and one behind it. */
const CHOSEN = CANARIES.flatMap((deed, index) => killedAt(deed, [3 + 2 * index, 10 + 2 * index, 20 + 2 * index]));

test.each(inBatches(isFull ? killedAtAll(CANARIES) : CHOSEN))(
  'a canary, killed in its waves and between them: $title',
  ({ killed }) => killAll(chaos, killed),
  600_000,
);

const shrinking = (what: string, variant: GameVariant, counted: Pick<Deed, 'sure' | 'beyond'>): Deed => ({
  ...{ what: `scale-in ${what}`, variant, act: scaleIn, takes: 3 },
  ...counted,
});
const ending = (what: string, word: Word, variant: GameVariant, counted: Pick<Deed, 'sure' | 'beyond'>): Deed => ({
  ...{ what, variant: inOneGo(variant), act: inWave(word), takes: 1 },
  ...counted,
});

/** With gates all of them. */
const SCALE_INS = [
  shrinking('of a deployment', DEPLOYMENT, { sure: 17, beyond: 24 }),
  shrinking('one after the other', ORDERED, { sure: 17, beyond: 24 }),
  shrinking('side by side', PARALLEL, { sure: 17, beyond: 24 }),
];
const ABORTS = [
  ending('abort of a deployment', abort, DEPLOYMENT, { sure: 14, beyond: 26 }),
  ending('abort one after the other', abort, ORDERED, { sure: 16, beyond: 28 }),
  ending('abort with a surge', abort, SURGE, { sure: 17, beyond: 32 }),
];
const ROLLBACKS = [
  ending('rollback of a deployment', rollBack, DEPLOYMENT, { sure: 16, beyond: 36 }),
  ending('rollback one after the other', rollBack, ORDERED, { sure: 16, beyond: 36 }),
  ending('rollback with a surge', rollBack, SURGE, { sure: 16, beyond: 36 }),
];

const SAMPLES = 4;
/** Of each group four numbers, from its first writes to its last ones, over the shapes by turns. */
const SAMPLED = [SCALE_INS, ABORTS, ROLLBACKS].flatMap((deeds) =>
  Array.from({ length: SAMPLES }, (_, part) => {
    const deed = deeds[part % deeds.length]!;
    return { ...deed, n: spread(deed.what, deed.sure, SAMPLES)[part]! };
  }),
);

test.each(inBatches(isFull ? killedAtAll([...SCALE_INS, ...ABORTS, ...ROLLBACKS]) : SAMPLED))(
  'scale-in with gates, and abort and rollback in a wave, killed at their writes: $title',
  ({ killed }) => killAll(chaos, killed),
  600_000,
);

const LATE_MS = 60_000;
/** Without gates, so that the first write is the one that is meant. */
const BARE: GameVariant = { ...inOneGo(ORDERED), gated: false };

interface Late {
  what: string;
  variant: GameVariant;
  method: 'POST' | 'DELETE';
  /** What is said while the write is on its way. */
  word?: Word;
}

const SIDE_BY_SIDE: GameVariant = { ...BARE, podManagementPolicy: 'Parallel' };
const BARE_DEPLOYMENT: GameVariant = { ...inOneGo(DEPLOYMENT), gated: false };

const LATE: readonly Late[] = [
  { what: 'a delete whose name has another pod by then', variant: BARE, method: 'DELETE' },
  { what: 'a create of a pod that was made meanwhile', variant: BARE, method: 'POST' },
  { what: 'a create, rolled back meanwhile', variant: SIDE_BY_SIDE, method: 'POST', word: rollBack },
  { what: 'a delete, rolled back meanwhile', variant: BARE_DEPLOYMENT, method: 'DELETE', word: rollBack },
  { what: 'a create, aborted meanwhile', variant: SIDE_BY_SIDE, method: 'POST', word: abort },
  { what: 'a delete, aborted meanwhile', variant: BARE_DEPLOYMENT, method: 'DELETE', word: abort },
];

const isPodWrite = (write: WriteRecord, game: Game) => isOf(write, game) && write.resource === 'pods';
const createsOf = (game: Game) =>
  chaos.operator.proxy.writes.filter((write) => isPodWrite(write, game) && write.method === 'POST' && write.commit);

async function arriveLate({ what, variant, method, word }: Late): Promise<void> {
  const game = await chaos.scene.startGame(variant, 'late');
  const held = chaos.operator.proxy.holdWrite((write) => isPodWrite(write, game) && write.method === method, {
    releaseAfterMs: LATE_MS,
  });
  const madeBefore = createsOf(game).length;
  await game.setImage(2);
  const patience = { timeoutMs: 150_000, intervalMs: 500 };
  await eventually(`${what} is on its way`, () => held.write, patience);
  await word?.say(game);
  await eventually(`${what} is answered at last`, () => held.write?.status, patience);
  await (word === undefined ? game.isUp(2) : word.end(game));
  console.log(`${what}: answered ${held.write?.status}`);
  if (word !== undefined) return;
  expect(held.write?.status).toBe(409);
  expect(createsOf(game)).toHaveLength(madeBefore + game.replicas);
}

const ALL = () => true;
const UNANSWERED = [
  { variant: ORDERED, isDropped: ALL },
  { variant: SURGE, isDropped: seeded('a third', 1 / 3) },
];
/** With gates; the words are said in a wave. */
const UNANSWERED_DEEDS = [
  { variant: ORDERED, act: scaleIn, isDropped: ALL },
  { variant: DEPLOYMENT, act: scaleIn, isDropped: seeded('a half', 1 / 2) },
  { variant: inOneGo(DEPLOYMENT), act: inWave(abort), isDropped: ALL },
  { variant: inOneGo(SURGE), act: inWave(abort), isDropped: seeded('an abort', 1 / 2) },
  { variant: inOneGo(ORDERED), act: inWave(rollBack), isDropped: ALL },
  { variant: inOneGo(DEPLOYMENT), act: inWave(rollBack), isDropped: seeded('a rollback', 1 / 2) },
];

test('answers that are lost, and writes that come 60 s late when their name has another pod or a word has come between', async () => {
  const unanswered = UNANSWERED.map(async ({ variant, isDropped }) => {
    const game = chaos.scene.game(variant, 'unanswered');
    dropAnswers(chaos.operator, game, isDropped);
    await game.create();
    await walkCanary(game, assertMadeAnew);
  });
  const deeds = UNANSWERED_DEEDS.map(async ({ variant, act, isDropped }) => {
    const game = await chaos.scene.startGame(variant, 'unanswered');
    dropAnswers(chaos.operator, game, isDropped);
    await act(game);
    expect(droppedOf(game), game.namespace).toBeGreaterThan(3);
  });
  await Promise.all([...unanswered, ...deeds, ...LATE.map(arriveLate)]);
  expect((await chaos.scene.assertKept()).spending).toBeGreaterThanOrEqual(26);
}, 600_000);

const droppedOf = (game: Game): number =>
  chaos.operator.proxy.writes.filter((write) => isOf(write, game) && write.outcome === 'dropped').length;

const STALL_MS = 20_000;

test('the pod watch brings nothing for 20 s in a rolling update, in a scale-in, and while an update is aborted or rolled back', async () => {
  const rolling = await chaos.scene.startGame({ ...SIDE_BY_SIDE, replicas: 8 }, 'blind');
  const [shrinking, aborted, rolledBack] = await Promise.all(
    [ORDERED, BARE_DEPLOYMENT, SIDE_BY_SIDE].map((variant) => chaos.scene.startGame(variant, 'blind')),
  );
  const { proxy } = chaos.operator;
  const stopped = Promise.withResolvers<number>();
  const stop = (write: WriteRecord) => {
    if (!isPodWrite(write, rolling) || write.method !== 'DELETE') return false;
    proxy.stopWatch('pods', 'withhold');
    stopped.resolve(performance.now());
    return true;
  };
  proxy.holdWrite(stop).release();
  await rolling.setImage(2);
  const shrunk = scaleIn(shrinking!);
  const endsAt = (await stopped.promise) + STALL_MS;
  // Blind, a wave may come to its first pods and not to the third write.
  const words = [inWave(abort, 1)(aborted!), inWave(rollBack, 1)(rolledBack!)];
  await eventually('the stall is over', () => performance.now() >= endsAt, { timeoutMs: STALL_MS + 10_000 });
  proxy.resumeWatch('pods');
  await Promise.all([rolling.isUp(2), shrunk, ...words]);
  expect((await rolling.result()).outcome).toBe('Completed');
  expect((await chaos.scene.assertKept()).spending).toBeGreaterThanOrEqual(13);
}, 600_000);
