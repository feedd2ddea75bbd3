import { expect, it } from 'vitest';
import type { ControllerRevision } from '../crds/kubernetes.ts';
import { anAttempt, PodScene } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { belongingsInStores, listBelongings } from './sources.ts';

it('stores and a quorum list agree, also on a pod whose selected labels were edited', async () => {
  const scene = new PodScene();
  scene.adopt(aPod('r1', 'lobby-a').build());
  scene.adopt(aPod('r1', 'lobby-b').build());
  scene.cluster.put('pods', aPod('r1', 'lobby-c').build());
  scene.cluster.touch('lobby-b', ({ metadata }) => Object.assign(metadata.labels ?? {}, { app: 'debug' }));
  const listed = await listBelongings(scene.ports, scene.workload, anAttempt().signal);
  expect(listed).toEqual(belongingsInStores(scene.cluster.stores, scene.workload));
  const own = Object.values(listed).flat();
  const names = new Set(own.map(({ metadata }) => metadata.name));
  expect(['lobby-a', 'lobby-b'].filter((name) => names.has(name))).toEqual(['lobby-a', 'lobby-b']);
});

it('they agree on revisions whose labels the selector does not match, and one that is gone is in neither', async () => {
  const scene = new PodScene();
  const [first] = scene.cluster.all<ControllerRevision>('controllerrevisions');
  scene.cluster.put('controllerrevisions', { ...first!, metadata: { ...first!.metadata, labels: { app: 'x' } } });
  const listed = await listBelongings(scene.ports, scene.workload, anAttempt().signal);
  expect(listed).toMatchObject({ controllerRevisions: [{ revision: 2 }, { revision: 1 }] });
  scene.cluster.isHeldBack = true;
  scene.cluster.remove('controllerrevisions', 'r1');
  const { controllerRevisions } = await listBelongings(scene.ports, scene.workload, anAttempt().signal);
  expect(controllerRevisions).toMatchObject([{ revision: 2 }]);
});
