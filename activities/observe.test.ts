import { describe, expect, it } from 'vitest';
import type { GameDeploymentStatus } from '../crds/game-deployment.ts';
import { eventually } from '../test/support/eventually.ts';
import { apiError } from '../test/support/fake-cluster.ts';
import { anAttempt, type FakeAttempt, PodScene } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { observe, triggersOf } from './observe.ts';
import type { Observation, ObserveRequest } from './types.ts';

const look = (scene: PodScene, changes: Partial<ObserveRequest> = {}, attempt: FakeAttempt = anAttempt()) =>
  observe(scene.ports, scene.observeRequest({ handled: handled(scene), ...changes }), attempt);

const handled = ({ workload }: PodScene) => ({ generation: 1, triggers: triggersOf(workload) });

const acts = ({ moves }: Observation) => moves.map(({ act, pod }) => `${act} ${pod}`);

describe('observe', () => {
  it('a settled workload returns at once, without a request', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.adopt(aPod('r2', 'lobby-a').build());
    const seen = await look(scene);
    expect(seen).toMatchObject({ gone: false, updateRevision: 'r2', stableRevision: 'r1', moves: [], reached: true });
    expect(scene.cluster.requests).toEqual([]);
  });

  it('plans what is missing', async () => {
    const scene = new PodScene({ replicas: 2 });
    const seen = await look(scene);
    expect(seen.moves.map(({ act }) => act)).toEqual(['create', 'create']);
    expect(seen.firstCreation).toBe(true);
  });

  it('another uid is answered at once, with no moves', async () => {
    const scene = new PodScene({ replicas: 2 });
    const seen = await look(scene, { uid: 'uid-before' });
    expect(seen).toMatchObject({ gone: false, uid: 'uid-lobby', moves: [] });
  });

  it('gone only after a quorum GET', async () => {
    const scene = new PodScene();
    scene.cluster.isHeldBack = true;
    scene.cluster.remove('gamedeployments', 'lobby');
    expect((await look(scene)).gone).toBe(false);
    scene.cluster.catchUp();
    expect((await look(scene)).gone).toBe(true);
    expect(scene.cluster.requests).toEqual(['get gamedeployments lobby']);
  });

  it('a workload that is being deleted gets no moves', async () => {
    const scene = new PodScene({ replicas: 3 });
    scene.cluster.put('gamedeployments', {
      ...scene.workload,
      metadata: { ...scene.workload.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    expect(await look(scene)).toMatchObject({ gone: false, deleting: true, moves: [] });
  });
});

describe('observe says what it has seen', () => {
  it('a fence that no store will ever reach, since etcd was put back, is taken down', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.adopt(aPod('r2', 'lobby-a').build());
    const [alive] = scene.cluster.all('pods');
    const fence = { written: { gamedeployments: '1000000' }, gone: [alive?.metadata.uid ?? ''] };
    const { fence: seen } = await look(scene, { fence, quorum: true });
    expect(seen).toMatchObject({ isReset: true, gone: [] });
    expect((await look(scene, { fence: { ...seen } })).moves).toEqual([]);
    expect(scene.cluster.requests.filter((request) => request.startsWith('list pods'))).toHaveLength(1);
  });

  it('a quorum list that settles an open write binds all later looks to it', async () => {
    const scene = new PodScene({ replicas: 2 });
    const [pod] = [scene.adopt(aPod('r1', 'lobby-a').build()), scene.adopt(aPod('r1', 'lobby-b').build())];
    scene.cluster.isHeldBack = true;
    const landed = scene.cluster.touch('lobby-a');
    const { uid, resourceVersion } = pod.metadata;
    const unresolved = [{ act: 'close-gate', pod: 'lobby-a', uid, resourceVersion, outcome: 'unknown' } as const];
    const seen = await look(scene, { quorum: true, context: scene.context({ unresolved }) });
    expect(seen.unresolved).toEqual([]);
    expect(seen.fence.written.pods).toBe(landed.metadata.resourceVersion);
  });

  it('and so does one on stores', async () => {
    const scene = new PodScene({ replicas: 1 });
    const pod = scene.adopt(aPod('r2', 'lobby-a').build());
    const seen = await look(scene, { fence: { written: {}, gone: ['uid-gone'] } });
    expect(seen.fence).toMatchObject({ written: { pods: pod.metadata.resourceVersion }, gone: [] });
  });

  it('a pod with an open write that the list does not show must be gone everywhere', async () => {
    const scene = new PodScene({ replicas: 1 });
    const unresolved = [
      { act: 'delete', pod: 'lobby-x', uid: 'uid-x', resourceVersion: '5', outcome: 'unknown' } as const,
    ];
    const seen = await look(scene, { quorum: true, context: scene.context({ unresolved }) });
    expect(seen.fence.gone).toEqual(['uid-x']);
  });
});

describe('observe reads its own writes', () => {
  it('a store that has not seen our write is waited for', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.cluster.isHeldBack = true;
    const pod = scene.adopt(aPod('r2', 'lobby-a').build());
    const written = { pods: pod.metadata.resourceVersion! };
    const seeing = look(scene, { fence: { written, gone: [] } });
    scene.cluster.catchUp();
    expect(acts(await seeing)).toEqual([]);
    expect(scene.cluster.requests).toEqual([]);
  });

  it('a pod that must be gone and is still there is waited for', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.adopt(aPod('r2', 'lobby-a').build());
    const seeing = look(scene, { fence: { written: {}, gone: ['uid-lobby-a'] } });
    scene.cluster.touch('lobby-a', ({ metadata }) => Object.assign(metadata, { deletionTimestamp: 'now' }));
    expect((await seeing).moves.map(({ act }) => act)).toEqual(['create']);
  });

  it('a quorum LIST is the observation where it is asked for', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.cluster.isHeldBack = true;
    scene.adopt(aPod('r2', 'lobby-a').build());
    expect(acts(await look(scene, { quorum: true }))).toEqual([]);
    expect(scene.cluster.requests).toContain('list pods');
  });

  it('stores that hold an older generation than was seen are not believed', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.adopt(aPod('r2', 'lobby-a').build());
    scene.cluster.isHeldBack = true;
    scene.cluster.put('gamedeployments', {
      ...scene.workload,
      metadata: { ...scene.workload.metadata, generation: 2 },
    });
    const seen = await look(scene, { handled: { generation: 2, triggers: triggersOf(scene.workload) } });
    expect(seen.generation).toBe(2);
    expect(scene.cluster.requests).toContain('get gamedeployments lobby');
  });

  it('an apiserver that does not answer is an error, not an empty observation', async () => {
    const scene = new PodScene();
    scene.cluster.fail({ verb: 'list', plural: 'pods', error: apiError('timeout') });
    await expect(look(scene, { quorum: true })).rejects.toThrow('timeout');
  });
});

