/** A first template that the API refuses because of a field beside it: pods come when that field is put right. */
import { expect } from 'vitest';
import type { Stories } from '../game-deployment/scene.ts';
import { gameStatefulSet, volumes, withData } from './manifests.ts';
import { claimsIn, namesOf } from './ordinals.ts';

export const refusedFirst: Stories = {
  'claims that were forgotten: nothing is created until they are written, and then all is': async (scene) => {
    const space = await scene.namespace('set-refused');
    const { sets } = space;
    const { container, volumeClaimTemplates } = withData(space);
    await sets.apply(...volumes(space, 2), gameStatefulSet('lobby', { replicas: 2, container }));
    const message = await sets.untilReason('lobby', 'Ready', 'InvalidTemplate');
    expect(message).toMatch(/volumeMounts.* \(since .*Z\)\.$/);
    expect(await sets.pods()).toEqual([]);
    await sets.patch('lobby', { spec: { volumeClaimTemplates } });
    expect(namesOf(await sets.untilPods({ 'game:1': 2 }))).toEqual(['lobby-0', 'lobby-1']);
    await sets.untilReady('lobby');
    expect(Object.keys(await claimsIn(space))).toEqual(['data-lobby-0', 'data-lobby-1']);
  },
};
