/** Updates and deletions that people decide pod by pod: type OnDelete, and podsToDelete. */
import { expect } from 'vitest';
import { imageOf, uidsOf } from './game-namespace.ts';
import { gameDeployment } from './manifests.ts';
import type { Stories } from './scene.ts';

const ON_DELETE = { type: 'OnDelete' as const, maxUnavailable: 1 };

export const byHand: Stories = {
  'OnDelete: nothing moves until somebody deletes a pod, which comes back updated': async (scene) => {
    const space = await scene.namespace('on-delete');
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy: ON_DELETE }));
    const [first, second] = await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:2');
    const message = await space.untilReason('lobby', 'Ready', 'WaitsForDeletion');
    expect(message).toMatch(/2 pods do not run lobby-\S+ yet/);
    expect(uidsOf(await space.pods())).toEqual(uidsOf([first!, second!]));
    await space.kubectl('delete', 'pod', first!.metadata.name, '--wait=false');
    const after = await space.untilPods({ 'game:1': 1, 'game:2': 1 });
    expect(after.map(({ metadata }) => metadata.uid)).toContain(second!.metadata.uid);
    expect(await space.isOpen(space.rolloutId('lobby'))).toBe(true);
    await space.kubectl('delete', 'pod', second!.metadata.name, '--wait=false');
    await space.untilPods({ 'game:2': 2 });
    expect(await space.result('lobby')).toMatchObject({ outcome: 'Completed' });
    await space.untilReady('lobby');
  },

  'OnDelete under a partition: the first that is deleted stays old': async (scene) => {
    const space = await scene.namespace('on-delete-partition');
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy: { ...ON_DELETE, partition: 2 } }));
    const [first] = await space.untilPods({ 'game:1': 2 });
    await space.setImage('lobby', 'game:2');
    await space.untilReason('lobby', 'Ready', 'PartitionReached');
    await space.kubectl('delete', 'pod', first!.metadata.name, '--wait=false');
    await space.eventually('it is gone', async () => !uidsOf(await space.pods()).includes(first!.metadata.uid!));
    const [one, other] = await space.untilPods({ 'game:1': 2 });
    await space.patch('lobby', { spec: { updateStrategy: { partition: 1 } } });
    await space.untilReason('lobby', 'Ready', 'WaitsForDeletion');
    await space.kubectl('delete', 'pod', one!.metadata.name, '--wait=false');
    const after = await space.untilPods({ 'game:1': 1, 'game:2': 1 });
    expect(after.map(({ metadata }) => metadata.uid)).toContain(other!.metadata.uid);
  },

  'podsToDelete: the named pod goes and another one comes; with fewer replicas none comes': async (scene) => {
    const space = await scene.namespace('named');
    await space.apply(gameDeployment('lobby', { replicas: 3 }));
    const [first, ...others] = await space.untilPods({ 'game:1': 3 });
    const podsToDelete = [first!.metadata.name, 'lobby-nobody'];
    await space.patch('lobby', { spec: { scaleStrategy: { podsToDelete } } });
    await space.eventually('it is gone', async () => !uidsOf(await space.pods()).includes(first!.metadata.uid!));
    const replaced = await space.untilPods({ 'game:1': 3 });
    expect(uidsOf(replaced)).toEqual(expect.arrayContaining(uidsOf(others)));
    await space.untilReady('lobby');
    const chosen = others[0]!.metadata.name;
    const scaleStrategy = { podsToDelete: [...podsToDelete, chosen] };
    await space.patch('lobby', { spec: { replicas: 2, scaleStrategy } });
    const left = await space.untilPods({ 'game:1': 2 });
    expect(uidsOf(left)).toEqual(uidsOf(replaced.filter(({ metadata }) => metadata.name !== chosen)));
    const { spec } = await space.untilReady('lobby');
    expect(spec.scaleStrategy).toEqual(scaleStrategy);
  },

  'podsToDelete with maxUnavailable 0: the pod of the surge is ready before the named one goes': async (scene) => {
    const space = await scene.namespace('named-surge');
    const updateStrategy = { type: 'InplaceUpdate' as const, maxUnavailable: 0, maxSurge: 1 };
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy }));
    const [first] = await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
    await space.patch('lobby', { spec: { scaleStrategy: { podsToDelete: [first!.metadata.name] } } });
    await space.eventually('it is gone', async () => !uidsOf(await space.pods()).includes(first!.metadata.uid!));
    expect((await space.untilPods({ 'game:1': 2 })).map(imageOf)).toEqual(['game:1', 'game:1']);
    await space.untilReady('lobby');
  },
};
