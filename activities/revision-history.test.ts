import { expect, test } from 'vitest';
import type { GameDeployment } from '../crds/game-deployment.ts';
import type { ControllerRevision } from '../crds/kubernetes.ts';
import { anAttempt, KEY, PodScene } from '../test/support/pod-scene.ts';
import { aPod, templateOf } from '../test/support/pods.ts';
import { SET_KEY, SET_UID, SetScene } from '../test/support/set-scene.ts';
import { report } from './report.ts';
import type { ReportRequest } from './types.ts';

/** The status is written of a workload at this revision, and nothing else is done. */
async function tell(scene: PodScene, changes: Partial<ReportRequest> = {}): Promise<void> {
  const request: ReportRequest = {
    ...{
      key: KEY,
      uid: scene.owner.uid,
      context: scene.context({ allowance: null }),
      fence: { written: {}, gone: [] },
    },
    ...{ updateRevision: 'r2', stableRevision: 'r2', view: null, moving: false, consumedResume: [], events: [] },
    ...changes,
  };
  await report({ ...scene.ports, recorder: { record: () => undefined } }, request, anAttempt());
}

function aScene(spec: Partial<GameDeployment['spec']>): PodScene {
  const scene = new PodScene(spec);
  const { workload } = scene;
  const asked = { ...workload, spec: { ...workload.spec, template: templateOf('game:r2') } };
  scene.cluster.put<GameDeployment>('gamedeployments', asked);
  return scene;
}

const recorded = ({ cluster }: PodScene) =>
  cluster.all<ControllerRevision>('controllerrevisions').map(({ metadata }) => metadata.name);

test('a limit that is lowered alone cuts with the next status', async () => {
  const scene = aScene({ revisionHistoryLimit: 0 });
  await tell(scene);
  expect(recorded(scene)).toEqual(['r2']);
});

test('of a GameStatefulSet as well, and of no namesake', async () => {
  const scene = new SetScene();
  const { set } = scene;
  const spec = { ...set.spec, revisionHistoryLimit: 0, template: templateOf('game:r2') };
  scene.cluster.put('gamestatefulsets', { ...set, spec });
  const at = { updateRevision: 'set-r2', stableRevision: 'set-r2' };
  await tell(scene, { key: SET_KEY, uid: SET_UID, context: scene.setContext(), ...at });
  expect(recorded(scene)).toEqual(['r1', 'r2', 'set-r2']);
});

test.each<[string, Partial<ReportRequest>, boolean]>([
  ['the stable one', { stableRevision: 'r1' }, false],
  ['one that a pod carries', {}, true],
])('%s stays', async (_which, changes, isCarried) => {
  const scene = aScene({ revisionHistoryLimit: 0 });
  if (isCarried) scene.adopt(aPod('r1').build());
  await tell(scene, changes);
  expect(recorded(scene)).toEqual(['r1', 'r2']);
});

test.each<[string, boolean, string[]]>([
  ['its labels are others than the selector asks for', true, ['r1', 'r2']],
  ['it is of another workload', false, ['r2']],
])('of one that a pod carries, where %s', async (_which, isOwn, want) => {
  const scene = aScene({ revisionHistoryLimit: 0 });
  const pod = scene.adopt(aPod('r1', 'lobby-a').build());
  const owner = isOwn ? scene.owner : { ...scene.owner, uid: 'uid-other' };
  const labels = { 'controller-revision-hash': 'r1', app: isOwn ? 'debug' : 'lobby' };
  scene.cluster.put('pods', { ...pod, metadata: { ...pod.metadata, labels, ownerReferences: [owner] } });
  await tell(scene);
  expect(recorded(scene)).toEqual(want);
});

test('so does one at which a pod may be on its way', async () => {
  const scene = aScene({ revisionHistoryLimit: 0 });
  const issued = [{ pod: 'lobby-x', revision: 'r1' }];
  const unresolved = [{ act: 'create' as const, pod: 'lobby-x', outcome: 'unknown' as const }];
  await tell(scene, { context: scene.context({ allowance: null, issued, unresolved }) });
  expect(recorded(scene)).toEqual(['r1', 'r2']);
});

test('a revision whose name no pod can carry is cut without asking for pods', async () => {
  const scene = aScene({ revisionHistoryLimit: 0 });
  const [first] = scene.cluster.all<ControllerRevision>('controllerrevisions');
  scene.cluster.remove('controllerrevisions', 'r1');
  scene.cluster.put('controllerrevisions', { ...first!, metadata: { ...first!.metadata, name: 'r'.repeat(64) } });
  await tell(scene);
  expect(recorded(scene)).toEqual(['r2']);
  expect(scene.cluster.requests).not.toContain('list pods');
});

test('a history within its limit costs no request', async () => {
  const scene = aScene({});
  await tell(scene);
  expect(scene.cluster.requests).toEqual(['replaceStatus gamedeployments lobby']);
});