describe('observe parks', () => {
  it('parks while pods start, and returns when one more may move', async () => {
    const scene = new PodScene({ replicas: 2, updateStrategy: { maxUnavailable: 1 } });
    scene.runClock();
    scene.adopt(aPod('r1', 'lobby-a').build());
    scene.adopt(aPod('r2', 'lobby-b').notReady(1_000).build());
    let seen: Observation | undefined;
    const seeing = look(scene).then((observation) => {
      seen = observation;
    });
    await eventually('it has planned', () => scene.plans > 0);
    expect(seen).toBeUndefined();
    scene.cluster.touch('lobby-b', (pod) => Object.assign(pod, { status: aPod('r2').build().status }));
    await eventually('the observation returns', () => seen, { timeoutMs: 10_000 });
    await seeing;
    expect(acts(seen!)).toEqual(['delete lobby-a']);
  });

  it('a new generation ends it at once', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.adopt(aPod('r2', 'lobby-a').notReady(1_000).build());
    const seen = await look(scene, { handled: { generation: 0, triggers: '' } });
    expect(seen.inTransition).toBe(true);
  });

  it('an annotation that a person acts by ends it', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.adopt(aPod('r2', 'lobby-a').notReady(1_000).build());
    const seeing = look(scene);
    scene.cluster.put('gamedeployments', {
      ...scene.workload,
      metadata: { ...scene.workload.metadata, annotations: { 'holdfast.dev/resume': 'r2/1' } },
    });
    expect((await seeing).spec.resumeToken).toBe('r2/1');
  });

  it('a cancellation ends it at once', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.adopt(aPod('r2', 'lobby-a').notReady(1_000).build());
    const attempt = anAttempt();
    const seeing = look(scene, {}, attempt);
    attempt.cancel();
    await expect(seeing).rejects.toThrow(/abort/);
  });
});

