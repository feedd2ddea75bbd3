import { describe, expect, it } from 'vitest';
import type { Move } from '../core/plan/types.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { apiError, type Fault } from '../test/support/fake-cluster.ts';
import { anAttempt, summaryOf } from '../test/support/pod-scene.ts';
import { SET_KEY, SET_UID, SetScene } from '../test/support/set-scene.ts';
import { runMoves } from './moves.ts';
import { observe } from './observe.ts';

const create: Extract<Move, { act: 'create' }> = {
  act: 'create',
  pod: 'lobby-0',
  revision: 'set-r2',
  reason: 'test',
  claims: ['data-lobby-0', 'logs-lobby-0'],
};

const run = (scene: SetScene, attempt = anAttempt()) => {
  const request = { ...scene.moveRequest([create]), key: SET_KEY, uid: SET_UID, context: scene.setContext() };
  return runMoves(scene.ports, request, attempt);
};

const aClaim = (name: string): KubernetesObject => ({ metadata: { name, namespace: 'default' } });

describe('createPods with claims', () => {
  it('makes the missing claims first, as their templates have them and owned by nobody, then the pod', async () => {
    const scene = new SetScene();
    const result = await run(scene);
    expect(summaryOf(result)).toEqual({ done: 1, moved: 0, unresolved: [] });
    expect(scene.cluster.requests).toEqual([
      'create persistentvolumeclaims data-lobby-0',
      'create persistentvolumeclaims logs-lobby-0',
      'create pods lobby-0',
      'patch pods lobby-0',
    ]);
    const [data, logs] = scene.cluster.all<KubernetesObject & { spec: object }>('persistentvolumeclaims');
    expect(data).toMatchObject({
      metadata: { name: 'data-lobby-0', namespace: 'default', labels: { app: 'lobby', tier: 'data' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    expect(data?.metadata.ownerReferences).toBeUndefined();
    expect(result.written.persistentvolumeclaims).toBe(logs?.metadata.resourceVersion);
    expect(scene.cluster.pod('lobby-0')?.spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-lobby-0' } },
      { name: 'logs', persistentVolumeClaim: { claimName: 'logs-lobby-0' } },
    ]);
  });

  it('a claim that is there already is taken as it is, whoever made it', async () => {
    const scene = new SetScene();
    const before = scene.cluster.put('persistentvolumeclaims', aClaim('data-lobby-0'));
    expect(summaryOf(await run(scene))).toEqual({ done: 1, moved: 0, unresolved: [] });
    const [data] = scene.cluster.all('persistentvolumeclaims');
    expect(data).toEqual(before);
    expect(scene.cluster.requests.filter((request) => /^(patch|delete) persist/.test(request))).toEqual([]);
  });

  it.each<[string, Fault, ReturnType<typeof summaryOf>, string[]]>([
    [
      'a quota refuses the claim: its pod is refused',
      { verb: 'create', name: 'logs-lobby-0', error: apiError('forbidden', 'exceeded quota') },
      { done: 0, moved: 0, unresolved: ['create lobby-0 refused'] },
      ['data-lobby-0'],
    ],
    [
      'the answer is lost and the claim was made: the pod follows',
      { verb: 'create', name: 'data-lobby-0', error: apiError('timeout'), commits: true },
      { done: 1, moved: 0, unresolved: [] },
      ['data-lobby-0', 'logs-lobby-0'],
    ],
    [
      'the request is lost: the pod was not sent, and waits for another plan',
      { verb: 'create', name: 'data-lobby-0', error: apiError('timeout') },
      { done: 0, moved: 1, unresolved: [] },
      [],
    ],
  ])('%s', async (_sentence, fault, want, claims) => {
    const scene = new SetScene();
    scene.cluster.fail({ ...fault, plural: 'persistentvolumeclaims' });
    const result = await run(scene);
    expect(summaryOf(result)).toEqual(want);
    expect(scene.cluster.all('persistentvolumeclaims').map(({ metadata }) => metadata.name)).toEqual(claims);
    expect(scene.cluster.pod('lobby-0') !== undefined).toBe(want.done === 1);
  });

  it('the refusal names the claim', async () => {
    const scene = new SetScene();
    const error = apiError('forbidden', 'exceeded quota');
    scene.cluster.fail({ verb: 'create', plural: 'persistentvolumeclaims', error });
    expect((await run(scene)).refusal).toBe('Creating pod lobby-0 was refused: claim data-lobby-0: exceeded quota');
  });

  it('a retried attempt finds what the one before made, and adds the rest', async () => {
    const scene = new SetScene();
    scene.cluster.put('persistentvolumeclaims', aClaim('data-lobby-0'));
    expect(summaryOf(await run(scene, anAttempt(2)))).toEqual({ done: 1, moved: 0, unresolved: [] });
    expect(scene.cluster.all('persistentvolumeclaims')).toHaveLength(2);
    expect(scene.cluster.requests).not.toContain('create persistentvolumeclaims data-lobby-0');
  });
});

describe('observe of a GameStatefulSet', () => {
  const look = (scene: SetScene, quorum: boolean) => {
    const request = scene.observeRequest({ quorum, context: scene.setContext() });
    return observe(scene.ports, { ...request, key: SET_KEY, uid: SET_UID }, anAttempt());
  };

  it.each([
    ['from the stores', false],
    ['from the apiserver', true],
  ])('asks for the claims that are not there yet: %s', async (_sentence, quorum) => {
    const scene = new SetScene();
    scene.cluster.put('persistentvolumeclaims', aClaim('logs-lobby-0'));
    scene.cluster.put('persistentvolumeclaims', { metadata: { name: 'data-lobby-0', namespace: 'elsewhere' } });
    const { moves, counts } = await look(scene, quorum);
    expect(moves).toMatchObject([{ act: 'create', pod: 'lobby-0', revision: 'set-r2', claims: ['data-lobby-0'] }]);
    expect(counts.replicas).toBe(0);
  });

  it('a claim that is on its way out holds its pod back', async () => {
    const scene = new SetScene();
    const going = aClaim('data-lobby-0');
    going.metadata.deletionTimestamp = '2026-11-30T12:00:00Z';
    scene.cluster.put('persistentvolumeclaims', going);
    const { moves, blockers } = await look(scene, false);
    expect(moves).toEqual([]);
    expect(blockers).toMatchObject([{ reason: 'ClaimTerminating', pod: 'lobby-0' }]);
  });
});
