import { describe, expect, it } from 'vitest';
import { owedMarkOf } from '../core/plan/pod-view.ts';
import type { Mark, Move } from '../core/plan/types.ts';
import type { HookPhase } from '../crds/hook-phase.ts';
import type { HookRun } from '../crds/hook-run.ts';
import type { HookTemplate } from '../crds/hook-template.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { apiError } from '../test/support/fake-cluster.ts';
import { anAttempt, itemOf, PodScene } from '../test/support/pod-scene.ts';
import { aPod, iso, NOW } from '../test/support/pods.ts';
import { runMoves } from './moves.ts';
import { removeStrayRuns } from './stray-runs.ts';

const hook = (templateName: string) => ({ hook: { templateName } });

function aScene(): PodScene {
  const scene = new PodScene({
    updateStrategy: { type: 'InplaceUpdate' },
    preInplaceUpdateStrategy: hook('drain'),
    postInplaceUpdateStrategy: hook('drain'),
  });
  const template: HookTemplate = {
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'HookTemplate',
    metadata: { name: 'drain', namespace: 'default' },
    spec: { metrics: [{ name: 'idle', provider: { web: { url: 'http://127.0.0.1/', jsonPath: '{$.n}' } } }] },
  };
  scene.cluster.put('hooktemplates', template);
  return scene;
}

/** A pod that waits for a run in this phase. */
function aWaitingPod(scene: PodScene, phase: HookPhase, mark: Partial<Mark> = {}): Pod {
  const annotation = JSON.stringify({ kind: 'update', gate: 'preinplace', attempt: '1', hookRun: 'run', ...mark });
  const pod = scene.adopt(aPod('r1', 'lobby-a').annotated({ 'holdfast.dev/move': annotation }).build());
  putRun(scene, 'run', phase, pod.metadata.uid);
  return pod;
}

function putRun(scene: PodScene, name: string, phase: HookPhase, podUid?: string): void {
  const labels = {
    'hookrun-type': 'pre-inplace-step',
    'holdfast.dev/pod-uid': podUid ?? 'gone',
    'holdfast.dev/attempt': '1',
  };
  scene.cluster.put('hookruns', {
    ...{ apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'HookRun', spec: { metrics: [] }, status: { phase } },
    metadata: {
      name,
      namespace: 'default',
      labels,
      ownerReferences: [scene.owner],
      creationTimestamp: iso(NOW - 300_000),
    },
  });
}

const run = (scene: PodScene, item: Move) => runMoves(scene.ports, scene.moveRequest([item]), anAttempt());
const runsIn = (scene: PodScene) =>
  scene.cluster
    .all<HookRun>('hookruns')
    .map(({ metadata }) => metadata.name)
    .sort();

const deletion = (pod: Pod): Move => ({ act: 'delete', ...itemOf(pod), spends: false });
const restart = (pod: Pod): Move => ({
  act: 'close-gate',
  ...itemOf(pod),
  revision: 'r2',
  thenPatch: true,
  spends: false,
});

