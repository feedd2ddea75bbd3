/** A GameStatefulSet and a GameDeployment under one name, with the same labels: what belongs to whom. */
import { describe, expect, it } from 'vitest';
import type { ControllerRevision } from '../crds/kubernetes.ts';
import { anAttempt, KEY } from '../test/support/pod-scene.ts';
import { aPod, templateOf } from '../test/support/pods.ts';
import { SET_KEY, SET_UID, SetScene } from '../test/support/set-scene.ts';
import { observe } from './observe.ts';
import { recordRevision } from './revisions.ts';

const revisionsOf = (scene: SetScene) => scene.cluster.all<ControllerRevision>('controllerrevisions');

function record(scene: SetScene, kind: 'GameDeployment' | 'GameStatefulSet') {
  const ports = { ...scene.ports, recorder: { record: () => undefined } };
  const [key, uid] = kind === 'GameDeployment' ? [KEY, scene.owner.uid] : [SET_KEY, SET_UID];
  return recordRevision(ports, { key, uid, fence: { written: {}, gone: [] } }, anAttempt());
}

/** The template of both is one that nobody has recorded. */
function askForThird(scene: SetScene): void {
  const template = templateOf('game:r3');
  scene.cluster.put('gamestatefulsets', { ...scene.set, spec: { ...scene.set.spec, template } });
  scene.cluster.put('gamedeployments', { ...scene.workload, spec: { ...scene.workload.spec, template } });
}

describe('revisions', () => {
  it('that are equal have two names, and each belongs to its own; that of the set is proven by its highest ordinal', async () => {
    const scene = new SetScene();
    askForThird(scene);
    const names = [await record(scene, 'GameDeployment'), await record(scene, 'GameStatefulSet')];
    expect(names.map(({ collisionCount = 0 }) => collisionCount)).toEqual([0, 1]);
    const kinds = names.map(({ updateRevision }) => {
      const { metadata } = revisionsOf(scene).find((revision) => revision.metadata.name === updateRevision)!;
      return metadata.ownerReferences?.[0]?.kind;
    });
    expect(kinds).toEqual(['GameDeployment', 'GameStatefulSet']);
    expect(scene.cluster.requests).toContain('create pods lobby-1');
  });

  it.each([
    ['was made for the other kind', { 'holdfast.dev/kind': 'GameDeployment' }, false],
    ['was made for this kind', { 'holdfast.dev/kind': 'GameStatefulSet' }, true],
    ['does not say: an existing operator made it', {}, true],
  ])('one that was left behind and %s: adopted %#', async (_sentence, annotations, want) => {
    const scene = new SetScene();
    const [left] = revisionsOf(scene);
    const metadata = { ...left!.metadata, name: 'left-behind', uid: 'uid-left', annotations, ownerReferences: [] };
    scene.cluster.put('controllerrevisions', { ...left!, metadata });
    await record(scene, 'GameStatefulSet');
    const after = revisionsOf(scene).find((revision) => revision.metadata.name === 'left-behind');
    expect(after?.metadata.ownerReferences?.some(({ uid }) => uid === SET_UID)).toBe(want);
  });
});

it('pods are told by their controller', async () => {
  const scene = new SetScene();
  scene.adopt(aPod('r2', 'lobby-0').build());
  const request = { ...scene.observeRequest(), key: SET_KEY, uid: SET_UID, context: scene.setContext() };
  const { counts } = await observe(scene.ports, request, anAttempt());
  expect(counts.replicas).toBe(0);
});
