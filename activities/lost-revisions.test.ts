/** Pods that name a revision which is gone (docs/adr/0017): what runs the template of the spec stays, whatever its name was. */
import { beforeEach, describe, expect, it } from 'vitest';
import { INSTANCE_ID_LABEL, POD_ORDINAL_LABEL } from '../core/keys.ts';
import { revisionName } from '../core/revisions.ts';
import type { GameDeployment, GameDeploymentStatus } from '../crds/game-deployment.ts';
import type { ControllerRevision, Pod } from '../crds/kubernetes.ts';
import type { EventNote } from '../kubernetes/event-notes.ts';
import { apiError } from '../test/support/fake-cluster.ts';
import { anAttempt, KEY, PodScene } from '../test/support/pod-scene.ts';
import { aPod, templateOf } from '../test/support/pods.ts';
import { SET_KEY, SET_UID, SetScene } from '../test/support/set-scene.ts';
import { observe } from './observe.ts';
import { recordRevision } from './revisions.ts';

let scene: PodScene;
let notes: EventNote[];

beforeEach(() => {
  scene = new PodScene({ replicas: 2 });
  notes = [];
});

/** What the spec asks for; its generation is one that the status does not know. */
function ask(image: string, status: GameDeploymentStatus = {}): void {
  const { spec } = scene.workload;
  const asked: GameDeployment = { ...scene.workload, spec: { ...spec, template: templateOf(image) } };
  scene.cluster.put('gamedeployments', { ...asked, status: { observedGeneration: 0, ...status } });
}

/** A pod with the image, under the name of a revision as the existing operators would make it. */
const named = (revision: string, image: string, name = 'lobby-a'): Pod =>
  aPod(revision, name)
    .with((pod) => {
      pod.spec.containers[0]!.image = image;
      pod.status!.containerStatuses![0]!.image = image;
    })
    .build();

function record(changes: object = {}) {
  const ports = { ...scene.ports, recorder: { record: (note: EventNote) => void notes.push(note) } };
  const request = { key: KEY, uid: scene.owner.uid, fence: { written: {}, gone: [] }, ...changes };
  return recordRevision(ports, request, anAttempt());
}

const look = (stableRevision?: string) => {
  const allowance = stableRevision === undefined ? null : { revision: 'r2', partition: 0, paused: false };
  return observe(
    scene.ports,
    scene.observeRequest({ context: scene.context({ stableRevision, allowance }), toldReached: false }),
    anAttempt(),
  );
};

const revisions = () =>
  scene.cluster
    .all<ControllerRevision>('controllerrevisions')
    .map(({ metadata, revision }) => [metadata.name, revision]);

