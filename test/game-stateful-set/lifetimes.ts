/** Pods that outlive their set, and pods that a set lets go. */
import { expect } from 'vitest';
import { livesOf } from '../game-deployment/game-namespace.ts';
import { gameDeployment } from '../game-deployment/manifests.ts';
import type { Stories } from '../game-deployment/scene.ts';
import { gameStatefulSet } from './manifests.ts';
import { placesOf } from './ordinals.ts';

export const lifetimes: Stories = {
  'orphaned pods of both kinds under one name: each is adopted by its own, and none restarts': async (scene) => {
    const space = await scene.namespace('setadopts');
    const manifests = [gameDeployment('lobby', { replicas: 2 }), gameStatefulSet('lobby', { replicas: 2 })];
    await space.apply(...manifests);
    const ofDeployment = livesOf(await space.untilOwned('lobby', 2));
    const ofSet = livesOf(await space.sets.untilOwned('lobby', 2));
    await Promise.all([space.untilReady('lobby'), space.sets.untilReady('lobby')]);
    for (const kind of ['gamedeployment', 'gamestatefulset'])
      await space.kubectl('delete', kind, 'lobby', '--cascade=orphan');
    expect((await space.pods()).flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);

    await space.apply(...manifests.reverse());
    const { status } = await space.sets.untilReady('lobby');
    expect(status).toMatchObject({ replicas: 2, readyReplicas: 2, updatedReplicas: 2, currentReplicas: 2 });
    expect((await space.untilReady('lobby')).status).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      updatedReplicas: 2,
    });
    expect(livesOf(await space.sets.untilOwned('lobby', 2))).toEqual(ofSet);
    expect(livesOf(await space.untilOwned('lobby', 2))).toEqual(ofDeployment);
    expect(await space.pods()).toHaveLength(4);
  },

  'a pod whose label is taken off is let go; its ordinal is filled when the pod with its name is gone': async (
    scene,
  ) => {
    const { sets } = await scene.namespace('setletsgo');
    await sets.apply(gameStatefulSet('lobby', { replicas: 2 }));
    await sets.untilReady('lobby');
    await sets.kubectl('label', 'pod', 'lobby-0', 'app=quarantine', '--overwrite');
    const why = await sets.untilReason('lobby', 'Progressing', 'PodCreateFailed');
    expect(why).toContain('has the name lobby-0');
    await sets.eventually('nobody controls the pod', async () =>
      (await sets.pods()).some(({ metadata }) => metadata.name === 'lobby-0' && metadata.ownerReferences === undefined),
    );
    await sets.kubectl('delete', 'pod', 'lobby-0', '--wait=false');
    await sets.untilOwned('lobby', 2);
    expect(placesOf(await sets.untilPods({ 'game:1': 2 }))).toEqual(['lobby-0 game:1', 'lobby-1 game:1']);
    await sets.untilReady('lobby');
  },
};
