/** Other ways than a canary in place, with a controller that is killed again and again at seeded writes. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ChaosScene, isOf, type Operator } from './chaos-scene.ts';
import { type Game, restartsOf } from './game.ts';
import { seeded } from './seeded.ts';

let scene: ChaosScene;
let operator: Operator;

beforeAll(async () => {
  scene = await ChaosScene.open();
  operator = await scene.hire();
});

afterAll(() => scene.close());
beforeEach(() => operator.proxy.reset());

/** Kills after each of the game's commits that chance chooses, `times` times at most. */
function killAtRandom(game: Game, seed: string, share: number, times: number): { kills: number } {
  const isChosen = seeded(seed, share);
  const count = { kills: 0 };
  const arm = () =>
    operator.proxy.afterCommit(
      (write) => isOf(write, game) && isChosen(),
      async () => {
        count.kills += 1;
        if (count.kills < times) arm();
        await operator.controller.current.kill();
      },
    );
  arm();
  return count;
}

test('a rolling update with surge', async () => {
  const strategy = { type: 'RollingUpdate' as const, maxSurge: 2, maxUnavailable: 1, canary: { steps: [] } };
  const game = scene.game({ strategy }, 'rolling');
  await game.create();
  const before = await game.isUp(1);
  const count = killAtRandom(game, 'rolling', 1 / 6, 4);
  await game.setImage(2);
  expect((await game.result()).outcome).toBe('Completed');
  const pods = await game.isUp(2);
  const old = new Set(before.map(({ metadata }) => metadata.uid));
  expect(pods.filter(({ metadata }) => old.has(metadata.uid))).toEqual([]);
  expect(count.kills).toBeGreaterThan(0);
  expect((await scene.assertKept()).creates).toBeGreaterThanOrEqual(10);
  await scene.keepHistory(game.workloadId, 'workload-rolling-killed');
}, 600_000);

test('scale-in with a gate: no pod goes before its own hook has succeeded', async () => {
  const game = scene.game({ gated: true, replicas: 6 }, 'scale-in');
  await game.create();
  await game.isUp(1);
  const count = killAtRandom(game, 'scale-in', 1 / 4, 4);
  await game.scale(2);
  await game.isUp(1);
  const passed = (await game.hookRuns()).filter(({ status }) => status?.phase === 'Successful');
  expect(passed).toHaveLength(4);
  expect(count.kills).toBeGreaterThan(0);
  expect((await scene.assertKept()).spending).toBeGreaterThanOrEqual(4);
}, 600_000);

test('200 pods in place', async () => {
  const game = scene.game({ replicas: 200, strategy: { maxUnavailable: '20%', canary: { steps: [] } } }, 'many');
  await game.create();
  await game.isUp(1);
  const count = killAtRandom(game, 'many', 1 / 120, 4);
  await game.setImage(2);
  expect((await game.result()).outcome).toBe('Completed');
  const pods = await game.isUp(2);
  expect(restartsOf(pods).filter((restarts) => restarts !== 1)).toEqual([]);
  expect(count.kills).toBeGreaterThan(1);
  expect((await scene.assertKept()).turns).toBeGreaterThanOrEqual(200);
}, 600_000);
