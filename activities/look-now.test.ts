import { describe, expect, it } from 'vitest';
import { anAttempt, PodScene } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { lookNow, observe, triggersOf } from './observe.ts';
import type { ObserveRequest } from './types.ts';

const requestOf = (scene: PodScene, changes: Partial<ObserveRequest> = {}) =>
  scene.observeRequest({ handled: { generation: 1, triggers: triggersOf(scene.workload) }, ...changes });
const now = (scene: PodScene, changes: Partial<ObserveRequest> = {}) =>
  lookNow(scene.ports, requestOf(scene, changes), anAttempt().signal);

/** One pod of two starts; the other one is available. */
function starting(): PodScene {
  const scene = new PodScene({ replicas: 2 });
  scene.adopt(aPod('r2', 'lobby-a').build());
  scene.adopt(aPod('r2', 'lobby-b').notReady(1_000).build());
  return scene;
}

describe('a look beside the workflow', () => {
  it('answers what observe answers where that does not wait', async () => {
    const scene = new PodScene({ replicas: 2 });
    const { moves, ...seen } = (await now(scene))!;
    const parked = await observe(scene.ports, requestOf(scene), anAttempt());
    expect(seen).toEqual({ ...parked, moves: undefined, asOfMs: seen.asOfMs });
    expect(moves.map(({ act }) => act)).toEqual(['create', 'create']);
  });

  it('answers nothing where observe would wait for pods', async () => {
    expect(await now(starting())).toBeUndefined();
  });

  it('answers at once what the workflow has not dealt with', async () => {
    const seen = await now(starting(), { handled: { generation: 0, triggers: '' } });
    expect(seen).toMatchObject({ generation: 1, inTransition: true, isQuiet: false });
  });

  it('says that an object is gone', async () => {
    const scene = new PodScene();
    scene.cluster.remove('gamedeployments', 'lobby');
    expect(await now(scene)).toMatchObject({ gone: true, moves: [] });
  });
});

describe('that all pods were there at one time', () => {
  const seenWith = async (pods: number, createdInFull?: true) => {
    const scene = new PodScene({ replicas: 2 });
    for (let at = 0; at < pods; at += 1) scene.adopt(aPod('r2', `lobby-${at}`).build());
    return await now(scene, { context: scene.context(createdInFull === undefined ? {} : { createdInFull }) });
  };

  it('is seen when they are', async () => {
    expect((await seenWith(2))?.createdInFull).toBe(true);
    expect((await seenWith(1))?.createdInFull).toBeUndefined();
  });

  it('is known of a workflow that saw it', async () => {
    expect((await seenWith(1, true))?.createdInFull).toBe(true);
  });
});
