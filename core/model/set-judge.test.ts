import { expect, it } from 'vitest';
import { iso } from '../../test/support/pods.ts';
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
