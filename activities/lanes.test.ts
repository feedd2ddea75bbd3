import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { READINESS_GATE } from '../core/keys.ts';
import type { Move } from '../core/plan/types.ts';
import { eventually } from '../test/support/eventually.ts';
import { anAttempt, itemOf, PodScene } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { HANGING_AT_ONCE, Lanes, LENT_MS, MOVES_AT_ONCE } from './lanes.ts';
import { runMoves } from './moves.ts';

const notOver = () => false;

/** Pods of the stable revision, to be updated in place: each is written twice. */
function updates(scene: PodScene, count: number): Move[] {
  return Array.from({ length: count }, (_, at) => {
    const pod = scene.adopt(aPod('r1', `lobby-${at}`).build());
    return { ...itemOf(pod), act: 'close-gate', revision: 'r2', thenPatch: true, spends: true };
  });
}

it('batches of many workloads share the lanes, and what is begun with a pod is ended before others begin', async () => {
  const scene = new PodScene({ replicas: 60, updateStrategy: { type: 'InplaceUpdate' } });
  const items = updates(scene, 60);
  const { client } = scene.ports;
  const patch = client.patch.bind(client);
  const begun = new Set<string>();
  let most = 0;
  client.patch = async (type, ref, body, options) => {
    const isGate = JSON.stringify(body).includes(READINESS_GATE);
    if (isGate) most = Math.max(most, begun.add(ref.name ?? '').size);
    const patched = await patch(type, ref, body, options);
    if (!isGate) begun.delete(ref.name ?? '');
    return patched;
  };
  const batches = [0, 1, 2, 3].map((at) => items.slice(at * 15, (at + 1) * 15));
  const results = await Promise.all(
    batches.map((batch) => runMoves(scene.ports, scene.moveRequest(batch), anAttempt())),
  );
  expect(results.map(({ done }) => done)).toEqual([15, 15, 15, 15]);
  expect(most).toBe(MOVES_AT_ONCE);
});

it('a batch is planned when its turn has come, not before it waits', async () => {
  const lanes = new Lanes();
  const release = Promise.withResolvers<void>();
  const busy = Array.from({ length: 2 * MOVES_AT_ONCE }, () => lanes.moves('games', notOver, () => release.promise));
  const isIn = vi.fn<() => Promise<void>>(async () => undefined);
  const entered = lanes.enter(notOver, isIn);
  await lanes.enter(
    () => true,
    async () => undefined,
  );
  expect(isIn).not.toHaveBeenCalled();
  release.resolve();
  await Promise.all([...busy, entered]);
  expect(isIn).toHaveBeenCalledOnce();
});

describe('a write that hangs', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('gives its lane back soon, and is waited for all the same', async () => {
    const lanes = new Lanes();
    const hung = Promise.withResolvers<string>();
    const slow = Array.from({ length: MOVES_AT_ONCE }, () => lanes.moves('sick', notOver, () => hung.promise));
    const next = vi.fn<() => Promise<void>>(async () => undefined);
    const other = lanes.moves('games', notOver, next);
    await vi.advanceTimersByTimeAsync(LENT_MS - 1);
    expect(next).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(next).toHaveBeenCalledOnce();
    await other;
    hung.resolve('done');
    expect(await Promise.all(slow)).toEqual(slow.map(() => 'done'));
  });

  it('and fails late fails for whoever waits for it, and for nobody else', async () => {
    const lanes = new Lanes();
    const hung = Promise.withResolvers<void>();
    const slow = lanes.moves('games', notOver, () => hung.promise);
    const failure = expect(slow).rejects.toThrow('late');
    await vi.advanceTimersByTimeAsync(LENT_MS);
    hung.reject(new Error('late'));
    await failure;
    await expect(lanes.moves('games', notOver, async () => 'next')).resolves.toBe('next');
  });
});

