import { describe, expect, it } from 'vitest';
import type { GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { acts, plan, r } from '../../test/support/plans.ts';
import { aPod, iso, NOW, pods } from '../../test/support/pods.ts';
import { ATTEMPT_LABEL, MOVE_ANNOTATION, POD_UID_LABEL, UPDATED_ANNOTATION } from '../keys.ts';
import type { Mark } from './types.ts';

const template = (name: string, args?: { name: string }[]) =>
  ({ metadata: { name }, spec: { metrics: [], ...(args && { args }) } }) as unknown as HookTemplate;
const hookTemplates = { drain: template('drain'), leave: template('leave'), join: template('join') };
const hook = (templateName: string) => ({ hook: { templateName } });

const spec: Partial<GameDeploymentSpec> = {
  replicas: 2,
  updateStrategy: { type: 'InplaceUpdate', maxUnavailable: 1 },
  preDeleteUpdateStrategy: hook('drain'),
  preInplaceUpdateStrategy: hook('leave'),
  postInplaceUpdateStrategy: hook('join'),
};

const marked = (mark: Partial<Mark>, revision = 'r1') =>
  aPod(revision)
    .annotated({ [MOVE_ANNOTATION]: JSON.stringify({ kind: 'update', attempt: '90', hookRun: 'run', ...mark }) })
    .build();
const updated = (revision = 'r2') =>
  aPod(revision)
    .annotated({ [UPDATED_ANNOTATION]: JSON.stringify({ kind: 'updated', attempt: '90', hookRun: 'run' }) })
    .build();
const run = (pod: Pod, phase: string, attempt = '90') =>
  ({
    metadata: {
      name: 'run',
      creationTimestamp: iso(NOW - 1_000),
      labels: { [POD_UID_LABEL]: pod.metadata.uid!, [ATTEMPT_LABEL]: attempt },
    },
    spec: { metrics: [] },
    status: { phase, finishedAt: iso(NOW - 500) },
  }) as never;
const ask = (given: Pod[], hookRuns: never[] = [], more: Parameters<typeof plan>[0] = {}) =>
  plan({ spec, hookTemplates, pods: given, hookRuns, ...more });

describe('the hook before an update in place', () => {
  it('is preInplace where there is one, and the mark says so', () => {
    expect(ask(pods(2, 'r1')).moves).toMatchObject([
      {
        act: 'mark',
        template: 'leave',
        mark: { kind: 'update', gate: 'preinplace', revision: 'r2', hookRun: expect.stringMatching(/^preinplace-r1-/) },
      },
    ]);
  });

  it('decision 38: is preDelete where there is none', () => {
    const { moves } = ask(pods(2, 'r1'), [], { spec: { ...spec, preInplaceUpdateStrategy: {} } });
    expect(moves).toMatchObject([{ act: 'mark', template: 'drain', mark: { kind: 'update' } }]);
    expect(moves[0]).not.toHaveProperty('mark.gate');
  });

  it('is preDelete where the pod cannot be updated in place and is deleted', () => {
    const recreated = { ...spec, updateStrategy: { type: 'RollingUpdate' as const, maxUnavailable: 1 } };
    expect(ask(pods(2, 'r1'), [], { spec: recreated }).moves).toMatchObject([{ act: 'mark', template: 'drain' }]);
  });

  it('its success opens the gate; that of preDelete does not: the right hook is asked, the place in the budget stays', () => {
    const right = marked({ gate: 'preinplace', revision: 'r2' });
    expect(ask([right, r('r1')], [run(right, 'Successful')]).moves).toMatchObject([
      { act: 'close-gate', pod: right.metadata.name },
    ]);
    const wrong = marked({ revision: 'r2' });
    expect(ask([wrong, r('r1')], [run(wrong, 'Successful')]).moves).toMatchObject([
      { act: 'mark', pod: wrong.metadata.name, mark: { gate: 'preinplace' } },
    ]);
  });

  it('does not open the gate of a scale-in', () => {
    const pod = marked({ gate: 'preinplace', revision: 'r2' });
    const fewer = { spec: { ...spec, replicas: 1 }, allowance: { revision: 'r2', partition: 1, paused: true } };
    const { moves } = ask([pod, aPod('r1').readyFor(9_999_999).build()], [run(pod, 'Successful')], fewer);
    expect(acts(plan({ spec, hookTemplates, pods: [pod] }), 'delete')).toEqual([]);
    expect(moves.filter(({ act }) => act === 'delete')).toEqual([]);
  });

  it.each([
    ['is told which containers change', { name: 'ModifiedContainer[0]' }, 'mark'],
    ['cannot be asked for one more than change', { name: 'ModifiedContainer[1]' }, undefined],
  ])('%s', (_sentence, argument, act) => {
    const templates = { ...hookTemplates, leave: template('leave', [argument]) };
    const p = ask(pods(2, 'r1'), [], { hookTemplates: templates });
    expect(p.moves[0]?.act).toBe(act);
    expect(p.blockers.map(({ reason }) => reason)).toEqual(act ? [] : ['HookArgumentUnresolved']);
  });

  it('row 44: a pod that does not run is updated at once, the other one asks', () => {
    const pending = aPod('r1').phase('Pending').notReady().build();
    const p = ask([r('r1'), pending], [], {
      spec: { ...spec, updateStrategy: { ...spec.updateStrategy, maxUnavailable: 2 } },
    });
    expect(acts(p, 'close-gate').map(({ pod }) => pod)).toEqual([pending.metadata.name]);
    expect(acts(p, 'mark')).toHaveLength(1);
  });

  it('a template that goes while its run is still to be made is said, not tried again and again', () => {
    const pod = marked({ gate: 'preinplace', revision: 'r2' });
    const p = ask([pod, r('r1')], [], { hookTemplates: {} });
    expect([p.moves, p.blockers[0]?.reason]).toEqual([[], 'HookTemplateMissing']);
    expect(p.blockers[0]?.message).toContain('spec.preInplaceUpdateStrategy.hook.templateName');
  });
});

describe('the hook after an update in place (decision 37)', () => {
  it('is asked once the update is completed, not before', () => {
    const pod = updated();
    expect(ask([pod, r('r2')]).moves).toMatchObject([
      { act: 'mark', pod: pod.metadata.name, template: 'join', mark: { kind: 'updated', hookRun: 'run' } },
    ]);
    const restarting = updated();
    restarting.metadata.annotations!['inplace-update-state'] = JSON.stringify({
      revision: 'r2',
      lastContainerStatuses: { game: { containerID: restarting.status!.containerStatuses![0]!.containerID } },
    });
    expect(acts(ask([restarting, r('r2')]), 'mark')).toEqual([]);
  });

  it('while it runs others are updated, and the allowance is not reached', () => {
    const pod = updated();
    const p = ask([pod, r('r1')], [run(pod, 'Running')]);
    expect(p.moves).toMatchObject([{ act: 'mark', template: 'leave' }]);
    const last = ask([pod, r('r2')], [run(pod, 'Running')]);
    expect([last.moves, last.reached, last.blockers[0]?.reason]).toEqual([[], false, 'GateWaiting']);
    expect(ask([r('r2'), r('r2')]).reached).toBe(true);
  });

  it('a success takes the mark off', () => {
    const pod = updated();
    expect(ask([pod, r('r2')], [run(pod, 'Successful')]).moves).toMatchObject([
      { act: 'unmark', kind: 'updated', pod: pod.metadata.name, hookRun: 'run' },
    ]);
  });

  it('another attempt counts for nothing', () => {
    const pod = updated();
    expect(ask([pod, r('r2')], [run(pod, 'Successful', '80')]).moves).toMatchObject([{ act: 'mark' }]);
  });

  it('a failure stops further updates and says so; scaling and healing go on', () => {
    const pod = updated();
    const p = ask([pod, r('r1')], [run(pod, 'Failed')]);
    expect(p.moves).toEqual([]);
    expect(p.blockers[0]).toMatchObject({ reason: 'PostInplaceHookFailed', pod: pod.metadata.name });
    expect(p.blockers[0]?.message).toMatch(
      /ended Failed; send retry or skip, as with `holdfast retry gamedeployment\/lobby -n \S+ --pod \S+`\.$/,
    );
    const more = ask([pod, r('r1')], [run(pod, 'Failed')], { spec: { ...spec, replicas: 3 } });
    expect(more.moves).toMatchObject([{ act: 'create' }]);
    const broken = ask([pod, aPod('r1').phase('Failed').build()], [run(pod, 'Failed')]);
    expect(broken.moves.map(({ act }) => act)).toEqual(['delete']);
  });

  it('what is under way is finished, and what was chosen stays chosen', () => {
    const pod = updated();
    const chosen = marked({ gate: 'preinplace', revision: 'r2' });
    expect(ask([pod, chosen], [run(pod, 'Failed')]).moves).toEqual([]);
    const closed = aPod('r1')
      .condition({
        type: 'InPlaceUpdateReady',
        status: 'False',
        reason: 'StartInPlaceUpdate',
        message: 'r2',
        lastTransitionTime: iso(NOW - 9_000),
      })
      .notReady()
      .build();
    expect(ask([pod, closed], [run(pod, 'Failed')]).moves).toMatchObject([{ act: 'patch-images' }]);
  });

  it.each([
    ['retry asks anew', { retriedAtMs: NOW }, { act: 'mark', mark: { kind: 'updated', attempt: '100' } }],
    ['skip lets it be', { skippedAtMs: NOW }, { act: 'unmark', kind: 'updated' }],
  ])('%s', (_sentence, gates, move) => {
    const pod = updated();
    expect(ask([pod, r('r2')], [run(pod, 'Error')], { gates }).moves).toMatchObject([move]);
  });

  it('a retry lets others go on when it has succeeded', () => {
    const retried = updated();
    const mark = { kind: 'updated', attempt: '90', hookRun: 'run', isRetry: true };
    retried.metadata.annotations![UPDATED_ANNOTATION] = JSON.stringify(mark);
    expect(ask([retried, r('r1')], [run(retried, 'Running')]).moves).toEqual([]);
    const again = ask([retried, r('r1')], [run(retried, 'Failed')], { gates: { retriedAtMs: NOW } });
    expect(again.moves).toMatchObject([{ act: 'mark', mark: { isRetry: true, attempt: '100' } }]);
    expect(acts(ask([retried, r('r1')], [run(retried, 'Successful')]), 'mark')).toMatchObject([{ template: 'leave' }]);
  });

  it('another target, and a way back, are not held by it', () => {
    const pod = updated();
    const back = { allowance: { revision: 'r1', partition: 0, paused: false } };
    const p = ask([pod, r('r1')], [run(pod, 'Failed')], back);
    expect(p.moves).toMatchObject([{ act: 'mark', pod: pod.metadata.name, mark: { revision: 'r1' } }]);
    expect(p.blockers.map(({ reason }) => reason)).not.toContain('PostInplaceHookFailed');
    const stable = updated('r1');
    expect(ask([stable, r('r2')], [run(stable, 'Failed')], back).moves).toMatchObject([{ act: 'mark' }]);
  });

  it('a missing template holds updates as a failure does', () => {
    const { drain, leave } = hookTemplates;
    const p = ask([updated(), r('r1')], [], { hookTemplates: { drain, leave } });
    expect([p.moves, p.blockers[0]?.reason]).toEqual([[], 'HookTemplateMissing']);
    expect(p.blockers[0]?.message).toMatch(
      /^spec\.postInplaceUpdateStrategy\.hook\.templateName: .* skip does not pass it: /,
    );
  });

  it('a mark without a hook in the spec is taken off', () => {
    expect(ask([updated(), r('r2')], [], { spec: { ...spec, postInplaceUpdateStrategy: {} } }).moves).toMatchObject([
      { act: 'unmark', kind: 'updated' },
    ]);
  });
});

describe("people's words about one pod", () => {
  it.each([['retriedAtMs'], ['skippedAtMs']] as const)('%s counts for the pod that is named', (word) => {
    const pod = marked({ gate: 'preinplace', revision: 'r2' });
    const gates = (name: string) => ({ gates: { pods: { [name]: { [word]: NOW } } } });
    const failed = [run(pod, 'Failed')];
    expect(ask([pod, r('r1')], failed, gates('another')).blockers[0]?.reason).toBe('GateFailed');
    expect(ask([pod, r('r1')], failed, gates(pod.metadata.name)).moves).toHaveLength(1);
  });

  it.each([
    ['before an update', () => marked({ gate: 'preinplace', revision: 'r2' })],
    ['after it', () => updated()],
  ])('abort ends a hook that runs %s; it is then one that failed', (_sentence, podOf) => {
    const pod = podOf();
    const gates = { gates: { pods: { [pod.metadata.name]: { abortedAtMs: NOW - 900 } } } };
    expect(ask([pod, r('r2')], [run(pod, 'Running')], gates).moves).toMatchObject([
      { act: 'end-hook', hookRun: 'run' },
    ]);
    const told = { ...(run(pod, 'Running') as object), spec: { metrics: [], terminate: true } } as never;
    expect(ask([pod, r('r2')], [told], gates).moves).toEqual([]);
    const ended = ask([pod, r('r2')], [run(pod, 'Terminated')], gates);
    expect(ended.moves).toEqual([]);
    expect(ended.blockers[0]?.reason).toMatch(/Failed$/);
  });

  it('a hook that was asked after an abort runs on', () => {
    const pod = updated();
    const gates = { gates: { abortedAtMs: NOW - 1_001 } };
    expect(ask([pod, r('r2')], [run(pod, 'Running')], gates).moves).toEqual([]);
  });
});
