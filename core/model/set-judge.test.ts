import { expect, it } from 'vitest';
import { iso, NOW } from '../../test/support/pods.ts';
import { aSetPod } from '../../test/support/sets.ts';
import { NODE_LOST_ANNOTATION } from '../keys.ts';
import { EPOCH_MS, ModelApi } from './api.ts';
import { SetJudge } from './set-judge.ts';

/** The pod is due since `dueForMs`; its node is lost, and comes back where `backAtMs` says so. */
function accusations(dueForMs: number, backAtMs?: number): string[] {
  const api = new ModelApi();
  const judge = new SetJudge(api, () => []);
  const sinceMs = EPOCH_MS;
  const numbers = { replicas: 1, partition: 0, maxUnavailable: 1, maxSurge: 0 };
  judge.specChanged({ ...numbers, sinceMs, target: 'r2', listed: [], isByHand: false, isPaused: false });
  api.lostNodes.add('node-1');
  api.nowMs = backAtMs ?? EPOCH_MS;
  if (backAtMs !== undefined) api.findNode('node-1');
  api.nowMs = EPOCH_MS + 60_000;
  const pod = aSetPod(0, 'r2')
    .annotated({ [NODE_LOST_ANNOTATION]: 'true' })
    .with(({ metadata }) => Object.assign(metadata, { deletionTimestamp: iso(api.nowMs - dueForMs) }))
    .build();
  judge.forcing(pod, EPOCH_MS + 30_000);
  return judge.violations;
}

it.each([
  ['on a node that is lost, 10 s after its time, is as promised', 10_000, undefined, 0],
  ['9 s after its time is too early', 9_000, undefined, 1],
  ['that was sent while the node was lost is as promised, however late it lands', 10_000, EPOCH_MS + 31_000, 0],
  ['that was sent after the node came back is not', 10_000, EPOCH_MS + 29_000, 1],
])('a delete by force %s', (_sentence, dueForMs, backAtMs, count) => {
  expect(accusations(dueForMs, backAtMs)).toHaveLength(count);
});

/** A pod of ordinal 1, which the partition keeps; `lobby-2` it gives up, `lobby-3` is one too many. */
function accusedOfDeleting(ordinal: number, revision: string, { isBroken = false, isByHand = false } = {}): number {
  const api = new ModelApi();
  api.nowMs = NOW;
  const judge = new SetJudge(api, () => []);
  const numbers = { replicas: 3, partition: 2, maxUnavailable: 3, maxSurge: 0 };
  const places = { isOrdered: false, reserved: [] };
  judge.specChanged({ ...numbers, places, isByHand, sinceMs: NOW, target: 'r2', listed: [], isPaused: false });
  const pod = aSetPod(ordinal, revision);
  judge.deleting((isBroken ? pod.notReady() : pod).build(), NOW);
  return judge.violations.length;
}

it.each([
  ['an old pod that the partition gives up is asked for', accusedOfDeleting(2, 'r1'), 0],
  ['one that it keeps is not', accusedOfDeleting(1, 'r1'), 1],
  ['nor is a healthy one of a superseded revision', accusedOfDeleting(1, 'r3'), 1],
  ['a broken one of those is', accusedOfDeleting(1, 'r3', { isBroken: true }), 0],
  ['under OnDelete none is that has a place', accusedOfDeleting(2, 'r1', { isByHand: true }), 1],
  ['and one that is too many is', accusedOfDeleting(3, 'r1', { isByHand: true }), 0],
])('deleting: %s', (_sentence, count, wanted) => {
  expect(count).toBe(wanted);
});
