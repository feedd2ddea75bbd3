/** Pauses that are written into the spec, with a controller that dies around that one write (decision 9). */
import { beforeEach, expect, test } from 'vitest';
import { PAUSED_AT_ANNOTATION, WRITE_PAUSED_ANNOTATION } from '../../core/keys.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { WriteRecord } from '../faults/write-faults.ts';
import { eventually } from '../support/eventually.ts';
import { isOf, staffScene } from './chaos-scene.ts';
import type { Game } from './game.ts';
import { storyOf } from './walk.ts';

const chaos = staffScene();
beforeEach(() => chaos.operator.proxy.reset());

const isPauseWrite = (game: Game) => (write: WriteRecord) =>
  /^game(deployments|statefulsets)$/.test(write.resource) && isOf(write, game);

const start = (kind: GameWorkload['kind'], label: string) =>
  chaos.scene.startGame({ kind, annotations: { [WRITE_PAUSED_ANNOTATION]: 'true' } }, label);

const isPaused = ({ spec }: GameWorkload) => spec.updateStrategy?.paused === true;

/** Every step once, and of each pause one `true` and one `false`: whatever was tried again wrote nothing more. */
async function assertOnce(game: Game): Promise<void> {
  const story = storyOf(await game.result());
  expect(story.filter((line) => line.includes('pause'))).toEqual([
    'pause until resumed: resumed',
    'pause 2 s: elapsed',
  ]);
  const isLeft = ({ spec, metadata }: GameWorkload) =>
    spec.updateStrategy?.paused === false && metadata.annotations?.[PAUSED_AT_ANNOTATION] === undefined;
  const { metadata } = await game.isSeen('has its spec back', isLeft);
  expect(metadata.generation).toBe(6);
  await game.isUp(2);
  await chaos.scene.assertKept();
}

test.each(['GameDeployment', 'GameStatefulSet'] as const)(
  '%s: killed after the write, before its answer',
  async (kind) => {
    const game = await start(kind, 'pause-committed');
    const killed = Promise.withResolvers<void>();
    chaos.operator.proxy.afterCommit(isPauseWrite(game), async () => {
      await chaos.operator.controller.current.kill();
      killed.resolve();
    });
    await game.setImage(2);
    await killed.promise;
    await game.isPausedAt(1);
    expect(isPaused(await game.read())).toBe(true);
    await game.lift();
    await assertOnce(game);
    if (kind === 'GameDeployment') await chaos.scene.keepHistory(game.workloadId, 'workload-write-paused');
  },
  600_000,
);

test('killed in the pause, which the user lifts to pause himself: his true stays when the pause is over', async () => {
  const game = await start('GameDeployment', 'pause-own');
  await game.setImage(2);
  await game.isPausedAt(1);
  await chaos.operator.controller.current.kill();
  // Nobody looks between the two.
  await game.lift();
  await game.pause();
  await game.resume(1);
  const isHis = ({ spec, metadata, status }: GameWorkload) =>
    spec.updateStrategy?.paused === true &&
    metadata.annotations?.[PAUSED_AT_ANNOTATION] === undefined &&
    status?.conditions?.some(({ reason, status: value }) => value === 'True' && reason === 'PausedByUser') === true;
  await game.isSeen('is paused by its user', isHis);
  await game.lift();
  await game.result();
  await game.isUp(2);
  await chaos.scene.assertKept();
}, 600_000);

test('killed between the pause and the write; what was on its way comes late and changes nothing', async () => {
  const game = await start('GameDeployment', 'pause-held');
  const held = chaos.operator.proxy.holdWrite(isPauseWrite(game));
  await game.setImage(2);
  await eventually('the write is on its way', () => held.write !== undefined, { timeoutMs: 120_000 });
  expect((await game.read()).status?.pauseConditions ?? []).toEqual([]);
  await chaos.operator.controller.current.kill();
  await game.isPausedAt(1);
  expect(isPaused(await game.read())).toBe(true);
  await game.lift();
  held.release();
  await eventually('the late write is answered', () => held.write?.status === 409, { timeoutMs: 60_000 });
  await assertOnce(game);
}, 600_000);

test('killed before the write and resumed by message meanwhile: nothing of the pause is left', async () => {
  const game = await start('GameDeployment', 'pause-resumed');
  const held = chaos.operator.proxy.holdWrite(isPauseWrite(game));
  await game.setImage(2);
  await eventually('the write is on its way', () => held.write !== undefined, { timeoutMs: 120_000 });
  await chaos.operator.controller.current.kill();
  await game.resume(1);
  expect(storyOf(await game.result())).toContain('pause until resumed: resumed');
  await game.isUp(2);
  held.release();
  await eventually('the late write is answered', () => held.write?.status === 409, { timeoutMs: 60_000 });
  const isLeft = (workload: GameWorkload) =>
    !isPaused(workload) && workload.metadata.annotations?.[PAUSED_AT_ANNOTATION] === undefined;
  await game.isSeen('has its spec back', isLeft);
  await chaos.scene.assertKept();
}, 600_000);
