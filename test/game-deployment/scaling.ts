/** Replicas up and down, by kubectl scale. */
import { expect } from 'vitest';
import { imageOf, uidsOf } from './game-namespace.ts';
import { canary, gameDeployment } from './manifests.ts';
import type { Stories } from './scene.ts';

export const scaling: Stories = {
  'kubectl scale moves replicas both ways and keeps the pods that may stay': async (scene) => {
    const space = await scene.namespace('scale');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    const two = uidsOf(await space.untilPods({ 'game:1': 2 }));
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=5');
    const five = uidsOf(await space.untilPods({ 'game:1': 5 }));
    expect(five).toEqual(expect.arrayContaining(two));
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
    const three = uidsOf(await space.untilPods({ 'game:1': 3 }));
    expect(five).toEqual(expect.arrayContaining(three));
    const { status } = await space.untilReady('lobby');
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, labelSelector: 'app=lobby' });
  },

  'scales to zero and back; what is created at zero has no steps to walk': async (scene) => {
    const space = await scene.namespace('zero');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    await space.untilPods({ 'game:1': 2 });
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=0');
    await space.untilPods({});
    await space.untilReady('lobby');
    await space.apply(gameDeployment('lobby', { replicas: 0, image: 'game:2', ...canary([{ pause: {} }]) }));
    await space.untilReady('lobby');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=2');
    await space.untilPods({ 'game:2': 2 });
    await space.untilReady('lobby');
  },

  'scale-out in a pause creates at the stable revision and scale-in keeps a canary (decision 11)': async (scene) => {
    const space = await scene.namespace('scale-paused');
    await space.apply(gameDeployment('lobby', { replicas: 3, ...canary([{ partition: 2 }, { pause: {} }]) }));
    await space.untilPods({ 'game:1': 3 });
    await space.setImage('lobby', 'game:2');
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=5');
    await space.untilPods({ 'game:1': 4, 'game:2': 1 });
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=2');
    const pods = await space.untilPods({ 'game:1': 1, 'game:2': 1 });
    expect(pods.map(imageOf)).toContain('game:2');
    await space.signal(space.rolloutId('lobby'), 'resume');
    await space.untilPods({ 'game:2': 2 });
  },
};
