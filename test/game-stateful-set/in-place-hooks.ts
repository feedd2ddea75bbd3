/** Hooks around updates in place of pods that have their order: the stories of the other kind, and what only this one has. */
import { expect } from 'vitest';
import type { GameWorkload } from '../../crds/game-workload.ts';
import { type GameNamespace, restartsOf, uidsOf } from '../game-deployment/game-namespace.ts';
import { type HookedKind, hook, hookedLobby, inPlaceHooksOf } from '../game-deployment/in-place-hooks.ts';
import type { Stories } from '../game-deployment/scene.ts';
import { gameStatefulSet } from './manifests.ts';
import { placesOf } from './ordinals.ts';

const SETS: HookedKind = {
  lower: 'gamestatefulset',
  short: 'gsts',
  open: async (scene, theme) => (await scene.namespace(`set-${theme}`)).sets as unknown as GameNamespace<GameWorkload>,
  manifest: (hooks, steps) => {
    const rollingUpdate = { maxUnavailable: 1 };
    return gameStatefulSet('lobby', {
      ...hooks,
      updateStrategy: { type: 'InplaceUpdate', rollingUpdate, canary: { steps } },
    });
  },
};

export const inPlaceHooks: Stories = {
  ...inPlaceHooksOf(SETS),

  'OrderedReady: the highest ordinal is asked first, alone, before its update and after it': async (scene) => {
    const space = await SETS.open(scene, 'in-place-order');
    const { answer, asked } = await hookedLobby(space, SETS, {
      preInplaceUpdateStrategy: hook('leave'),
      postInplaceUpdateStrategy: hook('join'),
      poll: ['leave', 'join'],
    });
    const uids = uidsOf(await space.pods());
    answer('leave', 99);
    answer('join', 99);
    await space.setImage('lobby', 'game:2');
    const waits = await space.until(
      'a pod waits for its hook',
      'lobby',
      ({ status }) => status?.preInplaceHookCondition?.some(({ phase }) => phase === 'Running') === true,
    );
    expect(waits.status?.preInplaceHookCondition?.map(({ podName }) => podName)).toEqual(['lobby-2']);
    expect([asked('join'), waits.status?.waitingReplicas]).toEqual([0, 1]);
    answer('leave', 10);
    // The hooks after updates hold up nobody while they run.
    expect(placesOf(await space.untilPods({ 'game:2': 3 }))).toEqual([
      ...['lobby-0 game:2', 'lobby-1 game:2', 'lobby-2 game:2'],
    ]);
    const waiting = await space.until(
      'each of them waits for its hook',
      'lobby',
      ({ status }) => status?.postInplaceHookCondition?.length === 3,
    );
    expect(waiting.status?.currentRevision).not.toBe(waiting.status?.updateRevision);
    answer('join', 10);
    const { status } = await space.untilReady('lobby');
    expect(status?.currentRevision).toBe(status?.updateRevision);
    const pods = await space.pods();
    expect([uidsOf(pods), pods.map(restartsOf)]).toEqual([uids, [1, 1, 1]]);
  },
};
