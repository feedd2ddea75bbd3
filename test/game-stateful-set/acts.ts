/** What people and their scripts do to the rollout of a GameStatefulSet: rolling back, and lifting pauses in the spec. */
import { expect } from 'vitest';
import { livesOf, uidsOf } from '../game-deployment/game-namespace.ts';
import type { Stories } from '../game-deployment/scene.ts';
import { answerPauses, asksForIt, pauseInSpec } from '../game-deployment/write-paused.ts';
import { gameStatefulSet } from './manifests.ts';

const inPlace = (steps: object[]) => ({ type: 'InplaceUpdate', canary: { steps } }) as const;

export const acts: Stories = {
  'a script that sets paused: false at every pause walks through the whole canary': async (scene) => {
    const space = (await scene.namespace('set-script')).sets;
    const updateStrategy = inPlace([{ partition: 2 }, { pause: {} }, { partition: 1 }, { pause: {} }]);
    await space.apply(gameStatefulSet('lobby', { updateStrategy, annotations: asksForIt }));
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:2');
    await answerPauses(space, 'gamestatefulset', 2);
    await space.untilPods({ 'game:2': 3 });
    const { steps } = await space.result('lobby');
    const lifted = steps.filter(({ by }) => by === 'spec.updateStrategy.paused');
    expect(lifted.map(({ step, outcome }) => [step, outcome])).toEqual([
      [1, 'resumed'],
      [3, 'resumed'],
    ]);
    const { metadata } = await space.until('its spec is as the script left it', 'lobby', (workload) => {
      const [paused, isMarked] = pauseInSpec(workload);
      return paused === false && !isMarked;
    });
    expect(metadata.generation).toBe(6);
  },

  'holdfast rollback in the middle of a canary: pods go back in place, without steps': async (scene) => {
    const space = (await scene.namespace('set-rollback')).sets;
    await space.apply(gameStatefulSet('lobby', { updateStrategy: inPlace([{ partition: 2 }, { pause: {} }]) }));
    await space.untilReady('lobby');
    const uids = uidsOf(await space.pods());
    await space.setImage('lobby', 'game:2');
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    const lives = livesOf(await space.pods());
    const { code, stdout } = await scene.holdfast(['rollback', 'gsts/lobby', '-n', space.name]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^gamestatefulset\/lobby rolls back to revision 1 /)]);
    const pods = await space.untilPods({ 'game:1': 3 });
    await space.untilReady('lobby');
    expect(uidsOf(pods)).toEqual(uids);
    expect(livesOf(pods).filter((life) => !lives.includes(life))).toHaveLength(1);
    const history = await scene.holdfast(['history', 'gsts', 'lobby', '-n', space.name]);
    expect(history.stdout).toMatch(/^2 +lobby-\S+ +\S+ +0 +0 +RolledBack/m);
  },
};
