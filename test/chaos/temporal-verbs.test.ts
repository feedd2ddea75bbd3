/**
 * People with the `temporal` command: a workload and a rollout that are terminated or reset, in a pause and in a wave. Nothing
 * is done twice, nothing is skipped, and a pause stays one (decision 18).
 */
import { expect, test, vi } from 'vitest';
import { rolloutState } from '../../workflows/rollout-query.ts';
import type { WriteRecord } from '../faults/write-faults.ts';
import { eventually } from '../support/eventually.ts';
import { isOf, staffScene } from './chaos-scene.ts';
import type { Game } from './game.ts';
import { FIRST_PARTITION, type GameVariant, NAME } from './game-manifests.ts';
import { assertMadeAnew, assertRestartedOnce, assertWalked, resumeWhenPaused, storyOf } from './walk.ts';

vi.setConfig({ maxConcurrency: 16 });

const chaos = staffScene();

const DEPLOYMENT: GameVariant = {};
const SET: GameVariant = { kind: 'GameStatefulSet', podManagementPolicy: 'Parallel' };
const MADE_ANEW: GameVariant = { kind: 'GameStatefulSet', gated: true, strategy: { type: 'RollingUpdate' } };

const REASON = ['--reason', 'a person tries what it does'] as const;
const terminate = (id: string) => chaos.scene.temporal('workflow', 'terminate', '-w', id, ...REASON);
/** In a wave the server may be too busy with the workflow to reset it; a person tries again. */
const reset = (id: string) =>
  eventually(`${id} is reset`, async () => {
    await chaos.scene.temporal('workflow', 'reset', '-w', id, '--type', 'FirstWorkflowTask', ...REASON);
    return true;
  });

type Verb = (id: string) => Promise<unknown>;
const VERBS: Record<string, Verb> = { terminate, reset };

/** Acts right after the third write to a pod, whose answer is lost. */
function inWave(game: Game, act: () => Promise<unknown>): Promise<void> {
  const done = Promise.withResolvers<void>();
  let writes = 0;
  const isThird = (write: WriteRecord) => isOf(write, game) && write.resource.startsWith('pods') && ++writes === 3;
  chaos.operator.proxy.afterCommit(isThird, () => act().then(() => done.resolve(), done.reject));
  return done.promise;
}

const assertEnd = (variant: GameVariant) => (variant === MADE_ANEW ? assertMadeAnew : assertWalked);

const WORKLOADS = [DEPLOYMENT, SET, MADE_ANEW].flatMap((variant) =>
  Object.entries(VERBS).map(([verb, say]) => ({ verb, say, variant, kind: variant.kind ?? 'GameDeployment' })),
);

test.concurrent.each(WORKLOADS)(
  '$verb of a workload in a pause: its canary goes on where it was ($kind)',
  async ({ say, variant }) => {
    const game = await chaos.scene.startGame(variant, 'workload-pause');
    const before = await game.pods();
    await game.setImage(2);
    await game.isPausedAt(1);
    await say(game.workloadId);
    await resumeWhenPaused(game);
    await assertEnd(variant)(game, before);
  },
  300_000,
);

test.concurrent.each(WORKLOADS)(
  '$verb of a workload in a wave: no pod is moved twice ($kind)',
  async ({ say, variant }) => {
    const game = await chaos.scene.startGame(variant, 'workload-wave');
    const before = await game.pods();
    const said = inWave(game, () => say(game.workloadId));
    await game.setImage(2);
    await said;
    await resumeWhenPaused(game);
    await assertEnd(variant)(game, before);
  },
  300_000,
);

/** The run that is open now waits for a person there: a status may still tell of the one before. */
function isAsking(game: Game, step: number): Promise<unknown> {
  const handle = chaos.scene.client.workflow.getHandle(game.rolloutId);
  const probe = async () => {
    const { status } = await handle.describe();
    const { view } = await handle.query(rolloutState);
    return status.name === 'RUNNING' && view.stepIndex === step && view.phase === 'Paused';
  };
  return eventually(`${game.rolloutId} asks at step ${step}`, probe, { timeoutMs: 120_000, intervalMs: 500 });
}

const ROLLOUTS = WORKLOADS.filter(({ variant }) => variant !== MADE_ANEW);

