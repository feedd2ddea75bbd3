/** Temporal and the API server go away in the middle, and people speak at once: no step is lost and none is passed twice. */
import { expect, test } from 'vitest';
import type { WriteRecord } from '../faults/write-faults.ts';
import { eventually } from '../support/eventually.ts';
import { isOf, staffScene } from './chaos-scene.ts';
import type { Game } from './game.ts';
import { assertRestartedOnce, assertWalked, resumeWhenPaused, storyOf, walkCanary } from './walk.ts';

const chaos = staffScene();

/** Two pauses that wait for people, one behind the other. */
const TWO_PAUSES = {
  strategy: { canary: { steps: [{ partition: 3 }, { pause: {} }, { pause: {} }, { partition: 1 }] } },
};

const SPEAKERS = {
  'two signals that name the step': (game: Game) => [game.resume(1), game.resume(1)],
  'two signals that name no step': (game: Game) => [game.resume(), game.resume()],
  'two updates that name the step': (game: Game) => [game.askToResume(1), game.askToResume(1)],
  'two updates that name no step': (game: Game) => [game.askToResume(), game.askToResume()],
};

test.each(Object.entries(SPEAKERS))(
  'two resumes at once open one pause: %s',
  async (_, speak) => {
    const game = await chaos.scene.startGame(TWO_PAUSES, 'twice');
    await game.setImage(2);
    await game.isPausedAt(1);
    const answers = await Promise.allSettled(speak(game));
    await game.isPausedAt(2);
    const refused = answers.filter(({ status }) => status === 'rejected');
    await game.resume(2);
    const result = await game.result();
    const pauses = storyOf(result).filter((line) => line.startsWith('pause'));
    expect(pauses).toEqual(['pause until resumed: resumed', 'pause until resumed: resumed']);
    expect(refused.length).toBeLessThanOrEqual(1);
    await assertRestartedOnce(game);
  },
  240_000,
);

const isPodWrite = (write: WriteRecord) => write.resource.startsWith('pods');

/** Does something once, after the game's first write to a pod. */
function inWave(game: Game, act: () => Promise<unknown>): void {
  chaos.operator.proxy.afterCommit(
    (write) => isOf(write, game) && isPodWrite(write),
    async () => void (await act()),
  );
}

test('Temporal is killed and comes back in a pause', async () => {
  const game = await chaos.scene.startGame({}, 'temporal-pause');
  const before = await game.pods();
  await game.setImage(2);
  await game.isPausedAt(1);
  await chaos.scene.stack.process('temporal').restart('SIGKILL');
  await resumeWhenPaused(game);
  await assertWalked(game, before);
  await chaos.scene.assertKept();
  await chaos.scene.keepHistory(game.workloadId, 'workload-temporal-restarted');
  await chaos.scene.keepHistory(game.rolloutId, 'rollout-temporal-restarted');
}, 600_000);

test('Temporal is killed and comes back in a wave', async () => {
  const game = await chaos.scene.startGame({}, 'temporal-wave');
  inWave(game, () => chaos.scene.stack.process('temporal').restart('SIGKILL'));
  await walkCanary(game);
  await chaos.scene.assertKept();
}, 600_000);

test('the API server is killed and comes back in a wave', async () => {
  const game = await chaos.scene.startGame({}, 'apiserver-wave');
  inWave(game, () => chaos.scene.stack.process('kube-apiserver').restart('SIGKILL'));
  await walkCanary(game);
  await chaos.scene.assertKept();
  await chaos.scene.keepHistory(game.workloadId, 'workload-apiserver-restarted');
}, 600_000);

test('Temporal stops while a pod is evicted: its replacement becomes ready without it', async () => {
  const game = await chaos.scene.startGame({}, 'evicted');
  const temporal = chaos.scene.stack.process('temporal');
  const isReplacement = (write: WriteRecord) => write.method === 'POST' && isOf(write, game);
  chaos.operator.proxy.afterCommit(isReplacement, () => temporal.kill());
  await game.evict((await game.pods())[0]!);
  await eventually('the replacement is ready', () => game.readyPods(), {
    ...{ timeoutMs: 60_000, until: (pods) => pods.length === game.replicas },
  });
  expect(temporal.isRunning).toBe(false);
  await temporal.start();
  await game.isUp(1);
  await walkCanary(game);
  await chaos.scene.assertKept();
}, 600_000);
