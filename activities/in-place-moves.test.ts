import { describe, expect, it } from 'vitest';
import { imagePatchOf } from '../core/in-place.ts';
import { closeGatePatch, openGatePatch } from '../core/in-place-patches.ts';
import type { Move } from '../core/plan/types.ts';
import { conditionOf, gateOf, revisionOf } from '../core/pods.ts';
import type { PodTemplateSpec } from '../crds/kubernetes.ts';
import { apiError, type Fault } from '../test/support/fake-cluster.ts';
import { anAttempt, itemOf, PodScene, summaryOf } from '../test/support/pod-scene.ts';
import { aPod, iso, NOW, templateOf } from '../test/support/pods.ts';
import { runMoves } from './moves.ts';

const run = (scene: PodScene, items: Move[], attempt = anAttempt()) =>
  runMoves(scene.ports, scene.moveRequest(items), attempt);

const closing = (scene: PodScene, thenPatch: boolean): Move => ({
  act: 'close-gate',
  ...itemOf(scene.adopt(aPod('r1', 'lobby-a').build())),
  revision: 'r2',
  thenPatch,
  spends: true,
});

/** Types of the conditions that a patch writes. */
const typesIn = (patch: object) =>
  (patch as { status: { conditions: { type: string }[] } }).status.conditions.map(({ type }) => type);

/** A revision of `game:r1` whose template has more metadata. */
function recordMetadata(scene: PodScene, name: string, revision: number, metadata: PodTemplateSpec['metadata']): void {
  const template = templateOf('game:r1');
  const labels = { ...template.metadata?.labels, ...metadata?.labels };
  scene.cluster.put('controllerrevisions', {
    metadata: { name, namespace: 'default', labels: { app: 'lobby' }, ownerReferences: [scene.owner] },
    revision,
    data: { spec: { template: { ...template, metadata: { ...metadata, labels } } } },
  } as never);
}

