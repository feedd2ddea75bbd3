import { describe, expect, it } from 'vitest';
import type { Move, Unresolved } from '../core/plan/types.ts';
import { unresolvedItem } from '../core/plan/unresolved.ts';
import { revisionOf } from '../core/pods.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { apiError } from '../test/support/fake-cluster.ts';
import { anAttempt, itemOf, PodScene, summaryOf } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { runMoves } from './moves.ts';

const run = (scene: PodScene, items: Move[], attempt = anAttempt()) =>
  runMoves(scene.ports, scene.moveRequest(items), attempt);

const create: Move = { act: 'create', pod: 'lobby-new', revision: 'r2', reason: 'test' };

describe('an attempt with an old plan', () => {
  it('does what a new plan still wants', async () => {
    const scene = new PodScene({ replicas: 1, updateStrategy: { maxUnavailable: 1, type: 'InplaceUpdate' } });
    const pod = scene.adopt(aPod('r1', 'lobby-a').build());
    const item: Move = { act: 'close-gate', ...itemOf(pod), revision: 'r2', thenPatch: true, spends: true };
    const other: Move = { act: 'unmark', ...itemOf(pod), hookRun: 'x' };
    const request = scene.moveRequest([item, other], { asOfMs: scene.nowMs - 5_001 });
    expect(summaryOf(await runMoves(scene.ports, request, anAttempt()))).toEqual({ done: 1, moved: 1, unresolved: [] });
    expect(revisionOf(scene.cluster.pod('lobby-a')!)).toBe('r2');
  });

  it('leaves a pod that has changed since to the next wave: whoever counts the item as open knows no other version', async () => {
    const scene = new PodScene({ replicas: 1, updateStrategy: { maxUnavailable: 1, type: 'InplaceUpdate' } });
    const pod = scene.adopt(aPod('r1', 'lobby-a').build());
    const item: Move = { act: 'close-gate', ...itemOf(pod), revision: 'r2', thenPatch: true, spends: true };
    scene.cluster.touch('lobby-a');
    const request = scene.moveRequest([item], { asOfMs: scene.nowMs - 5_001 });
    expect(summaryOf(await runMoves(scene.ports, request, anAttempt()))).toEqual({ done: 0, moved: 1, unresolved: [] });
    expect(scene.cluster.requests).toEqual([]);
  });

  it('spends nothing where the budget has gone', async () => {
    const scene = new PodScene({ replicas: 2, updateStrategy: { maxUnavailable: 1, type: 'InplaceUpdate' } });
    const pod = scene.adopt(aPod('r1', 'lobby-a').build());
    scene.adopt(aPod('r1', 'lobby-b').notReady(1_000).build());
    const item: Move = { act: 'close-gate', ...itemOf(pod), revision: 'r2', thenPatch: true, spends: true };
    const request = scene.moveRequest([item], { asOfMs: scene.nowMs - 5_001 });
    expect(summaryOf(await runMoves(scene.ports, request, anAttempt()))).toEqual({ done: 0, moved: 1, unresolved: [] });
    expect(scene.cluster.requests).toEqual([]);
  });

  it('creates the same names again', async () => {
    const scene = new PodScene({ replicas: 1 });
    const request = scene.moveRequest([create], { asOfMs: scene.nowMs - 60_000 });
    expect(summaryOf(await runMoves(scene.ports, request, anAttempt()))).toEqual({ done: 1, moved: 0, unresolved: [] });
    expect(scene.cluster.pod('lobby-new')).toBeDefined();
  });
});

describe('a batch that outlives its plan', () => {
  /** Every create takes two seconds; `then` happens after the first. */
  const slow = (scene: PodScene, then: () => void = () => undefined) => {
    const create = scene.ports.client.create.bind(scene.ports.client);
    scene.ports.client.create = async (type, object, options) => {
      scene.nowMs += 2_000;
      const created = await create(type, object, options);
      then();
      return created;
    };
  };
  const creates = Array.from({ length: 40 }, (_, at): Move => ({ ...create, pod: `lobby-${at}` }));

  it('plans the rest again and goes on', async () => {
    const scene = new PodScene({ replicas: 40 });
    slow(scene);
    expect(summaryOf(await run(scene, creates))).toEqual({ done: 40, moved: 0, unresolved: [] });
  });

  it('leaves out what the newer plan does not want', async () => {
    const scene = new PodScene({ replicas: 40 });
    const spec = { ...scene.workload.spec, replicas: 25 };
    const metadata = { ...scene.workload.metadata, generation: 2, resourceVersion: '5000' };
    slow(scene, () => scene.cluster.stores.gameDeployments.apply('MODIFIED', { ...scene.workload, metadata, spec }));
    const result = await run(scene, creates);
    expect(result.done).toBe(25);
    expect(result.done + result.moved).toBe(40);
  });
});

