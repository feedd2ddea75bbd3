import { afterEach, describe, expect, it } from 'vitest';
import { gateOf } from '../core/pods.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { eventually } from '../test/support/eventually.ts';
import { apiError } from '../test/support/fake-cluster.ts';
import { PodScene } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { type GateOpener, startGateOpener } from './gate-opener.ts';

const openers: GateOpener[] = [];

afterEach(async () => {
  await Promise.all(openers.splice(0).map((opener) => opener.stop()));
});

function start({ ports }: PodScene, isAlone = false): void {
  openers.push(startGateOpener({ ...ports, patienceMs: 0, isAlone: () => isAlone }));
}

const without = (change: (pod: Pod) => void = () => undefined) =>
  aPod('r2', 'lobby-a')
    .with((pod) => {
      pod.status!.conditions = [];
      change(pod);
    })
    .build();

/** Opened, as soon as a pod that surely is opened later in the same round has been. */
async function isOpened(scene: PodScene, isAlone = false): Promise<boolean> {
  scene.adopt(
    aPod('r2', 'lobby-z')
      .with((pod) => Object.assign(pod.status!, { conditions: [] }))
      .build(),
  );
  start(scene, isAlone);
  await eventually('the last gate is open', () => gateOf(scene.cluster.pod('lobby-z')!) === 'open');
  return gateOf(scene.cluster.pod('lobby-a')!) === 'open';
}

describe('the gate opener', () => {
  it('opens a gate that is absent', async () => {
    const scene = new PodScene();
    scene.adopt(without());
    expect(await isOpened(scene)).toBe(true);
  });

  it.each<[string, (pod: Pod) => void]>([
    [
      'a gate that an update closed',
      (pod) => {
        pod.status!.conditions = [{ type: 'InPlaceUpdateReady', status: 'False', reason: 'StartInPlaceUpdate' }];
      },
    ],
    [
      'a pod that terminates',
      (pod) => {
        pod.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
      },
    ],
    [
      'a pod without our gate',
      (pod) => {
        pod.spec.readinessGates = [];
      },
    ],
  ])('leaves %s alone', async (_sentence, change) => {
    const scene = new PodScene();
    scene.adopt(without(change));
    expect(await isOpened(scene)).toBe(false);
  });

  it('leaves a pod alone whose gate a move attempt of the process has in hand', async () => {
    const scene = new PodScene();
    const { metadata } = scene.adopt(without());
    scene.ports.gatesInHand.add(metadata.uid ?? '');
    expect(await isOpened(scene)).toBe(false);
  });

  it('leaves the pods of others alone', async () => {
    const scene = new PodScene();
    scene.cluster.put('pods', without());
    expect(await isOpened(scene)).toBe(false);
  });

  describe('a gate behind an update in place', () => {
    const updated = (containerID: string) =>
      aPod('r2', 'lobby-a')
        .with((pod) => {
          const lastContainerStatuses = { game: { containerID: 'c-1' } };
          const state = JSON.stringify({ revision: 'r2', updateTimestamp: '', lastContainerStatuses });
          pod.metadata.annotations = { ...pod.metadata.annotations, 'inplace-update-state': state };
          pod.status!.conditions = [
            { type: 'InPlaceUpdateReady', status: 'False', reason: 'StartInPlaceUpdate', message: 'r2' },
          ];
          Object.assign(pod.status!.containerStatuses![0]!, { containerID, image: pod.spec.containers[0]!.image });
        })
        .build();

    it.each<[string, string, boolean, boolean]>([
      ['is opened when the restart is proven and nobody else does it', 'c-2', true, true],
      ['is left to the workload while there is one', 'c-2', false, false],
      ['stays closed before the restart', 'c-1', true, false],
    ])('%s', async (_sentence, containerID, isAlone, want) => {
      const scene = new PodScene();
      scene.adopt(updated(containerID));
      expect(await isOpened(scene, isAlone)).toBe(want);
    });

    it('stays closed while the annotation suspend freezes every move', async () => {
      const scene = new PodScene();
      const { workload } = scene;
      const annotations = { 'holdfast.dev/suspend': 'true' };
      scene.cluster.put('gamedeployments', { ...workload, metadata: { ...workload.metadata, annotations } });
      scene.adopt(updated('c-2'));
      expect(await isOpened(scene, true)).toBe(false);
    });
  });

  it('leaves a pod alone that changes: it is at work, or createPods opens its gate', async () => {
    const scene = new PodScene();
    let nowMs = 0;
    scene.monotonicMs = () => nowMs;
    scene.adopt(without());
    scene.adopt(without(({ metadata }) => Object.assign(metadata, { name: 'lobby-b', uid: 'uid-lobby-b' })));
    openers.push(startGateOpener(scene.ports));
    nowMs = 1_900;
    scene.cluster.touch('lobby-a');
    nowMs = 2_000;
    await eventually('the other gate is open', () => gateOf(scene.cluster.pod('lobby-b')!) === 'open');
    expect(gateOf(scene.cluster.pod('lobby-a')!)).toBe('absent');
    for (nowMs of [3_800, 5_600, 6_000]) scene.cluster.touch('lobby-a');
    await eventually('the gate is open', () => gateOf(scene.cluster.pod('lobby-a')!) === 'open');
  });

  it('tries again after a failure', async () => {
    const scene = new PodScene();
    scene.adopt(without());
    scene.cluster.fail({ verb: 'patch', name: 'lobby-a', error: apiError('unavailable') });
    start(scene);
    await eventually('the gate is open', () => gateOf(scene.cluster.pod('lobby-a')!) === 'open');
  });
});
