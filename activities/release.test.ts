import { describe, expect, it } from 'vitest';
import { gateOf } from '../core/pods.ts';
import type { Pod } from '../crds/kubernetes.ts';
import type { EventNote } from '../kubernetes/event-notes.ts';
import { eventually } from '../test/support/eventually.ts';
import { apiError } from '../test/support/fake-cluster.ts';
import { anAttempt, KEY, PodScene } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { releasePods } from './release.ts';

const notes: EventNote[] = [];
const portsOf = ({ ports }: PodScene) => ({
  ...ports,
  recorder: { record: (note: EventNote) => void notes.push(note) },
});

const putRun = (scene: PodScene, podUid: string) =>
  scene.cluster.put('hookruns', {
    metadata: { name: 'predelete-a', namespace: 'default', labels: { 'holdfast.dev/pod-uid': podUid } },
  });

const request = { key: KEY, uid: 'uid-lobby' };

const closed = (pod: Pod, message: string) => {
  const conditions = pod.status!.conditions!.filter(({ type }) => type !== 'InPlaceUpdateReady');
  const gate = { type: 'InPlaceUpdateReady', status: 'False' as const, reason: 'StartInPlaceUpdate', message };
  pod.status!.conditions = [...conditions, gate];
};

/** Its gate is closed for r2; the image is still the one of before. */
const inItsGrace = (pod: Pod) => closed(pod, 'r2');

/** W2 was written; the container is still the one of before. */
const restarting = (pod: Pod) => {
  closed(pod, 'r2');
  const container = pod.status!.containerStatuses![0]!;
  const lastContainerStatuses = { game: { imageID: container.imageID, containerID: container.containerID } };
  const state = { revision: 'r2', updateTimestamp: '2026-11-30T12:00:00Z', lastContainerStatuses };
  pod.metadata.annotations = { 'inplace-update-state': JSON.stringify(state) };
};

describe('releasePods', () => {
  it('removes marks and their HookRuns', async () => {
    const scene = new PodScene();
    const mark = JSON.stringify({ kind: 'scale-in', attempt: '1', hookRun: 'predelete-a' });
    const annotations = { 'holdfast.dev/move': mark, 'io.tencent.bcs.dev/game-pod-deleting': 'true', mine: 'stays' };
    scene.cluster.put('pods', aPod('r1', 'lobby-a').annotated(annotations).build());
    const { uid } = scene.cluster.pod('lobby-a')!.metadata;
    putRun(scene, uid!);
    await releasePods(portsOf(scene), request, anAttempt());
    expect(scene.cluster.pod('lobby-a')!.metadata.annotations).toEqual({ mine: 'stays' });
    expect(scene.cluster.all('hookruns')).toEqual([]);
  });

  it('leaves a HookRun that a mark names and that was made for another pod', async () => {
    const scene = new PodScene();
    const mark = JSON.stringify({ kind: 'scale-in', attempt: '1', hookRun: 'predelete-a' });
    scene.cluster.put('pods', aPod('r1', 'lobby-a').annotated({ 'holdfast.dev/move': mark }).build());
    putRun(scene, 'another pod');
    await releasePods(portsOf(scene), request, anAttempt());
    expect(scene.cluster.pod('lobby-a')!.metadata.annotations).toEqual({});
    expect(scene.cluster.all('hookruns')).toMatchObject([{ metadata: { name: 'predelete-a' } }]);
  });

  it('of the two kinds under one name each lets go of its own pods only', async () => {
    const scene = new PodScene();
    const mark = JSON.stringify({ kind: 'scale-in', attempt: '1', hookRun: 'predelete' });
    const marked = (name: string, labels: Record<string, string>) => {
      const pod = aPod('r1', name).annotated({ 'holdfast.dev/move': mark }).build();
      scene.cluster.put('pods', { ...pod, metadata: { ...pod.metadata, labels } });
    };
    marked('lobby-a', { 'tkex.bkbcs.tencent.com/gamedeployment-instance-id': 'a' });
    marked('lobby-0', { 'gamestatefulset.kubernetes.io/pod-ordinal': '0' });
    marked('arena-0', { 'gamestatefulset.kubernetes.io/pod-ordinal': '0' });
    await releasePods(portsOf(scene), { ...request, key: { ...KEY, kind: 'GameStatefulSet' } }, anAttempt());
    const stillMarked = scene.cluster
      .all<Pod>('pods')
      .flatMap(({ metadata }) => (metadata.annotations?.['holdfast.dev/move'] === undefined ? [] : [metadata.name]));
    expect(stillMarked).toEqual(['lobby-a', 'arena-0']);
  });

  it('opens the gate of a pod in its grace: it keeps its old image', async () => {
    const scene = new PodScene();
    scene.cluster.put('pods', aPod('r1', 'lobby-a').with(inItsGrace).build());
    await releasePods(portsOf(scene), request, anAttempt());
    expect(gateOf(scene.cluster.pod('lobby-a')!)).toBe('open');
  });

  it('waits for the evidence of a restart', async () => {
    const scene = new PodScene();
    scene.cluster.put('pods', aPod('r2', 'lobby-a').with(restarting).build());
    const releasing = releasePods(portsOf(scene), request, anAttempt());
    await eventually('it has looked twice', () => scene.cluster.requests.filter((r) => r === 'list pods').length > 1);
    expect(gateOf(scene.cluster.pod('lobby-a')!)).toBe('closed');
    scene.cluster.touch('lobby-a', (pod) => {
      Object.assign(pod.status!.containerStatuses![0]!, { containerID: 'containerd://new' });
    });
    await releasing;
    expect(gateOf(scene.cluster.pod('lobby-a')!)).toBe('open');
  });

  it('says on the pod what keeps it from being let go, and fails so that it is tried again', async () => {
    const scene = new PodScene();
    scene.cluster.put('pods', aPod('r1', 'lobby-a').with(inItsGrace).build());
    const error = apiError('forbidden', 'a webhook says no');
    scene.cluster.fail({ verb: 'patch', name: 'lobby-a', error, times: 9 });
    // The time in which a restart may be proven is over at once.
    let at = 0;
    scene.monotonicMs = () => (at += 40_000);
    await expect(releasePods(portsOf(scene), request, anAttempt())).rejects.toThrow('could not be released');
    expect(notes).toMatchObject([
      {
        ...{ type: 'Warning', reason: 'FailedRelease', regarding: { kind: 'Pod', name: 'lobby-a' } },
        note: 'GameDeployment lobby is gone, and this pod could not be let go of: a webhook says no; it is tried again.',
      },
    ]);
  });

  it.each([
    ['a pod that has a controller', (scene: PodScene, pod: Pod) => scene.adopt(pod)],
    [
      'a pod that is not named as ours',
      (scene: PodScene, pod: Pod) =>
        scene.cluster.put('pods', { ...pod, metadata: { ...pod.metadata, name: 'other-a' } }),
    ],
  ])('leaves %s alone', async (_sentence, put) => {
    const scene = new PodScene();
    const pod = put(
      scene,
      aPod('r1', 'lobby-a')
        .with((each) => closed(each, 'r2'))
        .build(),
    );
    await releasePods(portsOf(scene), request, anAttempt());
    expect(scene.cluster.pod(pod.metadata.name)!.metadata.resourceVersion).toBe(pod.metadata.resourceVersion);
  });
});