describe('a namespace whose writes hang', () => {
  /** As many as there are lanes hang, and as many wait to begin. */
  function sicken(lanes: Lanes, namespace = 'sick') {
    const hanging: (() => void)[] = [];
    const begun = vi.fn<() => void>();
    const is = { well: false, over: false };
    const write = async () => {
      begun();
      if (is.well || is.over) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      hanging.push(resolve);
      await promise;
    };
    const all = Array.from({ length: 2 * MOVES_AT_ONCE }, () => lanes.moves(namespace, () => is.over, write));
    const answer = (count: number) => {
      for (const pass of hanging.splice(0, count)) pass();
    };
    return { begun, all, is, answer };
  }

  /** Comes after all that have waited for a lane. */
  const other = (lanes: Lanes) => lanes.moves('healthy', notOver, async () => 'done');

  it('begins no more of them, and others go on at once', async () => {
    const lanes = new Lanes();
    const { begun } = sicken(lanes);
    await other(lanes);
    await expect(other(lanes)).resolves.toBe('done');
    await expect(lanes.enter(notOver, async () => 'planned')).resolves.toBe('planned');
    expect(begun).toHaveBeenCalledTimes(MOVES_AT_ONCE);
  });

  it('has its templates proven no faster than its pods are moved, and others theirs at once', async () => {
    const lanes = new Lanes();
    sicken(lanes);
    await other(lanes);
    const asked = vi.fn<() => Promise<string>>(async () => 'proven');
    const stop = { isOver: false };
    const held = lanes.proofs('sick', () => stop.isOver, asked);
    await expect(lanes.proofs('healthy', notOver, asked)).resolves.toBe('proven');
    expect(asked).toHaveBeenCalledTimes(1);
    stop.isOver = true;
    await expect(held).resolves.toBe('proven');
  });

  it('shares what may hang with one that has just begun, of which nobody knows yet whether it will', async () => {
    const lanes = new Lanes();
    const sick = sicken(lanes);
    await other(lanes);
    const sicker = sicken(lanes, 'sicker');
    await other(lanes);
    await other(lanes);
    expect(sicker.begun).toHaveBeenCalledTimes(HANGING_AT_ONCE / 2);
    expect(sick.begun).toHaveBeenCalledTimes(HANGING_AT_ONCE);
  });

  it('shares what may hang with others of its kind', async () => {
    const lanes = new Lanes();
    const [sick, sicker] = [sicken(lanes), sicken(lanes, 'sicker')];
    await other(lanes);
    sick.answer(MOVES_AT_ONCE);
    await eventually('more are tried', () => sick.begun.mock.calls.length > MOVES_AT_ONCE);
    await other(lanes);
    expect(sick.begun).toHaveBeenCalledTimes(MOVES_AT_ONCE + HANGING_AT_ONCE / 2);
    expect(sicker.begun).toHaveBeenCalledTimes(MOVES_AT_ONCE);
  });

  it('stays so while one of them hangs, whatever others of it do', async () => {
    const lanes = new Lanes();
    const { begun, is, answer } = sicken(lanes);
    await other(lanes);
    is.well = true;
    answer(1);
    await eventually('all others are through', () => begun.mock.calls.length === 2 * MOVES_AT_ONCE);
    const again = vi.fn<() => Promise<void>>(async () => Promise.race([]));
    for (let count = 0; count < 4; count += 1) void lanes.moves('sick', notOver, again);
    await other(lanes);
    expect(again).toHaveBeenCalledTimes(1);
  });

  it('begins those that wait in the order in which they came', async () => {
    const lanes = new Lanes();
    const { answer } = sicken(lanes);
    await other(lanes);
    const begun: string[] = [];
    const late = (name: string) => lanes.moves('sick', notOver, async () => void begun.push(name));
    const all = ['a', 'b'].map(late);
    answer(2);
    all.push(late('c'));
    answer(MOVES_AT_ONCE);
    await vi.waitFor(() => {
      answer(MOVES_AT_ONCE);
      expect(begun).toEqual(['a', 'b', 'c']);
    }, 20_000);
    await Promise.all(all);
  }, 30_000);

  it('keeps nothing back that is over', async () => {
    const lanes = new Lanes();
    const { begun, is, answer, all } = sicken(lanes);
    await other(lanes);
    is.over = true;
    await eventually('all are through', () => begun.mock.calls.length === 2 * MOVES_AT_ONCE);
    answer(MOVES_AT_ONCE);
    await Promise.all(all);
  });
});

it('a plan that hangs keeps no other batch at the door for long', async () => {
  const lanes = new Lanes();
  const hung = Promise.withResolvers<void>();
  const hanging = Array.from({ length: 10 }, () => lanes.enter(notOver, () => hung.promise));
  let isIn = false;
  void lanes.enter(notOver, async () => {
    isIn = true;
  });
  await eventually('the other one is in', () => isIn);
  hung.resolve();
  await Promise.all(hanging);
});
