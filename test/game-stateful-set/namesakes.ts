/** Both kinds under one name in one namespace, with the same labels and the same template: nothing of them mixes. */
import { expect } from 'vitest';
import { type GameNamespace, uidsOf } from '../game-deployment/game-namespace.ts';
import { gameDeployment } from '../game-deployment/manifests.ts';
import type { Stories } from '../game-deployment/scene.ts';
import { gameStatefulSet } from './manifests.ts';
import { namesOf } from './ordinals.ts';

async function podsOf(space: GameNamespace, kind: 'GameDeployment' | 'GameStatefulSet') {
  const pods = await space.pods();
  return pods.filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === kind);
}

export const namesakes: Stories = {
  'both kinds under one name: each moves its own pods to its own revisions': async (scene) => {
    const space = await scene.namespace('namesakes');
    const strategy = { type: 'InplaceUpdate' } as const;
    await space.apply(
      gameDeployment('lobby', { replicas: 2, updateStrategy: strategy }),
      gameStatefulSet('lobby', { replicas: 2, updateStrategy: strategy }),
    );
    await space.untilPods({ 'game:1': 4 });
    const deployment = await space.untilReady('lobby');
    const set = await space.sets.untilReady('lobby');
    expect(deployment.status).toMatchObject({ replicas: 2, updatedReplicas: 2 });
    expect(set.status).toMatchObject({ replicas: 2, updatedReplicas: 2, currentReplicas: 2 });
    expect(set.status?.updateRevision).not.toBe(deployment.status?.updateRevision);
    const collisions = [deployment.status?.collisionCount ?? 0, set.status?.collisionCount ?? 0];
    expect(collisions.sort()).toEqual([0, 1]);
    const ownBefore = uidsOf(await podsOf(space, 'GameDeployment'));

    await space.sets.setImage('lobby', 'game:2');
    await space.untilPods({ 'game:1': 2, 'game:2': 2 });
    await space.sets.untilReady('lobby');
    expect(namesOf(await podsOf(space, 'GameStatefulSet'))).toEqual(['lobby-0', 'lobby-1']);
    await space.setImage('lobby', 'game:3');
    await space.untilPods({ 'game:2': 2, 'game:3': 2 });
    await space.untilReady('lobby');
    expect(uidsOf(await podsOf(space, 'GameDeployment'))).toEqual(ownBefore);
    expect(await space.result('lobby')).toMatchObject({ outcome: 'Completed', number: 1 });
    expect(await space.sets.result('lobby')).toMatchObject({ outcome: 'Completed', number: 1 });

    await space.kubectl('delete', 'gamedeployment', 'lobby');
    expect(namesOf(await space.untilPods({ 'game:2': 2 }))).toEqual(['lobby-0', 'lobby-1']);
    await space.sets.setImage('lobby', 'game:4');
    await space.untilPods({ 'game:4': 2 });
    await space.sets.untilReady('lobby');
  },
};
