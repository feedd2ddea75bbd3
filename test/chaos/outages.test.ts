/** Temporal and the API server go away in the middle, and people speak at once: no step is lost and none is passed twice. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WriteRecord } from '../faults/write-faults.ts';
import { eventually } from '../support/eventually.ts';
import { ChaosScene, isOf, type Operator } from './chaos-scene.ts';
import { type Game, restartsOf } from './game.ts';
import { assertWalked, resumeWhenPaused, storyOf, walkCanary } from './walk.ts';

let scene: ChaosScene;
let operator: Operator;

beforeAll(async () => {
  scene = await ChaosScene.open();
  operator = await scene.hire();
});

afterAll(() => scene.close());

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
    const game = scene.game(TWO_PAUSES, 'twice');
    await game.create();
    await game.isUp(1);
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
    expect(restartsOf(await game.isUp(2))).toEqual([1, 1, 1, 1, 1]);
  },
  240_000,
);

const isPodWrite = (write: WriteRecord) => write.resource.startsWith('pods');

/** Does something once, after the game's first write to a pod. */
function inWave(game: Game, act: () => Promise<unknown>): void {
  operator.proxy.afterCommit(
    (write) => isOf(write, game) && isPodWrite(write),
    async () => void (await act()),
  );
}

async function started(label: string) {
  const game = scene.game({}, label);
  await game.create();
  return { game, before: await game.isUp(1) };
}

test('Temporal is killed and comes back in a pause', async () => {
  const { game, before } = await started('temporal-pause');
  await game.setImage(2);
  await game.isPausedAt(1);
  await scene.stack.process('temporal').restart('SIGKILL');
  await resumeWhenPaused(game);
  await assertWalked(game, before);
  await scene.assertKept();
  await scene.keepHistory(game.workloadId, 'workload-temporal-restarted');
  await scene.keepHistory(game.rolloutId, 'rollout-temporal-restarted');
}, 600_000);

test('Temporal is killed and comes back in a wave', async () => {
  const { game } = await started('temporal-wave');
  inWave(game, () => scene.stack.process('temporal').restart('SIGKILL'));
  await walkCanary(game);
  await scene.assertKept();
}, 600_000);

test('the API server is killed and comes back in a wave', async () => {
  const { game } = await started('apiserver-wave');
  inWave(game, () => scene.stack.process('kube-apiserver').restart('SIGKILL'));
  await walkCanary(game);
  await scene.assertKept();
  await scene.keepHistory(game.workloadId, 'workload-apiserver-restarted');
}, 600_000);

test('Temporal stops while a pod is evicted: its replacement becomes ready without it', async () => {
  const { game, before } = await started('evicted');
  const temporal = scene.stack.process('temporal');
  const isReplacement = (write: WriteRecord) => write.method === 'POST' && isOf(write, game);
  operator.proxy.afterCommit(isReplacement, () => temporal.kill());
  await game.evict(before[0]!);
  await eventually('the replacement is ready', () => game.readyPods(), {
    ...{ timeoutMs: 60_000, until: (pods) => pods.length === game.replicas },
  });
  expect(temporal.isRunning).toBe(false);
  await temporal.start();
  await game.isUp(1);
  await walkCanary(game);
  await scene.assertKept();
}, 600_000);
