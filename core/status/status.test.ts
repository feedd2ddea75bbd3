import { describe, expect, it } from 'vitest';
import { gameDeploymentStatusSchema } from '../../crds/game-deployment.ts';
import type { GameWorkloadStatus } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { MOVE_ANNOTATION, UPDATED_ANNOTATION } from '../keys.ts';
import { hashSteps } from '../rollout/steps-hash.ts';
import { makeInput, makeView, NOW_MS } from './fixtures.ts';
import { hookConditions } from './gate-conditions.ts';
import type { StatusInput } from './outlook.ts';
import { computeStatus, equalStatus } from './status.ts';

const steps = [{ partition: 3 }, { pause: {} }];
const canary = { updateStrategy: { canary: { steps } } };
const due = { facts: { stableRevision: 'lobby-old' } };

describe('computeStatus', () => {
  it('is whole, and as the schema has it (report 22)', () => {
    const status = computeStatus(makeInput({ counts: { waiting: 1, updating: 2, unavailable: 3 } }, { moving: true }));
    expect(status).toMatchObject({
      observedGeneration: 7,
      replicas: 5,
      readyReplicas: 5,
      availableReplicas: 5,
      updatedReplicas: 5,
      updatedReadyReplicas: 5,
      waitingReplicas: 1,
      updatingReplicas: 2,
      unavailableReplicas: 3,
      moving: true,
      updateStrategy: { type: 'RollingUpdate', partition: 0, maxUnavailable: 2, maxSurge: 0 },
      currentRevision: 'lobby-new',
      updateRevision: 'lobby-new',
      labelSelector: 'a=1,b=2',
      canary: { revision: 'lobby-new' },
    });
    expect(gameDeploymentStatusSchema.strict().parse(status)).toEqual(status);
  });

  it('row 119: matchLabels a=1, b=2 are one fixed text, whatever their order', () => {
    const texts = [
      { a: '1', b: '2' },
      { b: '2', a: '1' },
    ].map((matchLabels) => computeStatus(makeInput({ spec: { selector: { matchLabels } } })).labelSelector);
    expect(texts).toEqual(['a=1,b=2', 'a=1,b=2']);
  });

  it('equals itself when computed again later: nothing is written', () => {
    const first = computeStatus(makeInput());
    const later = makeInput({ status: first, facts: { nowMs: NOW_MS + 60_000 } });
    expect(equalStatus(first, computeStatus(later))).toBe(true);
    expect(equalStatus(undefined, first)).toBe(false);
  });
});

describe('what a status shows of the rollout', () => {
  it('shows the step, the pause and the HookRun that the rollout speaks of', () => {
    const pause = { reason: 'PausedByStepBasedHook' as const, startedAtMs: NOW_MS };
    const view = makeView({ stepIndex: 4, hookRun: 'canary-x', pause, consumedResume: ['lobby-new/1'] });
    expect(computeStatus(makeInput({ ...due, spec: canary }, { view, consumedResume: ['lobby-old/1'] }))).toMatchObject(
      {
        currentStepIndex: 4,
        currentStepHash: 'hash',
        pauseConditions: [{ reason: 'PausedByStepBasedHook', startTime: '2026-11-30T06:00:00Z' }],
        canary: { revision: 'lobby-old', currentStepHookRun: 'canary-x' },
        consumedResume: ['lobby-old/1', 'lobby-new/1'],
      },
    );
  });

  it('stands past the last step when the rollout is done', () => {
    const status = computeStatus(makeInput({ spec: canary }, { view: makeView({ phase: 'Completed' }) }));
    expect(status).toMatchObject({ currentStepIndex: 2, currentStepHash: hashSteps(steps) });
    expect(status).not.toHaveProperty('pauseConditions');
  });

  it('has no step where the spec has none', () => {
    const status = computeStatus(makeInput(due, { view: makeView({ stepCount: 0 }) }));
    expect(status).not.toHaveProperty('currentStepIndex');
    expect(status).not.toHaveProperty('currentStepHash');
  });

  it('a new template begins at step 0', () => {
    const status = { updateRevision: 'lobby-old', currentStepIndex: 2 };
    expect(computeStatus(makeInput({ ...due, spec: canary, status }))).toMatchObject({ currentStepIndex: 0 });
  });

  it('decision 18: keeps on the object where a rollout stood that has not spoken yet', () => {
    const status = {
      updateRevision: 'lobby-new',
      currentStepIndex: 3,
      currentStepHash: 'theirs',
      pauseConditions: [{ reason: 'PausedByCanaryPauseStep' as const, startTime: '2026-11-30T05:00:00Z' }],
      canary: { revision: 'lobby-old' },
      conditions: [{ type: 'Paused', status: 'True' as const, reason: 'PausedByCanaryPauseStep', message: 'Theirs.' }],
    };
    const next = computeStatus(makeInput({ ...due, spec: canary, status }));
    const { conditions, ...fields } = status;
    expect(next).toMatchObject(fields);
    expect(next.conditions).toContainEqual(conditions[0]);
  });

  it('keeps the number of collisions that was counted before', () => {
    const status = { collisionCount: 2 };
    expect(computeStatus(makeInput({ status })).collisionCount).toBe(2);
    expect(computeStatus(makeInput({ status }, { collisionCount: 3 })).collisionCount).toBe(3);
  });

  it.each<[sentence: string, status: GameWorkloadStatus, replicas: number, want: boolean]>([
    ['says that the first creation is over, also where nobody asks for batches', {}, 5, true],
    ['remembers it when pods are lost', { createdInFull: true }, 3, true],
    ['says before that it is not', {}, 4, false],
    ['and goes on to say so', { createdInFull: false, currentRevision: 'r1' }, 4, false],
    ['takes as created what another operator has written of', { currentRevision: 'r1' }, 1, true],
    ['also in the middle of a canary', { canary: { revision: 'r1' } }, 1, true],
  ])('%s', (_sentence, status, replicas, want) => {
    expect(computeStatus(makeInput({ status, counts: { replicas } })).createdInFull).toBe(want);
  });

  it('keeps the 20 newest consumed resume values', () => {
    const consumedResume = Array.from({ length: 30 }, (_, index) => `r/${index}`);
    const kept = computeStatus(makeInput({}, { consumedResume: ['x'.repeat(600), ...consumedResume] })).consumedResume;
    expect(kept).toEqual(consumedResume.slice(-20));
  });

  it('remembers what was consumed before the workflow lost its state', () => {
    const status = computeStatus(makeInput({ status: { consumedResume: ['r/1'] } }, { consumedResume: ['r/2'] }));
    expect(status.consumedResume).toEqual(['r/1', 'r/2']);
  });
});

