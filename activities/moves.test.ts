import { describe, expect, it, vi } from 'vitest';
import type { Move } from '../core/plan/types.ts';
import { gateOf, revisionOf } from '../core/pods.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { eventually } from '../test/support/eventually.ts';
import { apiError, type Fault } from '../test/support/fake-cluster.ts';
import { anAttempt, itemOf, PodScene, summaryOf } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { runMoves } from './moves.ts';

const run = (scene: PodScene, items: Move[], attempt = anAttempt()) =>
  runMoves(scene.ports, scene.moveRequest(items), attempt);

const create: Move = { act: 'create', pod: 'lobby-new', revision: 'r2', reason: 'test' };

describe('createPods', () => {
  it('posts the pod and opens its gate, in two writes', async () => {
    const scene = new PodScene();
    const result = await run(scene, [create]);
    expect(summaryOf(result)).toEqual({ done: 1, moved: 0, unresolved: [] });
    const pod = scene.cluster.pod('lobby-new')!;
    expect([revisionOf(pod), gateOf(pod)]).toEqual(['r2', 'open']);
    expect(result.written.pods).toBe(pod.metadata.resourceVersion);
    expect(scene.cluster.requests).toEqual(['create pods lobby-new', 'patch pods lobby-new']);
  });

  it('a pod that changed before its gate was opened is read again', async () => {
    const scene = new PodScene();
    const before = () => scene.cluster.touch('lobby-new', (pod) => Object.assign(pod.spec, { nodeName: 'node-1' }));
    scene.cluster.fail({ verb: 'patch', error: apiError('conflict'), before });
    await run(scene, [create]);
    const pod = scene.cluster.pod('lobby-new')!;
    expect([pod.spec.nodeName, gateOf(pod)]).toEqual(['node-1', 'open']);
  });

  it('no pod waits for the gates of those before it', async () => {
    const scene = new PodScene();
    scene.cluster.hasKubelet = false;
    const attempt = anAttempt();
    const items = Array.from({ length: 45 }, (_, at): Move => ({ ...create, pod: `lobby-${at}` }));
    const running = run(scene, items, attempt);
    await eventually('all are created', () => scene.cluster.all('pods').length === 45);
    attempt.cancel();
    expect(summaryOf(await running)).toEqual({ done: 45, moved: 0, unresolved: [] });
    expect(scene.cluster.requests.filter((request) => request.startsWith('patch'))).toEqual([]);
  });

  it('a pod that the attempt before has made gets its gate opened', async () => {
    const scene = new PodScene();
    const without = (pod: Pod) => Object.assign(pod.status!, { conditions: [] });
    scene.adopt(aPod('r2', 'lobby-new').with(without).build());
    expect(summaryOf(await run(scene, [create]))).toEqual({ done: 1, moved: 0, unresolved: [] });
    expect(gateOf(scene.cluster.pod('lobby-new')!)).toBe('open');
  });

  it('a gate that cannot be opened is no failure of the create', async () => {
    const scene = new PodScene();
    scene.cluster.fail({ verb: 'patch', error: apiError('forbidden') });
    expect(summaryOf(await run(scene, [create]))).toEqual({ done: 1, moved: 0, unresolved: [] });
  });

  it.each<[string, Fault, ReturnType<typeof summaryOf>]>([
    [
      'a quota refuses: the item stays open, with the sentence',
      { verb: 'create', error: apiError('forbidden', 'exceeded quota') },
      { done: 0, moved: 0, unresolved: ['create lobby-new refused'] },
    ],
    [
      'the answer is lost and the pod was made: done',
      { verb: 'create', error: apiError('network'), commits: true },
      { done: 1, moved: 0, unresolved: [] },
    ],
    [
      'the request is lost: unknown',
      { verb: 'create', error: apiError('network') },
      { done: 0, moved: 0, unresolved: ['create lobby-new unknown'] },
    ],
    [
      'it was never sent: nothing is open',
      { verb: 'create', error: apiError('network', 'refused', false) },
      { done: 0, moved: 1, unresolved: [] },
    ],
  ])('%s', async (_sentence, fault, want) => {
    const scene = new PodScene();
    scene.cluster.fail(fault);
    expect(summaryOf(await run(scene, [create]))).toEqual(want);
  });

  it('says in one sentence what was refused', async () => {
    const scene = new PodScene();
    scene.cluster.fail({ verb: 'create', error: apiError('forbidden', 'exceeded quota: pods') });
    expect((await run(scene, [create])).refusal).toBe('Creating pod lobby-new was refused: exceeded quota: pods');
  });

  it.each([
    ['AlreadyExists of our own pod is done', true, 'r2', { done: 1, moved: 0, unresolved: [] }, false],
    ['AlreadyExists of another revision gives the name up', true, 'r1', { done: 0, moved: 1, unresolved: [] }, true],
    [
      "AlreadyExists of somebody else's pod gives the name up",
      false,
      'r2',
      { done: 0, moved: 1, unresolved: [] },
      true,
    ],
  ])('%s', async (_sentence, isOwned, revision, want, quorum) => {
    const scene = new PodScene();
    scene.cluster.isHeldBack = true;
    const pod = aPod(revision, 'lobby-new').build();
    if (isOwned) scene.adopt(pod);
    else scene.cluster.put('pods', pod);
    const result = await run(scene, [create]);
    expect(summaryOf(result)).toEqual(want);
    expect(result.quorum).toBe(quorum);
  });
});

