/** How the pods of a GameDeployment come to be: batch by batch, and each with a number of its own. */
import { expect } from 'vitest';
import { INDEX_ID_ANNOTATION, INDEX_ON_ANNOTATION, INDEX_RANGE_ANNOTATION } from '../../core/keys.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { uidsOf } from './game-namespace.ts';
import { gameDeployment } from './manifests.ts';
import type { Stories } from './scene.ts';

const rangeOf = (podStartIndex: number, podEndIndex: number) => JSON.stringify({ podStartIndex, podEndIndex });

const indexIn = ({ metadata }: Pod) => metadata.annotations?.[INDEX_ID_ANNOTATION];
const variableIn = ({ spec }: Pod) => spec.containers.map(({ env }) => env);
const indexesOf = (pods: Pod[]) => pods.map(indexIn).sort();

export const creation: Stories = {
  'createBatch: a first batch that does not get ready stops itself; a good template brings all': async (scene) => {
    const space = await scene.namespace('batch');
    const scaleStrategy = { createBatch: 2 };
    await space.apply(gameDeployment('lobby', { replicas: 5, scaleStrategy, image: 'game:404' }));
    await space.until('its pods cannot start', 'lobby', ({ status }) =>
      /ImagePull/.test(status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? ''),
    );
    expect(await space.pods()).toHaveLength(2);
    await space.setImage('lobby', 'game:1');
    await space.untilPods({ 'game:1': 5 });
    const { status } = await space.untilReady('lobby');
    expect(status?.createdInFull).toBe(true);
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=8');
    await space.untilPods({ 'game:1': 8 });
  },

  'indexes: each pod has the smallest number that no other has, also while others go': async (scene) => {
    const space = await scene.namespace('indexes');
    const annotations = { [INDEX_ON_ANNOTATION]: 'true', [INDEX_RANGE_ANNOTATION]: rangeOf(1, 4) };
    const updateStrategy = { type: 'RollingUpdate' as const, maxUnavailable: 2 };
    await space.apply(gameDeployment('lobby', { replicas: 3, annotations, updateStrategy }));
    const before = await space.untilPods({ 'game:1': 3 });
    expect(indexesOf(before)).toEqual(['1', '2', '3']);
    for (const pod of before) expect(variableIn(pod)).toEqual([[{ name: 'POD_INDEX', value: indexIn(pod) }]]);
    await space.setImage('lobby', 'game:2');
    const after = await space.untilPods({ 'game:2': 3 });
    expect(indexesOf(after)).toEqual(['1', '2', '3']);
    expect(uidsOf(after).filter((uid) => uidsOf(before).includes(uid))).toEqual([]);
    await space.untilReady('lobby');
  },

  'a range that is too small is said, and nothing but its pods waits for a wider one': async (scene) => {
    const space = await scene.namespace('few-indexes');
    const annotations = { [INDEX_ON_ANNOTATION]: 'true', [INDEX_RANGE_ANNOTATION]: rangeOf(0, 2) };
    await space.apply(gameDeployment('lobby', { replicas: 2, annotations }));
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
    const message = await space.untilReason('lobby', 'Degraded', 'FailedScale');
    expect(message).toContain('has 2 indexes, which is less than replicas (3)');
    await space.untilReason('lobby', 'Stalled', 'FailedScale');
    await space.untilEvent('FailedScale');
    await space.kubectl(
      ...['annotate', 'gamedeployment', 'lobby', '--overwrite', `${INDEX_RANGE_ANNOTATION}=${rangeOf(0, 3)}`],
    );
    expect(indexesOf(await space.untilPods({ 'game:1': 3 }))).toEqual(['0', '1', '2']);
    await space.untilReady('lobby');
    await space.untilReason('lobby', 'Degraded', 'AsExpected');
  },
};
