import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { READINESS_GATE } from '../core/keys.ts';
import type { Move } from '../core/plan/types.ts';
import { eventually } from '../test/support/eventually.ts';
import { anAttempt, itemOf, PodScene } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { Lanes, LENT_MS, MOVES_AT_ONCE } from './lanes.ts';
import { runMoves } from './moves.ts';

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
  const busy = Array.from({ length: 2 * MOVES_AT_ONCE }, () => lanes.moves(() => release.promise));
  const isIn = vi.fn<() => Promise<void>>(async () => undefined);
  const entered = lanes.enter(() => false, isIn);
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
    const slow = Array.from({ length: MOVES_AT_ONCE }, () => lanes.moves(() => hung.promise));
    const next = vi.fn<() => Promise<void>>(async () => undefined);
    const other = lanes.moves(next);
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
    const slow = lanes.moves(() => hung.promise);
    const failure = expect(slow).rejects.toThrow('late');
    await vi.advanceTimersByTimeAsync(LENT_MS);
    hung.reject(new Error('late'));
    await failure;
    await expect(lanes.moves(async () => 'next')).resolves.toBe('next');
  });
});

it('a plan that hangs keeps no other batch at the door for long', async () => {
  const lanes = new Lanes();
  const hung = Promise.withResolvers<void>();
  const isOver = () => false;
  const hanging = Array.from({ length: 10 }, () => lanes.enter(isOver, () => hung.promise));
  let isIn = false;
  void lanes.enter(isOver, async () => {
    isIn = true;
  });
  await eventually('the other one is in', () => isIn);
  hung.resolve();
  await Promise.all(hanging);
});
