/** What is done to workloads of both kinds besides a canary: a scale-in, and words that end a wave in its middle. */
import { expect } from 'vitest';
import type { WriteRecord } from '../faults/write-faults.ts';
import { isOf, type StaffedScene } from './chaos-scene.ts';
import type { Game } from './game.ts';
import type { GameVariant } from './game-manifests.ts';

const SET = { kind: 'GameStatefulSet' } as const;
export const ORDERED: GameVariant = { ...SET, gated: true, strategy: { type: 'RollingUpdate' } };
export const PARALLEL: GameVariant = { ...ORDERED, podManagementPolicy: 'Parallel' };
export const SURGE: GameVariant = { ...PARALLEL, strategy: { type: 'RollingUpdate', maxSurge: 1 } };
export const IN_PLACE: GameVariant = { ...PARALLEL, strategy: { type: 'InplaceUpdate' } };
export const DEPLOYMENT: GameVariant = { gated: true, strategy: { type: 'RollingUpdate' } };

const NO_STEPS = { canary: { steps: [] } };
export const inOneGo = (variant: GameVariant): GameVariant => ({
  ...variant,
  strategy: { ...variant.strategy, ...NO_STEPS },
});

/** The pods that are left were there before; that each which went had its hook's word is judged by the audit log. */
export async function scaleIn(game: Game): Promise<void> {
  const before = new Set((await game.pods()).map(({ metadata }) => metadata.uid));
  await game.scale(2);
  const left = await game.isUp(1);
  expect(left.filter(({ metadata }) => !before.has(metadata.uid))).toEqual([]);
  const runs = await game.hookRuns();
  expect(runs.filter(({ status }) => status?.phase !== 'Successful')).toEqual([]);
}

/** What ends a rollout. */
export interface Word {
  say: (game: Game) => Promise<unknown>;
  /** What must be true when the game has heard it. */
  end: (game: Game) => Promise<unknown>;
}

/** The words, and how they are said in a wave. */
export function wordsOf(chaos: StaffedScene) {
  const signal = (game: Game) => chaos.scene.temporal('workflow', 'signal', '-w', game.rolloutId, '--name', 'abort');
  const abort: Word = { say: signal, end: isBack };
  const rollBack: Word = { say: (game) => game.setImage(1), end: isRolledBack };

  /** Says it right after the wave's n-th write to a pod, of which the controller learns nothing. */
  function sayInWave({ say }: Word, game: Game, n: number): Promise<void> {
    const said = Promise.withResolvers<void>();
    let writes = 0;
    const isNth = (write: WriteRecord) => isOf(write, game) && write.resource.startsWith('pods') && ++writes === n;
    chaos.operator.proxy.afterCommit(isNth, () => say(game).then(() => said.resolve(), said.reject));
    return said.promise;
  }

  const inWave =
    (word: Word, n = 3) =>
    async (game: Game): Promise<void> => {
      const said = sayInWave(word, game, n);
      await game.setImage(2);
      await said;
      await word.end(game);
    };
  return { abort, rollBack, inWave };
}

/** The status says why, and every pod has the old image, also those that a late write has taken since. */
async function isBack(game: Game): Promise<void> {
  await game.isSeen('is back', ({ status }) => {
    const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
    const isOld = status?.updatedReplicas === 0 && status.availableReplicas === game.replicas;
    return progressing?.reason === 'RolloutAborted' && status?.moving === false && isOld;
  });
  await game.hasPods(1);
}

async function isRolledBack(game: Game): Promise<void> {
  await game.isUp(1);
  expect((await game.result()).outcome).toBe('Completed');
}