describe('a template whose revision was deleted and that is asked for again', () => {
  it('is recorded under the name that its pods carry, and an event says so; none of them moves', async () => {
    ask('game:r3', { currentRevision: 'lobby-67864c6f65', updateRevision: 'r2' });
    scene.adopt(named('lobby-67864c6f65', 'game:r3'));
    scene.adopt(named('lobby-67864c6f65', 'game:r3', 'lobby-b'));
    expect(await record()).toMatchObject({ updateRevision: 'lobby-67864c6f65' });
    expect(notes).toMatchObject([{ type: 'Warning', reason: 'RevisionDeleted' }]);
    const seen = await look('lobby-67864c6f65');
    expect(seen).toMatchObject({ updateRevision: 'lobby-67864c6f65', moves: [], blockers: [] });
  });

  it('so it is of a GameStatefulSet', async () => {
    const set = new SetScene();
    scene = set;
    const spec = { ...set.set.spec, replicas: 1, volumeClaimTemplates: undefined, template: templateOf('game:r3') };
    scene.cluster.put('gamestatefulsets', { ...set.set, spec });
    const pod = named('lobby-5d8', 'game:r3', 'lobby-0');
    pod.spec.hostname = 'lobby-0';
    const owner = { ...scene.owner, kind: 'GameStatefulSet', uid: SET_UID };
    scene.cluster.put('pods', { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
    expect(await record({ key: SET_KEY, uid: SET_UID })).toMatchObject({ updateRevision: 'lobby-5d8' });
  });

  it('gets a name of its own where one of the pods does not run it', async () => {
    ask('game:r3');
    scene.adopt(named('lobby-67864c6f65', 'game:r3'));
    scene.adopt(named('lobby-67864c6f65', 'game:r9', 'lobby-b'));
    expect(await record()).toMatchObject({ updateRevision: revisionName('lobby', templateOf('game:r3'), 0) });
  });

  it('gets a name of its own where the API does not say what it would make of it', async () => {
    ask('game:r3');
    scene.adopt(named('lobby-67864c6f65', 'game:r3'));
    scene.cluster.fail({ verb: 'create', plural: 'pods', error: apiError('forbidden'), times: 2 });
    const { updateRevision } = await record();
    expect(updateRevision).toBe(revisionName('lobby', templateOf('game:r3'), 0));
  });

  it('keeps the name that it has by now; the pods of the lost one become old pods of an equal one', async () => {
    ask('game:r2');
    scene.adopt(named('lobby-67864c6f65', 'game:r2'));
    expect(await record()).toMatchObject({ updateRevision: 'r2' });
    expect(revisions()).toEqual([
      ['r1', 1],
      ['r2', 2],
      ['lobby-67864c6f65', 0],
    ]);
    const { moves } = await look('r1');
    expect(moves.find(({ pod }) => pod === 'lobby-a')).toMatchObject({ act: 'patch-metadata', revision: 'r2' });
  });

  it('costs no request where all revisions are there', async () => {
    ask('game:r2');
    scene.adopt(aPod('r2').build());
    await record();
    expect(scene.cluster.requests.filter((request) => request.startsWith('create'))).toEqual([
      'create pods lobby-proof',
    ]);
  });
});

describe('a workload whose state was lost, too', () => {
  it('takes the revision of the status for the stable one although it is gone: the steps are not passed over', async () => {
    ask('game:r2', { currentRevision: 'gone', updateRevision: 'gone' });
    scene.adopt(named('gone', 'game:r9'));
    const { stableRevision, updateRevision } = await look();
    expect([stableRevision, updateRevision]).toEqual(['gone', 'r2']);
  });

  it('takes what pods carry, where the status says nothing', async () => {
    ask('game:r2');
    scene.adopt(named('gone', 'game:r9'));
    scene.adopt(aPod('r2', 'lobby-b').build());
    expect((await look()).stableRevision).toBe('gone');
  });
});

describe('left behind, with revisions that were deleted', () => {
  const leave = (pod: Pod) => scene.cluster.put('pods', pod);

  it('pods are adopted by the workload that made them, as pods of an old revision', async () => {
    ask('game:r2');
    leave(named('gone', 'game:r9'));
    const seen = await look();
    expect(seen.moves).toMatchObject([{ act: 'adopt', pod: 'lobby-a' }]);
    expect(seen).toMatchObject({ stableRevision: 'gone', firstCreation: false });
  });

  it('a template that they provably run is recorded under their name before they are adopted', async () => {
    ask('game:r3');
    leave(named('gone', 'game:r3'));
    expect(await record()).toMatchObject({ updateRevision: 'gone' });
    expect(await look()).toMatchObject({ stableRevision: 'gone', updateRevision: 'gone' });
  });

  it.each([
    ['has another name than its label says', INSTANCE_ID_LABEL, 'z'],
    ['is of a set', POD_ORDINAL_LABEL, '0'],
  ])('not so a pod that %s', async (_sentence, label, value) => {
    ask('game:r2');
    const pod = named('gone', 'game:r9');
    leave({ ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [label]: value } } });
    expect((await look()).moves.map(({ act }) => act)).not.toContain('adopt');
  });

  it('nor one whose revision is recorded, for somebody else', async () => {
    ask('game:r2');
    const [r1] = scene.cluster.all<ControllerRevision>('controllerrevisions');
    const metadata = { ...r1!.metadata, name: 'theirs', uid: 'uid-theirs', labels: {}, ownerReferences: [] };
    scene.cluster.put('controllerrevisions', { ...r1!, metadata });
    leave(named('theirs', 'game:r9'));
    expect((await look()).moves.map(({ act }) => act)).not.toContain('adopt');
  });
});
