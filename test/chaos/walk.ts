/** The walk of one canary from image 1 to image 2, as a person takes it, and what must be true at its end. */
import { expect } from 'vitest';
import type { RolloutResult } from '../../core/rollout/types.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { type Game, restartsOf, revisionsOf } from './game.ts';

/** The steps of a `Game` as its rollout logs them: each of them once. */
const STORY = [
  'partition 3: done',
  'pause until resumed: resumed',
  'partition 1: done',
  'pause 2 s: elapsed',
  'hook test: done',
  'all pods: done',
];

/** Changes the image, resumes at the untimed pause, and follows the rollout to its end. */
export async function walkCanary(game: Game, assertEnd = assertWalked): Promise<void> {
  const before = await game.isUp(1);
  await game.setImage(2);
  await resumeWhenPaused(game);
  await assertEnd(game, before);
}

export async function resumeWhenPaused(game: Game): Promise<void> {
  const paused = await game.isPausedAt(1);
  expect(paused.status?.updatedReplicas, `${game.namespace} at its pause`).toBe(2);
  await game.resume(1);
}

/** Done once, whatever happened: every step, every restart, the hook of the canary. */
export async function assertWalked(game: Game, before: readonly Pod[]): Promise<void> {
  const pods = await assertStepsOnce(game);
  expect(uidsOf(pods), `${game.namespace} keeps its pods`).toEqual(uidsOf(before));
  expect(restartsOf(pods), `${game.namespace} restarts each pod once`).toEqual(before.map(() => 1));
}

/** The same where pods are made anew. */
export async function assertMadeAnew(game: Game, before: readonly Pod[]): Promise<void> {
  const old = uidsOf(before);
  const pods = await assertStepsOnce(game);
  expect(uidsOf(pods).filter((uid) => old.includes(uid))).toEqual([]);
}

async function assertStepsOnce(game: Game): Promise<Pod[]> {
  expect({ namespace: game.namespace, story: storyOf(await game.result()) }).toEqual({
    namespace: game.namespace,
    story: ['Completed', ...STORY],
  });
  const pods = await game.isUp(2);
  expect(revisionsOf(pods), `${game.namespace} is at one revision`).toHaveLength(1);
  const runs = (await game.hookRuns()).filter(({ metadata }) => metadata.labels?.['hookrun-type'] === 'canary-step');
  expect(
    runs.map(({ status }) => status?.phase),
    `${game.namespace} asks its hook once`,
  ).toEqual(['Successful']);
  return pods;
}

/** Every pod has the image of the walk's end and was restarted for it once. */
export async function assertRestartedOnce(game: Game): Promise<void> {
  expect(restartsOf(await game.isUp(2))).toEqual(Array.from({ length: game.replicas }, () => 1));
}

const uidsOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.uid).sort();

export const storyOf = ({ outcome, steps }: RolloutResult): string[] => [
  outcome,
  ...steps.map(({ what, outcome: end }) => `${what}: ${end}`),
];
