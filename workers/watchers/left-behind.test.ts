import { expect, test } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { PodScene } from '../../test/support/pod-scene.ts';
import { aPod } from '../../test/support/pods.ts';
import { aSetPod } from '../../test/support/sets.ts';
import { leftBehind } from './left-behind.ts';

const MARKED = { 'holdfast.dev/move': '{}' };
const ofSet = (pod: Pod): Pod => {
  const labels = { ...pod.metadata.labels, 'gamestatefulset.kubernetes.io/pod-ordinal': '3' };
  for (const key of Object.keys(labels))
    if (key.endsWith('instance-id')) delete (labels as Record<string, string>)[key];
  return { ...pod, metadata: { ...pod.metadata, labels } };
};

test.each<[string, (scene: PodScene) => unknown, string[]]>([
  [
    'a marked pod of a workload that is gone',
    ({ cluster }) => cluster.remove('gamedeployments', 'lobby'),
    ['gamedeployment/default/lobby'],
  ],
  ['not of one that is there: it adopts it', () => undefined, []],
])('%s', async (_sentence, change, want) => {
  const scene = new PodScene();
  scene.cluster.put('pods', aPod('r1', 'lobby-a').annotated(MARKED).build());
  change(scene);
  expect(leftBehind(scene.cluster.stores)).toEqual(want);
});

test('of both kinds, each once; not pods that carry nothing of ours', () => {
  const scene = new PodScene();
  scene.cluster.remove('gamedeployments', 'lobby');
  scene.cluster.put('pods', aPod('r1', 'lobby-a').annotated(MARKED).build());
  scene.cluster.put('pods', aPod('r1', 'lobby-b').annotated(MARKED).build());
  scene.cluster.put('pods', ofSet(aSetPod(3, 'r1').annotated(MARKED).build()));
  scene.cluster.put('pods', aPod('r1', 'arena-c').build());
  expect(leftBehind(scene.cluster.stores)).toEqual(['gamedeployment/default/lobby', 'gamestatefulset/default/lobby']);
});
