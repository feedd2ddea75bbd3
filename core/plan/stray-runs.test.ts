import { describe, expect, it } from 'vitest';
import type { HookPhase } from '../../crds/hook-phase.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { aPod, iso, NOW, planInput } from '../../test/support/pods.ts';
import { HOOK_RUN_TYPE_LABEL, MOVE_ANNOTATION, POD_UID_LABEL, UPDATED_ANNOTATION } from '../keys.ts';
import { strayRuns } from './stray-runs.ts';

const MINUTE = 60_000;

function aRun(name: string, labels: Record<string, string>, phase: HookPhase, ageMs = 5 * MINUTE): HookRun {
  const times = { creationTimestamp: iso(NOW - ageMs) };
  const status = { phase, ...(phase === 'Running' ? {} : { finishedAt: iso(NOW - ageMs + 1_000) }) };
  return { metadata: { name, labels, ...times }, spec: { metrics: [] }, status } as unknown as HookRun;
}

const ofPod = (name: string, uid: string, phase: HookPhase, ageMs?: number) =>
  aRun(name, { [HOOK_RUN_TYPE_LABEL]: 'pre-delete-step', [POD_UID_LABEL]: uid }, phase, ageMs);
const waiting = (annotation: string, hookRun: string): Pod =>
  aPod('r1', 'lobby-a')
    .annotated({ [annotation]: JSON.stringify({ attempt: '1', hookRun }) })
    .build();

const names = (changes: Parameters<typeof planInput>[0]) =>
  strayRuns(planInput(changes)).map(({ metadata }) => metadata.name);

describe('HookRuns that nobody waits for', () => {
  it.each(['Running', 'Successful', 'Failed'] as const)(
    'row 116: a run that is %s is kept while its pod waits for it, before an update and after it',
    (phase) => {
      const hookRuns = [ofPod('run', 'uid-lobby-a', phase)];
      expect(names({ hookRuns, pods: [waiting(MOVE_ANNOTATION, 'run')] })).toEqual([]);
      expect(names({ hookRuns, pods: [waiting(UPDATED_ANNOTATION, 'run')] })).toEqual([]);
    },
  );

  it.each([
    ['whose pod is gone', []],
    [
      'whose pod goes',
      [
        {
          ...waiting(MOVE_ANNOTATION, 'run'),
          metadata: { ...waiting(MOVE_ANNOTATION, 'run').metadata, deletionTimestamp: iso(NOW) },
        },
      ],
    ],
    ['of another attempt', [waiting(MOVE_ANNOTATION, 'run-2')]],
    [
      'of a namesake of before',
      [{ ...waiting(MOVE_ANNOTATION, 'run'), metadata: { ...waiting(MOVE_ANNOTATION, 'run').metadata, uid: 'other' } }],
    ],
  ])('row 116: a run %s is removed', (_sentence, pods) => {
    for (const phase of ['Running', 'Successful'] as const)
      expect(names({ hookRuns: [ofPod('run', 'uid-lobby-a', phase)], pods })).toEqual(['run']);
  });

  it('a young run is left: its mark may not have been seen yet', () => {
    expect(names({ hookRuns: [ofPod('run', 'gone', 'Successful', 59_000)] })).toEqual([]);
  });

  it('the last twenty that failed are kept for people', () => {
    const hookRuns = Array.from({ length: 23 }, (_, at) => ofPod(`run-${at}`, 'gone', 'Error', (at + 2) * MINUTE));
    expect(names({ hookRuns })).toEqual(['run-20', 'run-21', 'run-22']);
  });

  it('of each hook: many that failed before a move push out none that failed after an update', () => {
    const before = Array.from({ length: 23 }, (_, at) => ofPod(`run-${at}`, 'gone', 'Failed', (at + 2) * MINUTE));
    const labels = { [HOOK_RUN_TYPE_LABEL]: 'post-inplace-step', [POD_UID_LABEL]: 'gone' };
    const after = aRun('after', labels, 'Failed', 60 * MINUTE);
    expect(names({ hookRuns: [...before, after] })).toEqual(['run-20', 'run-21', 'run-22']);
  });

  it('runs of canary steps go with their revision', () => {
    const ofStep = (name: string, revision: string, phase: HookPhase = 'Failed') =>
      aRun(
        name,
        { [HOOK_RUN_TYPE_LABEL]: 'canary-step', 'workload-revision': revision, 'holdfast.dev/attempt': '1' },
        phase,
      );
    const hookRuns = [ofStep('of-r2', 'r2'), ofStep('of-r0', 'r0'), ofStep('runs', 'r0', 'Running')];
    expect(names({ hookRuns })).toEqual(['of-r0']);
  });

  it('runs of existing operators are theirs', () => {
    const labels = [{ [HOOK_RUN_TYPE_LABEL]: 'pre-delete-step' }, { [HOOK_RUN_TYPE_LABEL]: 'canary-step' }];
    expect(names({ hookRuns: labels.map((each, at) => aRun(`run-${at}`, each, 'Successful')) })).toEqual([]);
  });
});
