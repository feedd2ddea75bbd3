/** An object that goes while its pods are being moved, and one that comes under its name. */
import { expect } from 'vitest';
import type { GameWorkload } from '../../crds/game-workload.ts';
import { type GameNamespace, imageOf, restartsOf, uidsOf } from '../game-deployment/game-namespace.ts';
import type { GameScene } from '../game-deployment/scene.ts';
import type { Kind, Tell } from './kinds.ts';

const PODS = 4;
/** Slow enough to be in the middle for a while. */
const SLOW = { 'holdfast.dev/kwok-restart-delay': '3000', 'holdfast.dev/kwok-ready-delay': '3000' };

/** One pod is out of service with its new image, the others have the old one. */
async function inTheMiddle(scene: GameScene, kind: Kind, theme: string): Promise<GameNamespace<GameWorkload>> {
  const space = await kind.open(scene, theme);
  await space.apply(kind.manifest('lobby', { replicas: PODS, podAnnotations: SLOW }));
  await space.untilReady('lobby');
  await space.setImage('lobby', 'game:2');
  await space.eventually('a pod restarts', async () => {
    const images = (await space.pods()).map(imageOf);
    return images.includes('game:2') && images.includes('game:1');
  });
  return space;
}

export const recreated: Record<string, Tell> = {
  'deleted in the middle of an update and created again at once: only pods of the new object are left': async (
    { scene },
    kind,
  ) => {
    const space = await inTheMiddle(scene, kind, 'again');
    const before = uidsOf(await space.pods());
    await space.kubectl('delete', kind.lower, 'lobby', '--wait=false');
    await space.kubectl('wait', '--for=delete', `${kind.lower}/lobby`, '--timeout=60s');
    await space.apply(kind.manifest('lobby', { replicas: 2, image: 'game:7' }));
    const pods = await space.untilPods({ 'game:7': 2 });
    expect(uidsOf(pods).filter((uid) => before.includes(uid))).toEqual([]);
    await space.untilOwned('lobby', 2);
    const { status } = await space.untilReady('lobby');
    expect(status).toMatchObject({ replicas: 2, updatedReplicas: 2 });
    expect(status?.updateRevision).toBe(status?.currentRevision);
  },

  'orphaned in the middle of an update and created again: the same pods, each restarted once for its image': async (
    { scene },
    kind,
  ) => {
    const space = await inTheMiddle(scene, kind, 'orphaned');
    const before = uidsOf(await space.pods());
    await space.kubectl('delete', kind.lower, 'lobby', '--cascade=orphan');
    await space.apply(kind.manifest('lobby', { replicas: PODS, image: 'game:2', podAnnotations: SLOW }));
    // The workflow lets go of the pods of the object before, with patience of its own, before it looks at this one.
    await space.until('it is looked at', 'lobby', ({ status }) => status?.updateRevision !== undefined);
    await space.until('all are updated', 'lobby', ({ status }) => status?.updatedReadyReplicas === PODS);
    await space.untilReady('lobby');
    const pods = await space.untilOwned('lobby', PODS);
    expect(uidsOf(pods)).toEqual(before);
    expect(pods.map((pod) => `${imageOf(pod)} restarted ${restartsOf(pod)}`)).toEqual(
      pods.map(() => 'game:2 restarted 1'),
    );
  },
};
