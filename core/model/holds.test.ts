import { describe, expect, it } from 'vitest';
import type { HookPhase } from '../../crds/hook-phase.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { aPod } from '../../test/support/pods.ts';
import { UPDATED_ANNOTATION } from '../keys.ts';
import type { Mark, Move } from '../plan/types.ts';
import { EPOCH_MS, ModelApi } from './api.ts';
import { beginsUpdate, Holds } from './holds.ts';
import { Random } from './random.ts';
import { Verdicts } from './verdicts.ts';

const FAILED_MS = EPOCH_MS + 10_000;
const UID = 'lobby-a/1';

function failedRun(revision = 'r2', phase: HookPhase = 'Failed', name = 'run'): HookRun {
  const labels = { 'hookrun-type': 'post-inplace-step', 'workload-revision': revision, 'holdfast.dev/pod-uid': UID };
  const status = { phase, finishedAt: new Date(FAILED_MS).toISOString() };
  return { metadata: { name, labels }, spec: { metrics: [] }, status } as unknown as HookRun;
}

function owing(hookRun: string, more: Partial<Mark> = {}): Pod {
  const annotation = JSON.stringify({ kind: 'updated', attempt: '1', hookRun, ...more });
  const { metadata, ...pod } = aPod('r2', 'lobby-a')
    .annotated({ [UPDATED_ANNOTATION]: annotation })
    .build();
  return { ...pod, metadata: { ...metadata, uid: UID } };
}

interface Given {
  runs?: HookRun[];
  pod?: Pod;
  /** When pods began to move to r2. */
  targetMs?: number;
  word?: 'retry' | 'skip';
}

/** Whether something holds at `untilMs`. */
function isHeld({ runs = [failedRun()], pod, targetMs = EPOCH_MS, word }: Given, untilMs = FAILED_MS): boolean {
  const api = new ModelApi();
  if (pod !== undefined) api.put('lobby-a', pod);
  const verdicts = new Verdicts(new Random(1));
  const holds = new Holds(api, verdicts);
  api.nowMs = targetMs;
  holds.noteTarget('r2');
  verdicts.runs = runs;
  if (word !== undefined) verdicts.say(word, undefined, FAILED_MS);
  return holds.since(untilMs) !== undefined;
}

describe('a hook after an update that failed', () => {
  it.each<[sentence: string, given: Given, held: boolean]>([
    ['holds while its pod is there', { pod: owing('run') }, true],
    ['holds when its pod is gone', {}, true],
    ['of another revision does not', { runs: [failedRun('r4')] }, false],
    ['does not where pods move there anew', { targetMs: FAILED_MS }, false],
    ['has not failed where we ended it', { runs: [failedRun('r2', 'Terminated')] }, false],
    ['is passed by skip', { pod: owing('run'), word: 'skip' }, false],
    ['is passed by retry where nobody is left to be asked', { word: 'retry' }, false],
    ['holds until its retry has succeeded', { pod: owing('again', { isRetry: true }), word: 'retry' }, true],
    ['was about an update before that one', { pod: owing('again'), word: 'retry' }, false],
    [
      'and no longer',
      {
        ...{ pod: owing('again', { isRetry: true }), word: 'retry' },
        runs: [failedRun(), failedRun('r2', 'Successful', 'again')],
      },
      false,
    ],
  ])('%s', (_sentence, given, held) => {
    expect(isHeld(given)).toBe(held);
  });

  it('held not before it failed', () => {
    expect(isHeld({}, FAILED_MS - 1)).toBe(false);
  });
});

describe('what a failed hook holds', () => {
  const pod = aPod('r1').build();
  const item = { pod: pod.metadata.name, uid: '', resourceVersion: '', spends: true };
  it.each<[sentence: string, move: Move, begins: boolean]>([
    ['an update in place', { act: 'close-gate', ...item, reason: '', revision: 'r2', thenPatch: true }, true],
    ['one without a gate to close', { act: 'patch-images', ...item, reason: '', revision: 'r2' }, true],
    ['a pod that makes room for a new one', { act: 'delete', ...item, reason: 'r1 becomes r2' }, true],
    ['no scale-in', { act: 'delete', ...item, reason: 'surplus' }, false],
    ['not the next container of an update', { act: 'patch-images', ...item, reason: '', revision: 'r1' }, false],
  ])('%s', (_sentence, move, begins) => {
    expect(beginsUpdate(pod, move)).toBe(begins);
  });
});
