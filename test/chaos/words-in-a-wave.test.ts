/** What a person says while a large wave is on its way holds for the rest of it: nobody waits until the wave is over. */
import { afterEach, expect, test } from 'vitest';
import type { WriteRecord } from '../faults/write-faults.ts';
import { isOf, staffScene } from './chaos-scene.ts';
import { type Game, restartsOf } from './game.ts';
import { assertRestartedOnce } from './walk.ts';

/** All pods are one wave of three rounds: a batch has 20 writes under way at once. */
const REPLICAS = 60;
const ONE_WAVE = {
  replicas: REPLICAS,
  strategy: { maxUnavailable: '100%', inPlaceUpdateStrategy: { gracePeriodSeconds: 0 }, canary: { steps: [] } },
};
/** A word is heard within three seconds: the first round is not over by then. */
const SLOW_WRITE_MS = 2_000;

const chaos = staffScene();
afterEach(() => chaos.operator.proxy.reset());

const isPodPatch = (write: WriteRecord, game: Game) =>
  write.method === 'PATCH' && write.resource.startsWith('pods') && isOf(write, game);

/** Changes the image with an API server that is slow to write, and says a word once the first pod is written to. */
async function sayInTheWave(game: Game, verb: 'pause' | 'abort'): Promise<void> {
  const { proxy } = chaos.operator;
  const begun = Promise.withResolvers<void>();
  proxy.reset();
  proxy.delay(SLOW_WRITE_MS, ({ method, path }) => method === 'PATCH' && /\/pods\/[^/]+(\/status)?$/.test(path));
  const isFirst = (write: WriteRecord) => {
    if (!isPodPatch(write, game)) return false;
    begun.resolve();
    return true;
  };
  proxy.holdWrite(isFirst).release();
  await game.setImage(2);
  await begun.promise;
  await chaos.scene.temporal('workflow', 'signal', '-w', game.rolloutId, '--name', verb);
}

const imagesOf = async (game: Game) => (await game.pods()).map(({ spec }) => spec.containers[0]?.image);

test('a pause: pods that were not begun with stay as they are until the resume', async () => {
  const game = await chaos.scene.startGame(ONE_WAVE, 'paused');
  await sayInTheWave(game, 'pause');
  await game.isSeen('stands still', ({ status }) => {
    const paused = status?.conditions?.find(({ type }) => type === 'Paused');
    return paused?.status === 'True' && status?.moving === false && status.availableReplicas === REPLICAS;
  });
  expect(await imagesOf(game)).toContain('game:1');
  chaos.operator.proxy.reset();
  await game.resume();
  expect((await game.result()).outcome).toBe('Completed');
  await assertRestartedOnce(game);
  await chaos.scene.keepHistory(game.workloadId, 'workload-paused-in-a-wave');
  await chaos.scene.assertKept();
}, 300_000);

test('an abort: pods that were not begun with are never touched', async () => {
  const game = await chaos.scene.startGame(ONE_WAVE, 'aborted');
  await sayInTheWave(game, 'abort');
  chaos.operator.proxy.reset();
  await game.isSeen('is back', ({ status }) => {
    const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
    return progressing?.reason === 'RolloutAborted' && status?.moving === false && status.updatedReplicas === 0;
  });
  const pods = await game.readyPods();
  expect(pods).toHaveLength(REPLICAS);
  expect(new Set(await imagesOf(game))).toEqual(new Set(['game:1']));
  expect(restartsOf(pods)).toContain(0);
  await chaos.scene.assertKept();
}, 300_000);
