import { describe, expect, it } from 'vitest';
import { markOf } from '../core/plan/pod-view.ts';
import type { Mark, Move } from '../core/plan/types.ts';
import type { HookRun } from '../crds/hook-run.ts';
import type { HookTemplate } from '../crds/hook-template.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { apiError } from '../test/support/fake-cluster.ts';
import { anAttempt, itemOf, PodScene } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { runMoves } from './moves.ts';

const HOOK_RUN = 'predelete-r1-a-drain-100';

function aScene(args?: { name: string; value?: string }[]): { scene: PodScene; pod: Pod } {
  const scene = new PodScene({ preDeleteUpdateStrategy: { hook: { templateName: 'drain' } } });
  const template: HookTemplate = {
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'HookTemplate',
    metadata: { name: 'drain', namespace: 'default' },
    spec: { args, metrics: [{ name: 'idle', provider: { web: { url: 'http://127.0.0.1/', jsonPath: '{$.n}' } } }] },
  };
  scene.cluster.put('hooktemplates', template);
  return { scene, pod: scene.adopt(aPod('r1', 'lobby-a').build()) };
}

const mark: Mark = { kind: 'scale-in', attempt: '100', hookRun: HOOK_RUN };
const marking = (pod: Pod): Move => ({ act: 'mark', ...itemOf(pod), mark, template: 'drain' });
const run = (scene: PodScene, item: Move) => runMoves(scene.ports, scene.moveRequest([item]), anAttempt());
const annotationsOf = (scene: PodScene) => scene.cluster.pod('lobby-a')!.metadata.annotations ?? {};

describe('mark', () => {
  it('writes the mark first, then the HookRun that carries uid and attempt', async () => {
    const { scene, pod } = aScene();
    const result = await run(scene, marking(pod));
    expect([result.done, result.unresolved]).toEqual([1, []]);
    expect(markOf(scene.cluster.pod('lobby-a')!)).toEqual(mark);
    expect(annotationsOf(scene)['io.tencent.bcs.dev/game-pod-deleting']).toBe('true');
    const [hookRun] = scene.cluster.all<HookRun>('hookruns');
    expect(hookRun!.metadata.name).toBe(HOOK_RUN);
    expect(hookRun!.metadata.labels).toMatchObject({
      'hookrun-type': 'pre-delete-step',
      'holdfast.dev/pod-uid': pod.metadata.uid,
      'holdfast.dev/attempt': '100',
    });
    expect(result.written.hookruns).toBe(hookRun!.metadata.resourceVersion);
    expect(scene.cluster.requests).toEqual(['patch pods lobby-a', `create hookruns ${HOOK_RUN}`]);
  });

  it("an existing operator's HookRun for the pod is ended when ours has taken its place (decision 2)", async () => {
    const { scene, pod } = aScene();
    const put = (name: string, instance: string) =>
      scene.cluster.put('hookruns', {
        ...{ apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'HookRun', spec: { metrics: [] } },
        metadata: {
          ...{ name, namespace: 'default', ownerReferences: pod.metadata.ownerReferences },
          labels: { 'hookrun-type': 'pre-delete-step', 'workload-revision': 'r1', 'instance-id': instance },
        },
      });
    put('predelete-r1-a-drain', 'a');
    put('predelete-r1-b-drain', 'b');
    expect((await run(scene, marking(pod))).done).toBe(1);
    const left = scene.cluster.all<HookRun>('hookruns').map(({ metadata }) => metadata.name);
    expect(left.sort()).toEqual([HOOK_RUN, 'predelete-r1-b-drain']);
  });

  it('a mark that is there already only gets its missing HookRun', async () => {
    const { scene } = aScene();
    const pod = scene.cluster.touch('lobby-a', ({ metadata }) => {
      metadata.annotations = { 'holdfast.dev/move': JSON.stringify(mark) };
    });
    expect((await run(scene, marking(pod))).done).toBe(1);
    expect(scene.cluster.requests).toEqual([`create hookruns ${HOOK_RUN}`]);
  });

  it('a HookRun that exists for this pod and attempt is not made twice', async () => {
    const { scene, pod } = aScene();
    scene.cluster.fail({ verb: 'create', plural: 'hookruns', error: apiError('network'), commits: true });
    expect((await run(scene, marking(pod))).done).toBe(1);
    expect(scene.cluster.all('hookruns')).toHaveLength(1);
  });

  it('without an answer to the HookRun the mark is repeated by the next plan', async () => {
    const { scene, pod } = aScene();
    scene.cluster.fail({ verb: 'create', plural: 'hookruns', error: apiError('network') });
    const result = await run(scene, marking(pod));
    expect([result.done, result.moved, result.unresolved]).toEqual([0, 1, []]);
  });

  it('an argument without a value refuses before anything is written', async () => {
    const { scene, pod } = aScene([{ name: 'server' }]);
    const result = await run(scene, marking(pod));
    expect(result.refusal).toBe('Marking pod lobby-a was refused: HookTemplate drain: spec.args server has no value.');
    expect(scene.cluster.requests).toEqual([]);
  });

  it('a pod that somebody changed is not marked', async () => {
    const { scene, pod } = aScene();
    scene.cluster.touch('lobby-a');
    expect((await run(scene, marking(pod))).moved).toBe(1);
    expect(scene.cluster.all('hookruns')).toEqual([]);
  });
});

describe('unmark', () => {
  it('takes the mark off, then ends and removes the HookRun', async () => {
    const { scene, pod } = aScene();
    await run(scene, marking(pod));
    const marked = scene.cluster.pod('lobby-a')!;
    const result = await run(scene, { act: 'unmark', ...itemOf(marked), hookRun: HOOK_RUN });
    expect(result.done).toBe(1);
    expect(annotationsOf(scene)).toEqual({});
    expect(scene.cluster.all('hookruns')).toEqual([]);
  });

  it('a HookRun that is gone already is no problem', async () => {
    const { scene } = aScene();
    const pod = scene.cluster.touch('lobby-a', ({ metadata }) => {
      metadata.annotations = { 'holdfast.dev/move': JSON.stringify(mark) };
    });
    expect((await run(scene, { act: 'unmark', ...itemOf(pod), hookRun: HOOK_RUN })).done).toBe(1);
  });
});

describe('fence', () => {
  it('raises the version, each time anew', async () => {
    const { scene, pod } = aScene();
    await run(scene, { act: 'fence', ...itemOf(pod) });
    const once = scene.cluster.pod('lobby-a')!;
    await run(scene, { act: 'fence', ...itemOf(once) });
    const twice = scene.cluster.pod('lobby-a')!;
    const versions = [pod, once, twice].map(({ metadata }) => Number(metadata.resourceVersion));
    expect(versions[1]).toBeGreaterThan(versions[0]!);
    expect(versions[2]).toBeGreaterThan(versions[1]!);
  });

  it('is not needed on a version that nothing can land on any more', async () => {
    const { scene, pod } = aScene();
    scene.cluster.touch('lobby-a');
    expect((await run(scene, { act: 'fence', ...itemOf(pod) })).moved).toBe(1);
  });
});
