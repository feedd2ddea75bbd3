import { describe, expect, it } from 'vitest';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { acts, plan, r } from '../../test/support/plans.ts';
import { aPod, iso, NOW, pods } from '../../test/support/pods.ts';
import { GATE_RUN_TYPES } from '../hooks/hook-run.ts';
import { ATTEMPT_LABEL, HOOK_RUN_TYPE_LABEL, MOVE_ANNOTATION, POD_UID_LABEL } from '../keys.ts';

describe('gates', () => {
  const template = { metadata: { name: 'drain' }, spec: { metrics: [] } } as unknown as HookTemplate;
  const gated = {
    replicas: 2,
    preDeleteUpdateStrategy: { hook: { templateName: 'drain' } },
    updateStrategy: { type: 'InplaceUpdate' as const, maxUnavailable: 1 },
  };
  const mark = { kind: 'update', attempt: '90', hookRun: 'run-1', revision: 'r2' };
  const marked = () =>
    aPod('r1')
      .annotated({ [MOVE_ANNOTATION]: JSON.stringify(mark) })
      .build();
  const run = (pod: Pod, phase: string, attempt = '90') =>
    ({
      metadata: {
        name: 'run-1',
        creationTimestamp: iso(NOW - 1000),
        labels: { [POD_UID_LABEL]: pod.metadata.uid!, [ATTEMPT_LABEL]: attempt },
      },
      spec: { metrics: [] },
      status: { phase },
    }) as never;
  const input = (pod: Pod, hookRuns: never[] = [], more = {}) =>
    plan({ spec: gated, hookTemplates: { drain: template }, pods: [pod, r('r1')], hookRuns, ...more });

  it('a running pod is marked and its hook asked; nothing is changed', () => {
    const p = plan({ spec: gated, hookTemplates: { drain: template }, pods: pods(2, 'r1') });
    expect(p.moves).toMatchObject([{ act: 'mark', template: 'drain', mark: { kind: 'update', revision: 'r2' } }]);
  });
  it('row 44: a pod that does not run needs no hook', () => {
    const pending = aPod('r1').phase('Pending').notReady().build();
    const p = plan({ spec: gated, hookTemplates: { drain: template }, pods: [r('r1'), pending] });
    expect(acts(p, 'close-gate').map(({ pod }) => pod)).toEqual([pending.metadata.name]);
  });
  it('a running hook holds the budget', () => {
    const pod = marked();
    const p = input(pod, [run(pod, 'Running')]);
    expect(p.moves).toEqual([]);
    expect(p.blockers[0]).toMatchObject({ reason: 'GateWaiting', pod: pod.metadata.name, sinceMs: NOW - 1000 });
  });
  it('a success opens the gate', () => {
    const pod = marked();
    expect(input(pod, [run(pod, 'Successful')]).moves).toMatchObject([{ act: 'close-gate', pod: pod.metadata.name }]);
  });
  it("another attempt's success counts for nothing: the missing run is created", () => {
    const pod = marked();
    expect(input(pod, [run(pod, 'Successful', '80')]).moves).toMatchObject([{ act: 'mark', mark }]);
  });
  it('row 115: a failed hook waits for retry or skip', () => {
    const pod = marked();
    const failed = input(pod, [run(pod, 'Failed')]);
    expect(failed.moves).toEqual([]);
    expect(failed.blockers[0]).toMatchObject({ reason: 'GateFailed', pod: pod.metadata.name, sinceMs: NOW - 1000 });
    expect(input(pod, [run(pod, 'Failed')], { gates: { retriedAtMs: NOW } }).moves).toMatchObject([
      { act: 'mark', mark: { attempt: '100' } },
    ]);
    expect(input(pod, [run(pod, 'Failed')], { gates: { skippedAtMs: NOW } }).moves).toMatchObject([
      { act: 'close-gate' },
    ]);
  });
  it.each([
    ['predelete', [{ act: 'mark', mark: { attempt: '100' } }]],
    ['preinplace', []],
    ['postinplace', []],
  ] as const)('row 115: retry: true beside a hook is about runs of that hook: %s', (gate, moves) => {
    const pod = marked();
    const failed = run(pod, 'Failed') as HookRun;
    Object.assign(failed.metadata.labels!, { [HOOK_RUN_TYPE_LABEL]: GATE_RUN_TYPES.predelete });
    const gates = { hooks: { [gate]: { retriedAtMs: NOW } } };
    expect(input(pod, [failed as never], { gates }).moves).toMatchObject(moves);
  });
  it("a run that fails after a person's word waits for another one, although it began before", () => {
    const pod = marked();
    const late = run(pod, 'Failed') as { status: object };
    late.status = { ...late.status, finishedAt: iso(NOW) };
    for (const gates of [{ skippedAtMs: NOW - 500 }, { retriedAtMs: NOW - 500 }]) {
      const p = input(pod, [late as never], { gates });
      expect([p.moves, p.blockers[0]?.reason]).toEqual([[], 'GateFailed']);
    }
  });
  it('a workload that lost its state keeps the marks of a rollout that is about to speak', () => {
    const pod = marked();
    const lost = { allowance: null };
    expect(input(pod, [run(pod, 'Running')], lost).moves).toEqual([]);
    const none = { ...lost, updateRevision: 'r1', stableRevision: 'r1' };
    expect(input(pod, [run(pod, 'Running')], none).moves).toMatchObject([{ act: 'unmark' }]);
  });
  it('row 39: a missing template deletes and marks nothing, and says so; scaling goes on', () => {
    const p = plan({ spec: { ...gated, replicas: 3 }, pods: pods(2, 'r1') });
    expect(p.blockers.map(({ reason }) => reason)).toContain('HookTemplateMissing');
    expect(p.moves.map(({ act }) => act)).toEqual(['create']);
  });
  it('row 113: an argument without a value is said with its path', () => {
    const open = {
      metadata: { name: 'drain' },
      spec: { metrics: [], args: [{ name: 'url' }] },
    } as unknown as HookTemplate;
    const p = plan({ spec: gated, hookTemplates: { drain: open }, pods: pods(2, 'r1') });
    expect(p.blockers.find(({ reason }) => reason === 'HookArgumentUnresolved')?.message).toContain('spec.args url');
  });
  it('scale-in asks the hook, and scale-out takes the mark off again', () => {
    const spec = { ...gated, replicas: 1 };
    const pod = aPod('r1')
      .annotated({ [MOVE_ANNOTATION]: JSON.stringify({ ...mark, kind: 'scale-in' }) })
      .build();
    const base = {
      spec,
      hookTemplates: { drain: template },
      updateRevision: 'r1',
      allowance: null,
      hookRuns: [run(pod, 'Running')],
    };
    expect(plan({ ...base, pods: pods(2, 'r1'), hookRuns: [] }).moves).toMatchObject([
      { act: 'mark', mark: { kind: 'scale-in' } },
    ]);
    expect(plan({ ...base, pods: [pod, r('r1')] }).moves).toEqual([]);
    expect(plan({ ...base, spec: gated, pods: [pod, r('r1')] }).moves).toMatchObject([
      { act: 'unmark', pod: pod.metadata.name },
    ]);
  });
  it('a mark for a superseded target is taken off (decision 36)', () => {
    const pod = aPod('r1')
      .annotated({ [MOVE_ANNOTATION]: JSON.stringify({ ...mark, revision: 'r9' }) })
      .build();
    expect(
      input(pod, [run(pod, 'Successful')], { allowance: { revision: 'r2', partition: 0, paused: true } }).moves,
    ).toMatchObject([{ act: 'unmark' }]);
  });
});