describe('closing a gate', () => {
  it('closes the gate with the target as its message (report 7)', async () => {
    const scene = new PodScene();
    await run(scene, [closing(scene, false)]);
    const pod = scene.cluster.pod('lobby-a')!;
    expect(conditionOf(pod, 'InPlaceUpdateReady')).toEqual({
      type: 'InPlaceUpdateReady',
      status: 'False',
      reason: 'StartInPlaceUpdate',
      message: 'r2',
      lastTransitionTime: iso(NOW),
    });
    expect(pod.spec.containers[0]!.image).toBe('game:r1');
  });

  it('writes the gate alone, Ready and the other conditions are those of the kubelet: closing and opening (game-workloads §5, 36)', async () => {
    const scene = new PodScene();
    const readyOf = () => conditionOf(scene.cluster.pod('lobby-a')!, 'Ready');
    const item = closing(scene, false);
    const ready = readyOf();
    const closed = closeGatePatch(scene.cluster.pod('lobby-a')!, 'r2', NOW);
    const opened = openGatePatch(scene.cluster.pod('lobby-a')!, NOW);
    for (const patch of [closed, opened]) expect(typesIn(patch)).toEqual(['InPlaceUpdateReady']);
    await run(scene, [item]);
    expect([gateOf(scene.cluster.pod('lobby-a')!), readyOf()]).toEqual(['closed', ready]);
    scene.cluster.touch('lobby-a', ({ status }) => {
      status!.conditions = [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' }];
    });
    await run(scene, [{ act: 'open-gate', ...itemOf(scene.cluster.pod('lobby-a')!) }]);
    expect(gateOf(scene.cluster.pod('lobby-a')!)).toBe('open');
    expect(readyOf()).toEqual({ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' });
  });

  it('goes on to the images where there is no grace', async () => {
    const scene = new PodScene();
    const result = await run(scene, [closing(scene, true)]);
    const pod = scene.cluster.pod('lobby-a')!;
    expect([gateOf(pod), revisionOf(pod), pod.spec.containers[0]!.image]).toEqual(['closed', 'r2', 'game:r2']);
    expect(result.written.pods).toBe(pod.metadata.resourceVersion);
  });

  it('the image patch survives a change of the pod in between (report 11)', async () => {
    const scene = new PodScene();
    const item = closing(scene, true);
    scene.cluster.fail({ verb: 'patch', error: apiError('network'), commits: true });
    const before = () => scene.cluster.touch('lobby-a', (pod) => Object.assign(pod.status!, { podIP: '10.0.0.1' }));
    scene.cluster.fail({ verb: 'patch', error: apiError('conflict'), before });
    expect(summaryOf(await run(scene, [item]))).toEqual({ done: 1, moved: 0, unresolved: [] });
    expect(revisionOf(scene.cluster.pod('lobby-a')!)).toBe('r2');
  });

  it('an image patch without an answer is open as itself', async () => {
    const scene = new PodScene();
    const item = closing(scene, true);
    // Only the second patch of the pod fails: the first one changes it.
    const fault: Fault = { verb: 'patch', error: apiError('network'), times: 0 };
    scene.cluster.fail(fault);
    scene.cluster.stores.pods.onChange(() => {
      fault.times = 1;
    });
    const result = await run(scene, [item]);
    expect(summaryOf(result)).toEqual({ done: 0, moved: 0, unresolved: ['patch-images lobby-a unknown'] });
    expect(result.unresolved[0]!.resourceVersion).toBe(scene.cluster.pod('lobby-a')!.metadata.resourceVersion);
  });

  it('a spending write never takes a newer version', async () => {
    const scene = new PodScene();
    const item = closing(scene, false);
    const before = () => scene.cluster.touch('lobby-a');
    scene.cluster.fail({ verb: 'patch', error: apiError('conflict'), before });
    const result = await run(scene, [item]);
    expect(summaryOf(result)).toEqual({ done: 0, moved: 1, unresolved: [] });
    expect(gateOf(scene.cluster.pod('lobby-a')!)).toBe('open');
    expect(result.written.pods).toBe(scene.cluster.pod('lobby-a')!.metadata.resourceVersion);
  });
});

describe('containers in order', () => {
  /** Its first container runs the image of r2; the second has yet to get its own. */
  const halfWay = (scene: PodScene): Move => {
    const state = { revision: 'r2', lastContainerStatuses: {}, pending: ['game'], policy: 'OrderedReady' };
    const gate = { type: 'InPlaceUpdateReady', status: 'False' as const, reason: 'StartInPlaceUpdate', message: 'r2' };
    const pod = aPod('r2', 'lobby-a')
      .annotated({ 'inplace-update-state': JSON.stringify(state) })
      .condition(gate)
      .with(({ spec }) => {
        spec.containers[0]!.image = 'game:r1';
      });
    return { act: 'patch-images', ...itemOf(scene.adopt(pod.build())), revision: 'r2', spends: false };
  };

  it('writes the next one, on a newer version of the pod, too', async () => {
    const scene = new PodScene();
    const item = halfWay(scene);
    scene.cluster.touch('lobby-a');
    expect(summaryOf(await run(scene, [item]))).toEqual({ done: 1, moved: 0, unresolved: [] });
    const pod = scene.cluster.pod('lobby-a')!;
    expect([pod.spec.containers[0]!.image, gateOf(pod)]).toEqual(['game:r2', 'closed']);
    expect(imagePatchOf(pod)?.pending).toBeUndefined();
  });

  it('does not write it once the gate is open', async () => {
    const scene = new PodScene();
    const item = halfWay(scene);
    scene.cluster.touch('lobby-a', ({ status }) => {
      status!.conditions = [{ type: 'InPlaceUpdateReady', status: 'True' }];
    });
    expect(summaryOf(await run(scene, [item]))).toEqual({ done: 0, moved: 1, unresolved: [] });
  });

  it('begins with the first container where the spec asks for an order', async () => {
    const updateStrategy = {
      type: 'InplaceUpdate' as const,
      inPlaceUpdateStrategy: { policy: 'OrderedReady' as const },
    };
    const scene = new PodScene({ updateStrategy });
    const containersOf = (name: string) => ['game', 'side'].map((each) => ({ name: each, image: `${each}:${name}` }));
    for (const [revision, name] of ['two1', 'two2'].entries()) {
      const metadata = { name, namespace: 'default', labels: { app: 'lobby' }, ownerReferences: [scene.owner] };
      const data = { spec: { template: { spec: { containers: containersOf(name) } } } };
      scene.cluster.put('controllerrevisions', { metadata, revision: revision + 3, data } as never);
    }
    const pod = aPod('two1', 'lobby-a').with(({ spec }) => Object.assign(spec, { containers: containersOf('two1') }));
    const item = itemOf(scene.adopt(pod.build()));
    await run(scene, [{ act: 'close-gate', ...item, revision: 'two2', thenPatch: true, spends: true }]);
    const images = scene.cluster.pod('lobby-a')!.spec.containers.map(({ image }) => image);
    expect(images).toEqual(['game:two2', 'side:two1']);
  });
});

describe('moves that spend nothing', () => {
  it('opens the gate of a new pod on a newer version, too', async () => {
    const scene = new PodScene();
    const pod = aPod('r2', 'lobby-a').with(({ status }) => {
      status!.conditions = [];
    });
    const item: Move = { act: 'open-gate', ...itemOf(scene.adopt(pod.build())) };
    scene.cluster.touch('lobby-a');
    expect(summaryOf(await run(scene, [item]))).toEqual({ done: 1, moved: 0, unresolved: [] });
    expect(gateOf(scene.cluster.pod('lobby-a')!)).toBe('open');
  });

  it('does not open a gate that was closed meanwhile', async () => {
    const scene = new PodScene();
    const pod = aPod('r1', 'lobby-a').with(({ status }) => {
      status!.conditions = [];
    });
    const item: Move = { act: 'open-gate', ...itemOf(scene.adopt(pod.build())) };
    scene.cluster.touch('lobby-a', ({ status }) => {
      status!.conditions = [
        { type: 'InPlaceUpdateReady', status: 'False', reason: 'StartInPlaceUpdate', message: 'r2' },
      ];
    });
    expect(summaryOf(await run(scene, [item]))).toEqual({ done: 0, moved: 1, unresolved: [] });
  });

  it('changes metadata and label only, without a restart', async () => {
    const scene = new PodScene();
    const item: Move = { act: 'patch-metadata', ...itemOf(scene.adopt(aPod('r1', 'lobby-a').build())), revision: 'r2' };
    await run(scene, [item]);
    const pod = scene.cluster.pod('lobby-a')!;
    expect([revisionOf(pod), pod.spec.containers[0]!.image]).toEqual(['r2', 'game:r1']);
  });

  it('only keys of the templates are its own: what others put on the pod stays, what the template has no more goes (game-workloads §5, 39)', async () => {
    const scene = new PodScene();
    recordMetadata(scene, 'old', 3, { labels: { tier: 'gold', beta: 'yes' }, annotations: { motd: 'hi', gone: '1' } });
    recordMetadata(scene, 'new', 4, { labels: { tier: 'iron' }, annotations: { motd: 'hello', fresh: '1' } });
    const pod = aPod('old', 'lobby-a').annotated({ motd: 'hi', gone: '1', 'example.com/seen': 'by the mesh' });
    Object.assign(pod.build().metadata.labels!, { tier: 'gold', beta: 'yes', 'example.com/shard': '7' });
    const item: Move = { act: 'patch-metadata', ...itemOf(scene.adopt(pod.build())), revision: 'new' };
    const { labels: before } = scene.cluster.pod('lobby-a')!.metadata;
    expect(summaryOf(await run(scene, [item]))).toEqual({ done: 1, moved: 0, unresolved: [] });
    const { labels, annotations } = scene.cluster.pod('lobby-a')!.metadata;
    const { beta: _, ...kept } = before!;
    expect(labels).toEqual({ ...kept, tier: 'iron', 'controller-revision-hash': 'new' });
    expect(labels).toMatchObject({ 'example.com/shard': '7' });
    expect(annotations).toMatchObject({ motd: 'hello', fresh: '1', 'example.com/seen': 'by the mesh' });
    expect(annotations).not.toHaveProperty('gone');
  });

  it('a revision that is gone is a refusal, in one sentence', async () => {
    const scene = new PodScene();
    const item: Move = { act: 'patch-metadata', ...itemOf(scene.adopt(aPod('r1', 'lobby-a').build())), revision: 'r9' };
    const result = await run(scene, [item]);
    expect(result.refusal).toBe('Changing the metadata of pod lobby-a was refused: Revision r9 is not recorded.');
  });
});