describe('a batch that is ended while it plans again', () => {
  it('answers what it did and was refused; what it had not begun is not in doubt', async () => {
    const scene = new PodScene({ replicas: 60 });
    const attempt = anAttempt();
    scene.cluster.fail({ verb: 'create', error: apiError('forbidden', 'exceeded quota') });
    const create60 = Array.from({ length: 60 }, (_, at): Move => ({ ...create, pod: `lobby-${at}` }));
    const realCreate = scene.ports.client.create.bind(scene.ports.client);
    scene.ports.client.create = async (type, object, options) => {
      scene.nowMs += 1_000;
      return realCreate(type, object, options);
    };
    // Plans again: the stores lack what was written, and the attempt is ended while it waits for them.
    scene.ports.stores.pods.waitFor = async () => {
      attempt.cancel();
      attempt.signal.throwIfAborted();
      return false;
    };
    const result = await run(scene, create60, attempt);
    expect(result.done).toBeGreaterThan(0);
    expect(result.refusal).toContain('exceeded quota');
    expect(result.unresolved.map(({ outcome }) => outcome)).toEqual(['refused']);
    expect(result.done + result.moved + result.unresolved.length).toBe(60);
  });
});

describe('a batch with writes that were not answered', () => {
  it('counts them as spent when it plans the rest again', async () => {
    const scene = new PodScene({ replicas: 22, updateStrategy: { maxUnavailable: 21, type: 'InplaceUpdate' } });
    const pods = Array.from({ length: 22 }, (_, at) => scene.adopt(aPod('r1', `lobby-${at}`).build()));
    const items = pods.slice(0, 21).map((pod): Move => {
      return { act: 'close-gate', ...itemOf(pod), revision: 'r2', thenPatch: true, spends: true };
    });
    const before = () => {
      scene.nowMs += 1_000;
    };
    scene.cluster.fail({ verb: 'patch', error: apiError('network'), times: 20, before });
    scene.adopt(aPod('r1', 'lobby-21').notReady(1_000).build());
    const result = await run(scene, items);
    expect([result.unresolved.length, result.moved, result.done]).toEqual([20, 1, 0]);
  });
});

describe('a batch beside others of its wave', () => {
  const scene = () => new PodScene({ replicas: 2, updateStrategy: { maxUnavailable: 1, type: 'InplaceUpdate' } });
  const close = (pod: Pod): Move => {
    return { act: 'close-gate', ...itemOf(pod), revision: 'r2', thenPatch: true, spends: true };
  };
  const runLate = (at: PodScene, item: Move, siblings: Unresolved[]) =>
    runMoves(at.ports, at.moveRequest([item], { siblings, asOfMs: at.nowMs - 5_001 }), anAttempt());

  it('counts what they send as spent when it plans again', async () => {
    const at = scene();
    const [own, other] = ['lobby-a', 'lobby-b'].map((name) => at.adopt(aPod('r1', name).build()));
    const sent = unresolvedItem(close(other!), 'unknown');
    expect(summaryOf(await runLate(at, close(own!), [sent]))).toEqual({ done: 0, moved: 1, unresolved: [] });
  });

  it('counts nothing twice that is seen already', async () => {
    const at = scene();
    const [own, other] = ['lobby-a', 'lobby-b'].map((name) => at.adopt(aPod('r1', name).build()));
    const sent = unresolvedItem(close(other!), 'unknown');
    at.cluster.touch('lobby-b');
    expect(summaryOf(await runLate(at, close(own!), [sent]))).toEqual({ done: 1, moved: 0, unresolved: [] });
  });
});

describe('a second attempt', () => {
  it('reads a quorum list and says that the next observation must, too', async () => {
    const scene = new PodScene({ replicas: 1 });
    const result = await run(scene, [create], anAttempt(2));
    expect(scene.cluster.requests).toContain('list pods');
    expect([result.done, result.quorum]).toEqual([1, true]);
  });

  it('an item of the first attempt that may still land stays open', async () => {
    const scene = new PodScene({ replicas: 1 });
    const pod = scene.adopt(aPod('r2', 'lobby-a').build());
    const item: Move = { act: 'delete', ...itemOf(pod), spends: true };
    expect(summaryOf(await run(scene, [item], anAttempt(2)))).toEqual({
      done: 0,
      moved: 0,
      unresolved: ['delete lobby-a unknown'],
    });
  });

  it('an item whose pod has moved on is settled', async () => {
    const scene = new PodScene({ replicas: 1 });
    const pod = scene.adopt(aPod('r2', 'lobby-a').build());
    const item: Move = { act: 'delete', ...itemOf(pod), spends: true };
    scene.cluster.touch('lobby-a');
    expect(summaryOf(await run(scene, [item], anAttempt(2)))).toEqual({ done: 0, moved: 1, unresolved: [] });
  });

  it('a workload that is gone moves nothing', async () => {
    const scene = new PodScene();
    scene.cluster.remove('gamedeployments', 'lobby');
    expect(summaryOf(await run(scene, [create], anAttempt(2)))).toEqual({ done: 0, moved: 1, unresolved: [] });
  });
});
