/** What does not die but stands still: a watch that brings nothing, a controller that is frozen and wakes as a zombie. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { WriteRecord } from '../faults/write-faults.ts';
import { eventually } from '../support/eventually.ts';
import { ChaosScene, isOf, type Operator } from './chaos-scene.ts';
import type { Game } from './game.ts';
import { assertRestartedOnce, walkCanary } from './walk.ts';

const STALL_MS = 20_000;
/** Twelve pods, two at a time, nobody to wait for: waves follow each other. */
const WAVES = { replicas: 12, strategy: { maxUnavailable: 2, canary: { steps: [] } } };

let scene: ChaosScene;
let operator: Operator;

beforeAll(async () => {
  scene = await ChaosScene.open();
});
afterAll(() => scene.close());

beforeEach(async () => {
  operator = await scene.hire();
}, 120_000);
afterEach(() => scene.dismiss(operator));

const isClosing = (write: WriteRecord) => write.method === 'PATCH' && write.resource === 'pods/status';

/** Resolves when `ms` have gone by since now; a stall has no other end. */
function untilOver(ms: number): Promise<unknown> {
  const endsAt = performance.now() + ms;
  return eventually('the stall is over', () => performance.now() >= endsAt, { timeoutMs: ms + 10_000 });
}

const podsTouched = (writes: readonly WriteRecord[], game: Game): Set<string | undefined> =>
  new Set(writes.filter((write) => isOf(write, game) && write.resource.startsWith('pods')).map(({ name }) => name));

async function assertUpdated(game: Game): Promise<void> {
  expect((await game.result()).outcome).toBe('Completed');
  await assertRestartedOnce(game);
  expect((await scene.assertKept()).spending).toBeGreaterThan(0);
}

test.each(['withhold', 'cut'] as const)(
  'the pod watch stops in a wave: %s',
  async (how) => {
    const game = await scene.startGame(WAVES, how);
    const { proxy } = operator;
    const stopped = Promise.withResolvers<void>();
    proxy.reset();
    proxy
      .holdWrite((write) => {
        if (!isOf(write, game) || !isClosing(write)) return false;
        proxy.stopWatch('pods', how);
        stopped.resolve();
        return true;
      })
      .release();
    await game.setImage(2);
    await stopped.promise;
    await untilOver(STALL_MS);
    // Blind, it may finish what it began and no more.
    const touched = podsTouched(proxy.writes, game);
    expect(touched.size).toBeLessThanOrEqual(how === 'cut' ? 2 : game.replicas);
    proxy.resumeWatch('pods');
    await assertUpdated(game);
  },
  600_000,
);

test.each(['its write is committed', 'its write is on the wire'])(
  'a controller is frozen for 20 s when %s, another takes over, and it wakes',
  async (when) => {
    const other = await scene.hire();
    const game = await scene.startGame(WAVES, 'frozen');
    const frozen = Promise.withResolvers<{ operator: Operator; wake: () => void }>();
    let isTaken = false;
    const isFirst = (write: WriteRecord) => !isTaken && isOf(write, game) && isClosing(write);
    for (const each of [operator, other]) {
      const freeze = () => {
        isTaken = true;
        each.controller.current.freeze();
      };
      if (when.endsWith('committed')) {
        each.proxy.afterCommit(isFirst, () => {
          freeze();
          frozen.resolve({ operator: each, wake: () => undefined });
        });
        continue;
      }
      const held = each.proxy.holdWrite((write) => {
        if (!isFirst(write)) return false;
        freeze();
        frozen.resolve({ operator: each, wake: () => held.release() });
        return true;
      });
    }
    await game.setImage(2);
    const zombie = await frozen.promise;
    await untilOver(STALL_MS);
    zombie.wake();
    zombie.operator.controller.current.thaw();
    await assertUpdated(game);
    await scene.dismiss(other);
  },
  600_000,
);

test('a controller is frozen at the pause of a canary and wakes behind the times', async () => {
  const other = await scene.hire();
  const game = await scene.startGame({}, 'frozen');
  const walking = walkCanary(game);
  await game.isPausedAt(1);
  operator.controller.current.freeze();
  await walking;
  operator.controller.current.thaw();
  await eventually('it answers again', async () => (await fetch(operator.readyUrl)).ok, { timeoutMs: 60_000 });
  await assertRestartedOnce(game);
  await scene.assertKept();
  await scene.dismiss(other);
}, 600_000);
