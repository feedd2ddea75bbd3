import { describe, expect, it } from 'vitest';
import type { Move } from '../core/plan/types.ts';
import { issuedOf } from '../core/plan/unresolved.ts';
import { takeEfforts, takeOutcomes } from '../core/workload/bookkeeping.ts';
import { newWorkloadState } from '../core/workload/state.ts';
import type { OwnerReference, Pod } from '../crds/kubernetes.ts';
import { anAttempt, summaryOf } from '../test/support/pod-scene.ts';
import { aPod, iso, NOW } from '../test/support/pods.ts';
import { SET_KEY, SET_UID, SetScene } from '../test/support/set-scene.ts';
import { aSetPod } from '../test/support/sets.ts';
import { runMoves } from './moves.ts';
import { planOf, readFacts } from './observation.ts';
import type { PlanContext } from './types.ts';

const create = { act: 'create', pod: 'lobby-0', revision: 'set-r2', reason: 'test' } as const satisfies Move;
const OWN = { kind: 'GameStatefulSet', name: 'lobby', uid: SET_UID };
const REFUSED = { done: 0, moved: 0, unresolved: ['create lobby-0 refused'] };
const GIVEN_UP = { done: 0, moved: 1, unresolved: [] };

const ownedBy = (pod: Pod, owner: { kind: string; name: string; uid: string }): Pod => {
  const ownerReferences: OwnerReference[] = [{ apiVersion: 'v1', ...owner, controller: true }];
  return { ...pod, metadata: { ...pod.metadata, ownerReferences } };
};

const withoutLabels = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, labels: undefined } });

const run = (scene: SetScene, context: PlanContext = scene.setContext()) =>
  runMoves(scene.ports, scene.moveRequest([create], { key: SET_KEY, uid: SET_UID, context }), anAttempt());

const lobby0 = aSetPod(0, 'set-r1').build();
const going = { ...lobby0, metadata: { ...lobby0.metadata, deletionTimestamp: iso(NOW) } };

describe('an ordinal whose name another pod has', () => {
  it.each<[string, Pod, string]>([
    ['nobody controls it', withoutLabels(lobby0), 'exists and is controlled by nobody'],
    [
      'somebody else controls it',
      ownedBy(lobby0, { kind: 'ReplicaSet', name: 'lobby-7', uid: 'other' }),
      'exists and is controlled by ReplicaSet lobby-7',
    ],
    [
      'the set before this one controls it',
      ownedBy(going, { ...OWN, uid: 'before' }),
      'exists, is being deleted and is controlled by GameStatefulSet lobby',
    ],
    [
      'it is ours and its label was removed',
      withoutLabels(ownedBy(lobby0, OWN)),
      'exists and is controlled by GameStatefulSet lobby, but lacks the label controller-revision-hash',
    ],
  ])('%s: it is refused, and said', async (_sentence, pod, why) => {
    const scene = new SetScene();
    scene.cluster.isHeldBack = true;
    scene.cluster.put('pods', pod);
    const result = await run(scene);
    expect(summaryOf(result)).toEqual(REFUSED);
    expect(result.refusal).toBe(`Creating pod lobby-0 was refused: Pod lobby-0 ${why}`);
  });

  it('it is ours, and the store has not heard of it: the next plan sees it', async () => {
    const scene = new SetScene();
    scene.cluster.isHeldBack = true;
    scene.cluster.put('pods', ownedBy(lobby0, OWN));
    const result = await run(scene);
    expect([summaryOf(result), result.quorum]).toEqual([GIVEN_UP, true]);
  });

  it('the conditions say so while the back-off runs; after it the name is tried again until it is free', async () => {
    const scene = new SetScene();
    scene.cluster.put('pods', withoutLabels(lobby0));
    scene.cluster.stores.pods.replace([], '200');
    const result = await run(scene);
    const state = newWorkloadState();
    takeOutcomes(state, [create], [result]);
    takeEfforts(state, [result], 0, scene.nowMs);
    const context = { ...scene.setContext(), unresolved: state.unresolved, issued: [issuedOf(create)] };
    const plan = async () => {
      const request = { key: SET_KEY, uid: SET_UID, context, fence: { written: {}, gone: [] }, quorum: true };
      const sighting = await readFacts(scene.ports, request, anAttempt().signal);
      if (sighting.state !== 'live') throw new Error('there is no such set');
      return planOf(sighting.facts);
    };
    const waiting = await plan();
    expect(waiting.moves).toEqual([]);
    expect(waiting.blockers).toContainEqual(expect.objectContaining({ reason: 'PodCreateFailed', pod: 'lobby-0' }));
    expect(waiting.lookAgainAtMs).toBe(state.backOff.untilMs);
    scene.nowMs = state.backOff.untilMs;
    expect((await plan()).moves).toMatchObject([{ act: 'create', pod: 'lobby-0' }]);
    scene.cluster.remove('pods', 'lobby-0');
    expect(summaryOf(await run(scene, context))).toEqual({ done: 1, moved: 0, unresolved: [] });
  });
});

it('a GameDeployment gives such a name up and takes another one', async () => {
  const scene = new SetScene();
  scene.cluster.put('pods', withoutLabels(aPod('r2', 'lobby-abc').build()));
  const item: Move = { act: 'create', pod: 'lobby-abc', revision: 'r2', reason: 'test' };
  expect(summaryOf(await runMoves(scene.ports, scene.moveRequest([item]), anAttempt()))).toEqual(GIVEN_UP);
});
