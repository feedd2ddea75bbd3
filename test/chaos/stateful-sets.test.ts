/**
 * The fault runs on GameStatefulSets, whose pods come back under their names, and on what both kinds do in the same way: gates at
 * scale-in, abort and rollback in a wave. HOLDFAST_CHAOS=full kills at every write number of a canary.
 */
import { afterEach, expect, test } from 'vitest';
import type { WriteRecord } from '../faults/write-faults.ts';
import { eventually } from '../support/eventually.ts';
import { isOf, staffScene } from './chaos-scene.ts';
import { dropAnswers } from './drop-answers.ts';
import type { Game } from './game.ts';
import type { GameVariant } from './game-manifests.ts';
import { KillBarrier } from './kill-barrier.ts';
import { seeded } from './seeded.ts';
import { assertMadeAnew, assertWalked, walkCanary } from './walk.ts';

const chaos = staffScene();
afterEach(() => chaos.operator.proxy.reset());

const SET = { kind: 'GameStatefulSet' } as const;
const ORDERED: GameVariant = { ...SET, gated: true, strategy: { type: 'RollingUpdate' } };
const PARALLEL: GameVariant = { ...ORDERED, podManagementPolicy: 'Parallel' };
const SURGE: GameVariant = { ...PARALLEL, strategy: { type: 'RollingUpdate', maxSurge: 1 } };
const IN_PLACE: GameVariant = { ...PARALLEL, strategy: { type: 'InplaceUpdate' } };
const DEPLOYMENT: GameVariant = { gated: true, strategy: { type: 'RollingUpdate' } };

const NO_STEPS = { canary: { steps: [] } };
const inOneGo = (variant: GameVariant): GameVariant => ({ ...variant, strategy: { ...variant.strategy, ...NO_STEPS } });

/** A game that is killed after its n-th write; `act` changes it and sees it through. */
interface Killed {
  variant: GameVariant;
  n: number;
  act: (game: Game) => Promise<unknown>;
}