describe('deletePods', () => {
  const deletion = (
    scene: PodScene,
    changes: Partial<Extract<Move, { act: 'delete' }>> = {},
    name = 'lobby-a',
  ): Move => ({
    act: 'delete',
    ...itemOf(scene.adopt(aPod('r1', name).build())),
    spends: true,
    ...changes,
  });

  it('deletes exactly the version that was planned on', async () => {
    const scene = new PodScene();
    const result = await run(scene, [deletion(scene)]);
    expect(summaryOf(result)).toEqual({ done: 1, moved: 0, unresolved: [] });
    expect(result.gone).toEqual(['uid-lobby-a']);
    expect(result.written.pods).toBe(scene.cluster.pod('lobby-a')!.metadata.resourceVersion);
  });

  it('leaves a pod alone that somebody changed', async () => {
    const scene = new PodScene();
    const item = deletion(scene);
    scene.cluster.touch('lobby-a');
    expect(summaryOf(await run(scene, [item]))).toEqual({ done: 0, moved: 1, unresolved: [] });
    expect(scene.cluster.pod('lobby-a')!.metadata.deletionTimestamp).toBeUndefined();
  });

  it('leaves the successor of a pod alone', async () => {
    const scene = new PodScene();
    const item = deletion(scene, { uid: 'uid-before' });
    const result = await run(scene, [item]);
    expect(summaryOf(result)).toEqual({ done: 1, moved: 0, unresolved: [] });
    expect(result.gone).toEqual(['uid-before']);
    expect(scene.cluster.pod('lobby-a')!.metadata.deletionTimestamp).toBeUndefined();
  });

  it.each<[string, Fault, ReturnType<typeof summaryOf>]>([
    [
      'a lost answer is looked up',
      { verb: 'delete', error: apiError('timeout'), commits: true },
      { done: 1, moved: 0, unresolved: [] },
    ],
    [
      'a lost request may land later',
      { verb: 'delete', error: apiError('timeout') },
      { done: 0, moved: 0, unresolved: ['delete lobby-a unknown'] },
    ],
    [
      'a refusal stays open',
      { verb: 'delete', error: apiError('forbidden') },
      { done: 0, moved: 0, unresolved: ['delete lobby-a refused'] },
    ],
  ])('%s', async (_sentence, fault, want) => {
    const scene = new PodScene();
    const item = deletion(scene);
    scene.cluster.fail(fault);
    expect(summaryOf(await run(scene, [item]))).toEqual(want);
  });

  it.each([
    ['nothing that spends is sent while the pod watch is not fresh', true, 1],
    ['what spends nothing is sent all the same', false, 0],
  ])('%s', async (_sentence, spends, moved) => {
    const scene = new PodScene();
    const item = deletion(scene, { spends });
    scene.losePodWatch();
    expect((await run(scene, [item])).moved).toBe(moved);
  });

  it('what spends nothing goes before what waits for the pod watch', async () => {
    const scene = new PodScene();
    const spending = Array.from({ length: 30 }, (_, at) => deletion(scene, { spends: true }, `lobby-${at}`));
    const item = deletion(scene, { spends: false }, 'lobby-free');
    const { health } = scene.cluster.stores.pods;
    health.disconnected();
    const running = run(scene, [...spending, item]);
    await eventually('it has gone', () => scene.cluster.requests.length > 0);
    expect(scene.cluster.requests).toEqual(['delete pods lobby-free']);
    health.connected();
    expect((await running).done).toBe(31);
  });

  it('a wave waits for the pod watch, and is sent when that is fresh again', async () => {
    const scene = new PodScene();
    const { health } = scene.cluster.stores.pods;
    health.disconnected();
    const isFresh = vi.spyOn(scene.cluster.stores.pods, 'isFresh');
    const running = run(scene, [deletion(scene, { spends: true })]);
    await eventually('it waits', () => isFresh.mock.calls.length > 1);
    health.connected();
    expect(summaryOf(await running)).toEqual({ done: 1, moved: 0, unresolved: [] });
  });

  it('a cancelled attempt sends nothing and says so', async () => {
    const scene = new PodScene();
    const item = deletion(scene);
    const attempt = anAttempt();
    attempt.cancel();
    expect(summaryOf(await run(scene, [item], attempt))).toEqual({ done: 0, moved: 1, unresolved: [] });
    expect(scene.cluster.requests).toEqual([]);
  });
});
