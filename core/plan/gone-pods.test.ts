import { describe, expect, it } from 'vitest';
import type { GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { acts, plan, r } from '../../test/support/plans.ts';
import { aPod, iso, NOW, planInput } from '../../test/support/pods.ts';
import { UPDATED_ANNOTATION } from '../keys.ts';
import { namesWithoutUse } from './gone-pods.ts';
import type { GateDecisions } from './types.ts';

const join = { metadata: { name: 'join' }, spec: { metrics: [] } } as unknown as HookTemplate;
const spec: Partial<GameDeploymentSpec> = {
  replicas: 4,
  updateStrategy: { type: 'InplaceUpdate', maxUnavailable: 2 },
  postInplaceUpdateStrategy: { hook: { templateName: 'join' } },
};
const FAILED_AT = NOW - 1_000;

const owing = () =>
  aPod('r2')
    .annotated({ [UPDATED_ANNOTATION]: JSON.stringify({ kind: 'updated', attempt: '90', hookRun: 'run' }) })
    .build();
const run = (phase = 'Failed', { uid = 'gone', revision = 'r2' } = {}) =>
  ({
    metadata: {
      name: 'run',
      creationTimestamp: iso(NOW - 3_000),
      labels: {
        'hookrun-type': 'post-inplace-step',
        'workload-revision': revision,
        'instance-id': 'x7k2p',
        'holdfast.dev/pod-uid': uid,
        'holdfast.dev/attempt': '90',
      },
    },
    spec: { metrics: [] },
    status: { phase, finishedAt: iso(FAILED_AT) },
  }) as unknown as HookRun;
const ask = (given: Pod[], hookRuns: HookRun[], more: Parameters<typeof plan>[0] = {}) =>
  plan({ spec, hookTemplates: { join }, pods: given, hookRuns, ...more });
const isHeld = ({ moves, blockers }: ReturnType<typeof plan>) =>
  !moves.some(({ act }) => act === 'close-gate') && blockers.some(({ reason }) => reason === 'PostInplaceHookFailed');

describe('decision 37: the hook after an update failed, and its pod goes away', () => {
  const old = [r('r1'), r('r1'), r('r1')];

  it.each<[string, string, (pod: Pod) => Pod[]]>([
    ['has failed', 'delete', (pod) => [{ ...pod, status: { ...pod.status, phase: 'Failed' } }]],
    ['is on its way out', 'create', (pod) => [{ ...pod, metadata: { ...pod.metadata, deletionTimestamp: iso(NOW) } }]],
    ['is gone', 'create', () => []],
  ])('updates stay held where the pod %s; it is replaced', (_sentence, heals, left) => {
    const pod = owing();
    const p = ask([...left(pod), ...old], [run('Failed', { uid: pod.metadata.uid! })]);
    expect([isHeld(p), p.moves.map(({ act }) => act)]).toEqual([true, [heals]]);
  });

  it('updates stay held while it crashes and comes up again', () => {
    const state = {
      ...{ revision: 'r2', updateTimestamp: iso(NOW - 60_000), podGeneration: 1 },
      lastContainerStatuses: { game: { imageID: 'sha256:r1', containerID: 'containerd://before', restartCount: 0 } },
    };
    const pod = owing();
    pod.metadata.annotations!['inplace-update-state'] = JSON.stringify(state);
    const ofIt = run('Failed', { uid: pod.metadata.uid! });
    expect(isHeld(ask([pod, ...old], [ofIt]))).toBe(true);
    const crashing = structuredClone(pod);
    const [status] = crashing.status!.containerStatuses!;
    Object.assign(status!, { ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } });
    const p = ask([crashing, ...old], [ofIt]);
    expect(p.blockers.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(`^HookRun run of pod ${pod.metadata.name} ended Failed; send retry or skip, as with `),
    );
    expect(isHeld(p)).toBe(true);
  });

  it('names the pod, and what ends it', () => {
    const [first] = ask([r('r2'), ...old], [run()]).blockers;
    expect(first?.pod).toMatch(/-x7k2p$/);
    const retry = `holdfast retry gamedeployment/lobby -n default --pod ${first?.pod}`;
    expect(first?.message).toBe(
      `HookRun run of pod ${first?.pod} ended Failed, and the pod is gone; send retry or skip, as with \`${retry}\`, abort the rollout, or delete the HookRun.`,
    );
  });

  it('the allowance is not reached, though no pod is left to owe a hook', () => {
    const all = [r('r2'), r('r2'), r('r2'), r('r2')];
    expect([ask(all, [run()]).reached, ask(all, []).reached]).toEqual([false, true]);
  });

  it.each<[string, GateDecisions, boolean]>([
    ['retry', { retriedAtMs: FAILED_AT }, false],
    ['skip', { skippedAtMs: FAILED_AT }, false],
    ['retry: true of this hook', { hooks: { postinplace: { retriedAtMs: FAILED_AT } } }, false],
    ['retry: true of another hook', { hooks: { predelete: { retriedAtMs: FAILED_AT } } }, true],
    ['an abort, or another template, since', { target: { revision: 'r2', sinceMs: FAILED_AT } }, false],
    ['a way there that began before', { target: { revision: 'r2', sinceMs: FAILED_AT - 1 } }, true],
    ['a word of before', { skippedAtMs: FAILED_AT - 1, retriedAtMs: FAILED_AT - 1 }, true],
  ])('%s', (_word, gates, held) => {
    expect(isHeld(ask([r('r2'), ...old], [run()], { gates }))).toBe(held);
  });

  it('a word about the pod counts, by the name it had', () => {
    const pod = ask([r('r2'), ...old], [run()]).blockers[0]!.pod!;
    const skipped = (name: string) => ({ gates: { pods: { [name]: { skippedAtMs: NOW } } } });
    expect(isHeld(ask([r('r2'), ...old], [run()], skipped(pod)))).toBe(false);
    expect(isHeld(ask([r('r2'), ...old], [run()], skipped('another')))).toBe(true);
  });

  it.each<[string, HookRun]>([
    ['of another revision', run('Failed', { revision: 'r0' })],
    ['that succeeded', run('Successful')],
    ['that we ended, for nobody waits for it', run('Terminated')],
    ['that is being deleted', { ...run(), metadata: { ...run().metadata, deletionTimestamp: iso(NOW) } }],
  ])('a run %s holds nothing', (_sentence, other) => {
    const p = ask([r('r2'), ...old], [other]);
    expect([isHeld(p), acts(p, 'close-gate').length]).toEqual([false, 2]);
  });

  it('one that a person ended holds', () => {
    expect(isHeld(ask([r('r2'), ...old], [run('Terminated')], { gates: { abortedAtMs: NOW - 2_000 } }))).toBe(true);
  });

  it('a pod that is there speaks for itself: its retry has succeeded', () => {
    const pod = r('r2');
    expect(isHeld(ask([pod, ...old], [run('Failed', { uid: pod.metadata.uid! })]))).toBe(false);
  });

  it('nothing is held where the spec has no hook any more, nor on the way back', () => {
    const without = { spec: { ...spec, postInplaceUpdateStrategy: {} } };
    expect(isHeld(ask([r('r2'), ...old], [run()], without))).toBe(false);
    const back = { allowance: { revision: 'r1', partition: 0, paused: false } };
    const p = ask([r('r2'), ...old], [run(), run('Failed', { revision: 'r1' })], back);
    expect(acts(p, 'close-gate')).toHaveLength(1);
  });
});

describe('words about single pods', () => {
  it('are of no use where neither the pod nor a HookRun of it is there', () => {
    const pod = r('r2');
    const named = ['lobby-x7k2p', pod.metadata.name, 'lobby-gone'];
    const gates = { pods: Object.fromEntries(named.map((name) => [name, { skippedAtMs: NOW }])) };
    expect(namesWithoutUse(planInput({ pods: [pod], hookRuns: [run()], gates }))).toEqual(['lobby-gone']);
    expect(namesWithoutUse(planInput({ pods: [], hookRuns: [], gates }))).toEqual(named);
    expect(namesWithoutUse(planInput({ pods: [pod] }))).toEqual([]);
  });
});
