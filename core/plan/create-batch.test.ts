import { describe, expect, it } from 'vitest';
import { created, n, plan, r } from '../../test/support/plans.ts';
import { aPod, aWorkload, NOW, planInput, pods } from '../../test/support/pods.ts';
import { isCreatedInFull } from './create-batch.ts';
import { planGameDeployment } from './game-deployment.ts';

const first = { updateRevision: 'r2', stableRevision: 'r2' };

describe('createBatch (game-workloads §1.1)', () => {
  const many = (createBatch: number | string, given = pods(0, 'r2'), replicas = 10) =>
    created(plan({ spec: { replicas, scaleStrategy: { createBatch } }, ...first, pods: given })).length;

  it.each<[createBatch: number | string, count: number]>([
    [3, 3],
    ['25%', 3],
    ['100%', 10],
    ['150%', 10],
    [20, 10],
    [0, 1],
    ['0%', 1],
  ])('%s of ten: the first batch has %i', (createBatch, count) => {
    expect(many(createBatch)).toBe(count);
  });

  it.each([
    { there: 'none is available', given: [n('r2'), n('r2'), n('r2')], count: 0 },
    { there: 'two are available', given: [r('r2'), r('r2'), n('r2')], count: 0 },
    { there: 'one was lost again', given: [r('r2'), r('r2')], count: 1 },
    { there: 'the batch is available', given: pods(3, 'r2'), count: 3 },
    { there: 'three batches are', given: pods(9, 'r2'), count: 1 },
  ])('the next batch comes when the one before is available: $there', ({ given, count }) => {
    expect(many(3, given)).toBe(count);
  });

  it('available means for minReadySeconds (in-place-peers 7: pods appear one after another)', () => {
    const young = aPod('r2').readyFor(5_000).build();
    const spec = { replicas: 3, minReadySeconds: 30, scaleStrategy: { createBatch: 1 } };
    const p = plan({ spec, ...first, pods: [young] });
    expect([p.moves, p.lookAgainAtMs]).toEqual([[], NOW + 25_000]);
  });

  it('names given out and pods that failed take their place in the batch', () => {
    const failed = aPod('r2').phase('Failed').build();
    const failures = { count: 1, untilMs: NOW + 10_000 };
    const spec = { replicas: 10, scaleStrategy: { createBatch: 3 } };
    const p = plan({ spec, ...first, pods: [failed], failures, issued: [{ pod: 'lobby-x', revision: 'r2' }] });
    expect(created(p)).toHaveLength(1);
  });

  it('counts no more once all pods were there, broken or not: the surge of the fix is not held back', () => {
    const spec = { replicas: 4, updateStrategy: { maxSurge: 2 }, scaleStrategy: { createBatch: '100%' } };
    expect(created(plan({ spec, pods: [n('r1'), n('r1'), n('r1'), n('r1')] }))).toEqual(['r2', 'r2']);
  });

  it('does not count where it was set after the pods were made', () => {
    const workload = aWorkload({ replicas: 10, scaleStrategy: { createBatch: 3 } });
    workload.status = { currentRevision: 'r2' };
    expect(created(planGameDeployment({ ...planInput({ ...first, pods: [r('r2')] }), workload }))).toHaveLength(9);
    workload.status = { currentRevision: 'r2', createdInFull: false };
    expect(created(planGameDeployment({ ...planInput({ ...first, pods: [r('r2')] }), workload }))).toHaveLength(2);
  });

  it('counts no more once all pods were there: what is lost or asked for later comes at once', () => {
    const workload = aWorkload({ replicas: 10, scaleStrategy: { createBatch: 3 } });
    expect(isCreatedInFull({ workload }, { replicas: 9 })).toBe(false);
    expect(isCreatedInFull({ workload }, { replicas: 10 })).toBe(true);
    expect(isCreatedInFull({ workload: aWorkload({ replicas: 0 }) }, { replicas: 0 })).toBe(false);
    workload.status = { createdInFull: true };
    expect(created(planGameDeployment({ ...planInput({ ...first, pods: [r('r2')] }), workload }))).toHaveLength(9);
  });

  it('is known of a workflow that has seen it before any status says so', () => {
    const workload = aWorkload({ replicas: 10, scaleStrategy: { createBatch: 3 } });
    workload.status = { createdInFull: false };
    const input = { ...planInput({ ...first, pods: [r('r2')] }), workload, createdInFull: true as const };
    expect(created(planGameDeployment(input))).toHaveLength(9);
  });
});