describe('a GameStatefulSet', () => {
  const set = (facts: object = {}) => {
    const input = makeInput({ facts: { stableRevision: 'lobby-old', ...facts } });
    return { ...input, facts: { ...input.facts, workload: { ...input.facts.workload, kind: 'GameStatefulSet' } } };
  };
  const held = (plan: StatusInput['plan']) => ({
    ...plan,
    counts: { ...plan.counts, updated: 2, perRevision: { 'lobby-old': 3, 'lobby-new': 2 } },
    resolved: { ...plan.resolved, partition: 3 },
  });

  it('row 118: replicas 5, partition 3 after the update: 3 current, 2 updated, 5 ready', () => {
    const input = set();
    const status = computeStatus({ ...input, plan: held(input.plan) } as StatusInput);
    expect(status).toMatchObject({ currentReplicas: 3, updatedReplicas: 2, readyReplicas: 5, replicas: 5 });
  });

  it('names its own field where the partition holds the rest', () => {
    const input = set();
    const { conditions } = computeStatus({ ...input, plan: held(input.plan) } as StatusInput);
    expect(conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      reason: 'PartitionReached',
      message: expect.stringContaining('spec.updateStrategy.rollingUpdate.partition'),
    });
  });

  it('a GameDeployment has no currentReplicas', () => {
    expect(computeStatus(makeInput())).not.toHaveProperty('currentReplicas');
  });
});

describe('hookConditions', () => {
  const pod = (name: string, hookRun?: string): Pod => ({
    metadata: {
      name,
      annotations:
        hookRun === undefined ? {} : { [MOVE_ANNOTATION]: JSON.stringify({ kind: 'scale-in', attempt: '1', hookRun }) },
    },
    spec: { containers: [] },
  });
  const run = (name: string, phase: 'Running' | 'Failed'): HookRun =>
    ({ metadata: { name }, status: { phase, startedAt: '2026-11-30T05:00:00Z' } }) as HookRun;

  it('row 117: conditions for pods 1, 0, 2 and live pods 0, 1: 1 and 0 are kept in order', () => {
    const previous = ['p1', 'p0', 'p2'].map((podName) => ({ podName }));
    const kept = hookConditions([pod('p0', 'r0'), pod('p1', 'r1')], [run('r0', 'Running'), run('r1', 'Failed')], {
      preDeleteHookCondition: previous,
    });
    expect(kept.preDeleteHookCondition).toEqual([
      { podName: 'p1', startTime: '2026-11-30T05:00:00Z', phase: 'Failed' },
      { podName: 'p0', startTime: '2026-11-30T05:00:00Z', phase: 'Running' },
    ]);
  });

  it('lists marked pods only, new ones last, and a run that does not exist yet as Pending', () => {
    const pods = [pod('a', 'r'), pod('b'), pod('z', 'r')];
    expect(hookConditions(pods, [], { preDeleteHookCondition: [{ podName: 'z' }] }).preDeleteHookCondition).toEqual([
      { podName: 'z', phase: 'Pending' },
      { podName: 'a', phase: 'Pending' },
    ]);
  });

  it('each hook has its list; what follows an update is in its own only once it is asked', () => {
    const marked = (name: string, annotation: string, mark: object): Pod => ({
      metadata: { name, annotations: { [annotation]: JSON.stringify({ attempt: '1', hookRun: name, ...mark }) } },
      spec: { containers: [] },
    });
    const pods = [
      marked('before', MOVE_ANNOTATION, { kind: 'update', gate: 'preinplace' }),
      marked('after', UPDATED_ANNOTATION, { kind: 'updated' }),
      marked('not-yet', UPDATED_ANNOTATION, { kind: 'updated' }),
    ];
    const lists = hookConditions(pods, [run('before', 'Running'), run('after', 'Failed')], {});
    const names = Object.values(lists).map((list) => list?.map(({ podName }) => podName));
    expect(names).toEqual([[], ['before'], ['after']]);
  });
});