describe('observe on odd objects', () => {
  it('a template without a recorded revision says so, and moves nothing', async () => {
    const scene = new PodScene({ replicas: 3, template: { spec: { containers: [{ name: 'game', image: 'new' }] } } });
    expect(await look(scene)).toMatchObject({ updateRevision: null, moves: [] });
  });

  it('names that were given and seen are settled', async () => {
    const scene = new PodScene({ replicas: 1 });
    scene.adopt(aPod('r2', 'lobby-a').build());
    const issued = [{ pod: 'lobby-a', revision: 'r2' }];
    expect((await look(scene, { context: scene.context({ issued }) })).issued).toEqual([]);
  });
});

describe('a workload whose state was lost (decision 18)', () => {
  it.each([
    ['stable is canary.revision', { canary: { revision: 'r1' }, currentRevision: 'r2' }, 'r1'],
    ['else currentRevision', { currentRevision: 'r2' }, 'r2'],
    ['else the oldest live revision', {}, 'r1'],
    ['a revision that is not recorded is no answer', { canary: { revision: 'r0' } }, 'r1'],
  ])('%s', async (_sentence, status, want) => {
    const scene = new PodScene({ replicas: 2 });
    scene.cluster.put('gamedeployments', { ...scene.workload, status });
    scene.adopt(aPod('r1', 'lobby-a').build());
    scene.adopt(aPod('r2', 'lobby-b').build());
    const context = scene.context({ stableRevision: undefined });
    expect((await look(scene, { context })).stableRevision).toBe(want);
  });

  async function recover(status: GameDeploymentStatus): Promise<Observation['recovered']> {
    const scene = new PodScene({ replicas: 2 });
    const known = { canary: { revision: 'r1' }, updateRevision: 'r2', currentStepIndex: 3, ...status };
    scene.cluster.put('gamedeployments', { ...scene.workload, status: known });
    const labels = { 'holdfast.dev/attempt': '2' };
    const metadata = { name: 'run', namespace: 'default', labels, ownerReferences: [scene.owner] };
    scene.cluster.put('hookruns', { metadata, spec: { metrics: [] } } as never);
    scene.adopt(aPod('r1', 'lobby-a').build());
    scene.adopt(aPod('r2', 'lobby-b').build());
    const context = scene.context({ stableRevision: undefined, allowance: null });
    return (await look(scene, { context })).recovered;
  }

  it('step and pause are found on the object', async () => {
    const paused = { stepIndex: 3, paused: true, aborted: false, partial: true, pausedBy: 'PausedByCanaryPauseStep' };
    expect(await recover({ pauseConditions: [{ reason: 'PausedByCanaryPauseStep' }] })).toEqual(paused);
    // As the existing operators may leave it.
    const both = [{ reason: 'PausedByUser' as const }, { reason: 'PausedByCanaryPauseStep' as const }];
    expect(await recover({ pauseConditions: both })).toEqual(paused);
  });

  it('a hook that failed is found with its run and its attempt', async () => {
    const pauseConditions = [{ reason: 'PausedByStepBasedHook' as const }];
    const canary = { revision: 'r1', currentStepHookRun: 'run' };
    const failed = { paused: true, pausedBy: 'PausedByStepBasedHook', hookRun: 'run', hookAttempt: 2 };
    expect(await recover({ pauseConditions, canary })).toMatchObject(failed);
  });
});
