/** Other ways than a canary in place, with a controller that is killed again and again at seeded writes. */
import { beforeEach, expect, test } from 'vitest';
import { isOf, staffScene } from './chaos-scene.ts';
import { type Game, restartsOf } from './game.ts';
import { seeded } from './seeded.ts';

const chaos = staffScene();
beforeEach(() => chaos.operator.proxy.reset());

/** Kills after each of the game's commits that chance chooses, `times` times at most. */
function killAtRandom(game: Game, seed: string, share: number, times: number): { kills: number } {
  const isChosen = seeded(seed, share);
  const count = { kills: 0 };
  const arm = () =>
    chaos.operator.proxy.afterCommit(
      (write) => isOf(write, game) && isChosen(),
      async () => {
        count.kills += 1;
        if (count.kills < times) arm();
        await chaos.operator.controller.current.kill();
      },
    );
  arm();
  return count;
}

test('a rolling update with surge', async () => {
  const strategy = { type: 'RollingUpdate' as const, maxSurge: 2, maxUnavailable: 1, canary: { steps: [] } };
  const game = await chaos.scene.startGame({ strategy }, 'rolling');
  const before = await game.pods();
  const count = killAtRandom(game, 'rolling', 1 / 6, 4);
  await game.setImage(2);
  expect((await game.result()).outcome).toBe('Completed');
  const pods = await game.isUp(2);
  const old = new Set(before.map(({ metadata }) => metadata.uid));
  expect(pods.filter(({ metadata }) => old.has(metadata.uid))).toEqual([]);
  expect(count.kills).toBeGreaterThan(0);
  expect((await chaos.scene.assertKept()).creates).toBeGreaterThanOrEqual(10);
  await chaos.scene.keepHistory(game.workloadId, 'workload-rolling-killed');
}, 600_000);

test('scale-in with a gate: no pod goes before its own hook has succeeded', async () => {
  const game = await chaos.scene.startGame({ gated: true, replicas: 6 }, 'scale-in');
  const count = killAtRandom(game, 'scale-in', 1 / 4, 4);
  await game.scale(2);
  await game.isUp(1);
  expect(count.kills).toBeGreaterThan(0);
  expect((await chaos.scene.assertKept()).spending).toBeGreaterThanOrEqual(4);
}, 600_000);

test('200 pods in place', async () => {
  const game = await chaos.scene.startGame(
    { replicas: 200, strategy: { maxUnavailable: '20%', canary: { steps: [] } } },
    'many',
  );
  const count = killAtRandom(game, 'many', 1 / 120, 4);
  await game.setImage(2);
  expect((await game.result()).outcome).toBe('Completed');
  const pods = await game.isUp(2);
  expect(restartsOf(pods).filter((restarts) => restarts !== 1)).toEqual([]);
  expect(count.kills).toBeGreaterThan(1);
  expect((await chaos.scene.assertKept()).turns).toBeGreaterThanOrEqual(200);
}, 600_000);