/** The steps from the untimed pause on, each of them once. */
const FROM_PAUSE = [
  ...['pause until resumed: resumed', 'partition 1: done', 'pause 2 s: elapsed', 'hook test: done', 'all pods: done'],
];

test.concurrent.each(ROLLOUTS)(
  '$verb of a rollout in a pause: it stays paused, and goes on when it is resumed ($kind)',
  async ({ say, variant }) => {
    const game = await chaos.scene.startGame(variant, 'rollout-pause');
    await game.setImage(2);
    await game.isPausedAt(1);
    await say(game.rolloutId);
    await isAsking(game, 1);
    await resumeWhenPaused(game);
    const [outcome, ...story] = storyOf(await game.result());
    expect([outcome, ...story.slice(-FROM_PAUSE.length)]).toEqual(['Completed', ...FROM_PAUSE]);
    await assertRestartedOnce(game);
  },
  300_000,
);

test.concurrent.each(ROLLOUTS.filter(({ verb }) => verb === 'terminate'))(
  'terminate of a rollout in a wave: it is found at the end of the wave and held there until a person resumes it ($kind)',
  async ({ variant }) => {
    const game = await chaos.scene.startGame(variant, 'rollout-wave');
    const said = inWave(game, () => terminate(game.rolloutId));
    await game.setImage(2);
    await said;
    await game.isSeen('is held', ({ status }) => {
      const paused = status?.conditions?.find(({ type }) => type === 'Paused');
      return paused?.status === 'True' && status?.currentStepIndex === 0 && status.moving === false;
    });
    await isAsking(game, 0);
    await game.resume(0);
    await resumeWhenPaused(game);
    expect((await game.result()).outcome).toBe('Completed');
    await assertRestartedOnce(game);
  },
  300_000,
);

/** A reset takes the status back to the first step: that partition 1 was in force, it may never have said. */
function knowResumes(game: Game): { askedAgainAtMs: number } {
  const resumed = { atMs: Date.now(), askedAgainAtMs: Number.POSITIVE_INFINITY };
  chaos.scene.knowPartition(`${game.namespace}/${NAME}`, (atMs) => {
    if (atMs < resumed.atMs) return FIRST_PARTITION;
    return atMs < resumed.askedAgainAtMs ? 1 : undefined;
  });
  return resumed;
}

test.concurrent.each(ROLLOUTS.filter(({ verb }) => verb === 'reset'))(
  'reset of a rollout in a wave behind its pause: a person is asked again, and no pod is moved twice ($kind)',
  async ({ variant }) => {
    const game = await chaos.scene.startGame(variant, 'rollout-wave');
    await game.setImage(2);
    await game.isPausedAt(1);
    const said = inWave(game, () => reset(game.rolloutId));
    const known = knowResumes(game);
    await resumeWhenPaused(game);
    await said;
    await isAsking(game, 1);
    known.askedAgainAtMs = Date.now();
    await game.resume(1);
    expect((await game.result()).outcome).toBe('Completed');
    await assertRestartedOnce(game);
  },
  300_000,
);

test.concurrent.each(WORKLOADS.filter(({ variant }) => variant !== SET))(
  '$verb of a workload whose rollout was aborted: it stays aborted ($kind)',
  async ({ say, variant }) => {
    const game = await chaos.scene.startGame(variant, 'aborted');
    await game.setImage(2);
    await game.isPausedAt(1);
    await chaos.scene.temporal('workflow', 'signal', '-w', game.rolloutId, '--name', 'abort');
    const isBack = () =>
      game.isSeen('is back', ({ status }) => {
        const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
        const isOld = status?.updatedReplicas === 0 && status.availableReplicas === game.replicas;
        return progressing?.reason === 'RolloutAborted' && status?.moving === false && isOld;
      });
    await isBack();
    await say(game.workloadId);
    await game.scale(6);
    await isBack();
    expect((await game.readyPods()).map(({ spec }) => spec.containers[0]?.image)).toEqual(Array(6).fill('game:1'));
  },
  300_000,
);

test('no write in any of these broke a promise', async () => {
  expect((await chaos.scene.assertKept()).spending).toBeGreaterThanOrEqual(100);
});