/** Answers the numbers that were come to. */
async function killAll(killed: readonly Killed[]): Promise<number[]> {
  const startedAt = performance.now();
  const games = await Promise.all(killed.map(({ variant }) => chaos.scene.startGame(variant, 'set')));
  const points = games.map((game, index) => ({ game, n: killed[index]!.n }));
  const barrier = new KillBarrier(chaos.operator, points);
  await Promise.all(games.map((game, index) => killed[index]!.act(game)));
  const judged = await chaos.scene.assertKept();
  // A scale-in takes three pods; a wave that a word ends may have taken one.
  expect(judged.spending).toBeGreaterThanOrEqual(2 * games.length);
  const hit = barrier.hit.map(({ point }) => point.n).sort((a, b) => a - b);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${seconds} s, ${barrier.kills} kills, killed after ${hit}; judged ${JSON.stringify(judged)}`);
  await Promise.all(games.map((game) => game.retire()));
  return hit;
}

const walk = (variant: GameVariant) => (game: Game) =>
  walkCanary(game, variant === IN_PLACE ? assertWalked : assertMadeAnew);

const SHAPES = {
  'one after the other': ORDERED,
  'side by side': PARALLEL,
  'with a surge': SURGE,
  'in place': IN_PLACE,
};

interface Batch {
  what: string;
  killed: Killed[];
  /** How many writes of its status a run makes depends on its pace: the last numbers may not exist. */
  isSure: boolean;
}

const killedAt = (variant: GameVariant, numbers: number[]): Killed[] =>
  numbers.map((n) => ({ variant, n, act: walk(variant) }));

/** For each shape two numbers before the pause and one behind it. */
const CHOSEN: Batch = {
  what: 'chosen writes',
  killed: Object.values(SHAPES).flatMap((variant, index) =>
    killedAt(variant, [3 + 2 * index, 10 + 2 * index, 20 + 2 * index]),
  ),
  isSure: true,
};
const EVERY = Object.entries(SHAPES).flatMap(([shape, variant]) =>
  [1, 10, 19, 28, 37, 46].map((from): Batch => {
    const numbers = Array.from({ length: 9 }, (_, index) => from + index);
    return { what: `${shape}, writes ${from} to ${from + 8}`, killed: killedAt(variant, numbers), isSure: from < 20 };
  }),
);
const BATCHES = process.env.HOLDFAST_CHAOS === 'full' ? EVERY : [CHOSEN];

test.each(BATCHES)(
  'a canary, killed in its waves and between them: $what',
  async ({ killed, isSure }) => {
    const hit = await killAll(killed);
    if (isSure) expect(hit).toHaveLength(killed.length);
  },
  600_000,
);

/** The pods that are left were there before; that each which went had its hook's word is judged by the audit log. */
async function scaleIn(game: Game): Promise<void> {
  const before = new Set((await game.pods()).map(({ metadata }) => metadata.uid));
  await game.scale(2);
  const left = await game.isUp(1);
  expect(left.filter(({ metadata }) => !before.has(metadata.uid))).toEqual([]);
  const runs = await game.hookRuns();
  expect(runs.filter(({ status }) => status?.phase !== 'Successful')).toEqual([]);
}

/** Says a word right after the wave's third write to a pod, of which the controller learns nothing. */
function sayInWave(game: Game, say: () => Promise<unknown>): Promise<void> {
  const said = Promise.withResolvers<void>();
  let writes = 0;
  const isThird = (write: WriteRecord) => isOf(write, game) && write.resource.startsWith('pods') && ++writes === 3;
  chaos.operator.proxy.afterCommit(isThird, () => say().then(() => said.resolve(), said.reject));
  return said.promise;
}

async function abortInWave(game: Game): Promise<void> {
  const said = sayInWave(game, () =>
    chaos.scene.temporal('workflow', 'signal', '-w', game.rolloutId, '--name', 'abort'),
  );
  await game.setImage(2);
  await said;
  await game.isSeen('is back', ({ status }) => {
    const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
    const isBack = status?.updatedReplicas === 0 && status.availableReplicas === game.replicas;
    return progressing?.reason === 'RolloutAborted' && status?.moving === false && isBack;
  });
  const pods = await game.readyPods();
  expect(pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(Array(game.replicas).fill('game:1'));
}

async function rollBackInWave(game: Game): Promise<void> {
  const said = sayInWave(game, () => game.setImage(1));
  await game.setImage(2);
  await said;
  await game.isUp(1);
  expect((await game.result()).outcome).toBe('Completed');
}

test('scale-in with gates, and abort and rollback in a wave, killed at their writes: both kinds', async () => {
  const scaled = [DEPLOYMENT, ORDERED, PARALLEL].flatMap((variant, index) =>
    [2, 6].map((n) => ({ variant, n: n + index, act: scaleIn })),
  );
  const words = [abortInWave, rollBackInWave].flatMap((act, index) =>
    [DEPLOYMENT, ORDERED, SURGE].map((variant, at) => ({ variant: inOneGo(variant), n: 6 + index + 2 * at, act })),
  );
  const hit = await killAll([...scaled, ...words]);
  expect(hit.length).toBeGreaterThanOrEqual(scaled.length);
}, 600_000);

const LATE_MS = 60_000;
/** Without gates, so that the first write is the one that is meant. */
const BARE: GameVariant = { ...inOneGo(ORDERED), gated: false };

interface Late {
  what: string;
  variant: GameVariant;
  method: 'POST' | 'DELETE';
  /** What happens while the write is on its way. */
  meanwhile?: (game: Game) => Promise<unknown>;
  image: number;
}

const LATE: readonly Late[] = [
  { what: 'a delete whose name has another pod by then', variant: BARE, method: 'DELETE', image: 2 },
  { what: 'a create of a pod that was made meanwhile', variant: BARE, method: 'POST', image: 2 },
  {
    what: 'a create of a revision that was rolled back meanwhile',
    variant: { ...BARE, podManagementPolicy: 'Parallel' },
    method: 'POST',
    meanwhile: (game) => game.setImage(1),
    image: 1,
  },
];

const isPodWrite = (write: WriteRecord, game: Game) => isOf(write, game) && write.resource === 'pods';
const createsOf = (game: Game) =>
  chaos.operator.proxy.writes.filter((write) => isPodWrite(write, game) && write.method === 'POST' && write.commit);

async function arriveLate({ what, variant, method, meanwhile, image }: Late): Promise<void> {
  const game = await chaos.scene.startGame(variant, 'late');
  const held = chaos.operator.proxy.holdWrite((write) => isPodWrite(write, game) && write.method === method, {
    releaseAfterMs: LATE_MS,
  });
  const madeBefore = createsOf(game).length;
  await game.setImage(2);
  const patience = { timeoutMs: 150_000, intervalMs: 500 };
  await eventually(`${what} is on its way`, () => held.write, patience);
  await meanwhile?.(game);
  await eventually(`${what} is answered at last`, () => held.write?.status, patience);
  await game.isUp(image);
  console.log(`${what}: answered ${held.write?.status}`);
  if (meanwhile === undefined) {
    expect(held.write?.status).toBe(409);
    expect(createsOf(game)).toHaveLength(madeBefore + game.replicas);
  }
}

const UNANSWERED = [
  { variant: ORDERED, isDropped: () => true },
  { variant: SURGE, isDropped: seeded('a third', 1 / 3) },
];

test('answers that are lost, and writes that come 60 s late when their name has another pod', async () => {
  const unanswered = UNANSWERED.map(async ({ variant, isDropped }) => {
    const game = chaos.scene.game(variant, 'unanswered');
    dropAnswers(chaos.operator, game, isDropped);
    await game.create();
    await walkCanary(game, assertMadeAnew);
  });
  await Promise.all([...unanswered, ...LATE.map(arriveLate)]);
  expect((await chaos.scene.assertKept()).spending).toBeGreaterThanOrEqual(20);
}, 600_000);

const STALL_MS = 20_000;

test('the pod watch brings nothing for 20 s in a rolling update and in a scale-in', async () => {
  const rolling = await chaos.scene.startGame({ ...BARE, podManagementPolicy: 'Parallel', replicas: 8 }, 'blind');
  const shrinking = await chaos.scene.startGame(ORDERED, 'blind');
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
  const shrunk = scaleIn(shrinking);
  const endsAt = (await stopped.promise) + STALL_MS;
  await eventually('the stall is over', () => performance.now() >= endsAt, { timeoutMs: STALL_MS + 10_000 });
  proxy.resumeWatch('pods');
  await Promise.all([rolling.isUp(2), shrunk]);
  expect((await rolling.result()).outcome).toBe('Completed');
  expect((await chaos.scene.assertKept()).spending).toBeGreaterThanOrEqual(11);
}, 600_000);