describe('the run of a hook, once its verdict is used', () => {
  it.each([
    ['its pod is deleted', deletion],
    ['its pod gets new images', restart],
  ])('goes when %s', async (_sentence, moveOf) => {
    const scene = aScene();
    expect((await run(scene, moveOf(aWaitingPod(scene, 'Successful')))).done).toBe(1);
    expect(runsIn(scene)).toEqual([]);
    expect(scene.cluster.requests.at(-1)).toBe('delete hookruns run');
  });

  it('is there as long as its pod may still need it: a delete that was not done removes nothing', async () => {
    const scene = aScene();
    const pod = aWaitingPod(scene, 'Successful');
    scene.cluster.fail({ verb: 'delete', plural: 'pods', error: apiError('network') });
    await run(scene, deletion(pod));
    expect(runsIn(scene)).toEqual(['run']);
  });

  it('one that failed and was skipped is kept for people', async () => {
    const scene = aScene();
    expect((await run(scene, deletion(aWaitingPod(scene, 'Failed')))).done).toBe(1);
    expect(runsIn(scene)).toEqual(['run']);
  });

  it('one that failed since it was seen is kept: it may hold others up when its pod is gone', async () => {
    const scene = aScene();
    const pod = aWaitingPod(scene, 'Running');
    scene.cluster.isHeldBack = true;
    putRun(scene, 'run', 'Failed', pod.metadata.uid);
    expect((await run(scene, deletion(pod))).done).toBe(1);
    expect(runsIn(scene)).toEqual(['run']);
  });

  it.each([
    ['that runs is ended and goes', 'Running' as const, []],
    ['that failed is kept', 'Error' as const, ['run']],
  ])('a new mark takes the place of one whose run %s', async (_sentence, phase, left) => {
    const scene = aScene();
    const pod = aWaitingPod(scene, phase);
    const mark: Mark = { kind: 'update', gate: 'preinplace', revision: 'r2', attempt: '2', hookRun: 'run-2' };
    expect((await run(scene, { act: 'mark', ...itemOf(pod), mark, template: 'drain' })).done).toBe(1);
    expect(runsIn(scene)).toEqual([...left, 'run-2']);
  });

  it('a mark that names the run of another pod ends and removes nothing', async () => {
    const scene = aScene();
    const pod = aWaitingPod(scene, 'Successful', { hookRun: 'foreign' });
    putRun(scene, 'foreign', 'Running', 'another pod');
    expect((await run(scene, deletion(pod))).done).toBe(1);
    expect(runsIn(scene)).toContain('foreign');
    expect(scene.cluster.all<HookRun>('hookruns').map(({ spec }) => spec.terminate)).not.toContain(true);
  });

  it('another run that has taken its name since it was seen is left alone', async () => {
    const scene = aScene();
    const pod = aWaitingPod(scene, 'Successful');
    scene.cluster.isHeldBack = true;
    scene.cluster.remove('hookruns', 'run');
    putRun(scene, 'run', 'Running', 'another pod');
    expect((await run(scene, deletion(pod))).done).toBe(1);
    expect(scene.cluster.all<HookRun>('hookruns')).toMatchObject([
      { metadata: { name: 'run' }, spec: { metrics: [] } },
    ]);
  });

  it('one that cannot be removed is found by the next report', async () => {
    const scene = aScene();
    scene.cluster.fail({ verb: 'delete', plural: 'hookruns', error: apiError('network') });
    await run(scene, deletion(aWaitingPod(scene, 'Successful')));
    expect(runsIn(scene)).toEqual(['run']);
    const { cluster, ports } = scene;
    const hookRuns = cluster.all<HookRun>('hookruns');
    const input = { hookRuns, pods: cluster.all<Pod>('pods'), revisions: [], hookTemplates: {}, nowMs: NOW };
    await removeStrayRuns(ports, { ...input, workload: scene.workload } as never, new AbortController().signal);
    expect(runsIn(scene)).toEqual([]);
  });
});

describe('the hook after an update in place', () => {
  it('is marked with the images; its run carries uid and attempt, and the pod is not written again', async () => {
    const scene = aScene();
    await run(scene, restart(scene.adopt(aPod('r1', 'lobby-a').build())));
    const pod = scene.cluster.pod('lobby-a')!;
    const mark = owedMarkOf(pod)!;
    scene.cluster.requests.length = 0;
    expect((await run(scene, { act: 'mark', ...itemOf(pod), mark, template: 'drain' })).done).toBe(1);
    expect(scene.cluster.requests).toEqual([`create hookruns ${mark.hookRun}`]);
    const labels = scene.cluster.all<HookRun>('hookruns')[0]!.metadata.labels;
    expect(labels).toMatchObject({ 'hookrun-type': 'post-inplace-step', 'holdfast.dev/attempt': mark.attempt });
    expect(labels?.['holdfast.dev/pod-uid']).toBe(pod.metadata.uid);
    expect(pod.metadata.annotations?.['io.tencent.bcs.dev/game-pod-deleting']).toBeUndefined();
  });

  it('a success takes the mark off and the run away', async () => {
    const scene = aScene();
    await run(scene, restart(scene.adopt(aPod('r1', 'lobby-a').build())));
    const pod = scene.cluster.pod('lobby-a')!;
    const { hookRun } = owedMarkOf(pod)!;
    putRun(scene, hookRun, 'Successful', pod.metadata.uid);
    expect((await run(scene, { act: 'unmark', ...itemOf(pod), hookRun, kind: 'updated' })).done).toBe(1);
    expect([owedMarkOf(scene.cluster.pod('lobby-a')!), runsIn(scene)]).toEqual([undefined, []]);
  });
});

describe('end-hook', () => {
  it('tells the run to end, and writes no pod', async () => {
    const scene = aScene();
    const pod = aWaitingPod(scene, 'Running');
    const result = await run(scene, { act: 'end-hook', ...itemOf(pod), hookRun: 'run' });
    expect(scene.cluster.all<HookRun>('hookruns')[0]!.spec.terminate).toBe(true);
    expect([result.done, scene.cluster.requests]).toEqual([1, ['patch hookruns run']]);
    expect(result.written.hookruns).toBeDefined();
  });

  it('a run of another pod is none', async () => {
    const scene = aScene();
    const pod = scene.adopt(aPod('r1', 'lobby-a').build());
    putRun(scene, 'run', 'Running', 'another pod');
    const result = await run(scene, { act: 'end-hook', ...itemOf(pod), hookRun: 'run' });
    expect([result.moved, scene.cluster.requests]).toEqual([1, []]);
  });

  it('a run that is gone is nothing to end', async () => {
    const scene = aScene();
    const pod = scene.adopt(aPod('r1', 'lobby-a').build());
    expect((await run(scene, { act: 'end-hook', ...itemOf(pod), hookRun: 'run' })).moved).toBe(1);
  });
});
