import { describe, expect, it } from 'vitest';
import type { Pod, PodTemplateSpec } from '../crds/kubernetes.ts';
import { acts, plan, r } from '../test/support/plans.ts';
import { aPod, iso, NOW } from '../test/support/pods.ts';
import { aSetPod, PARALLEL, setPlan, told } from '../test/support/sets.ts';
import { inPlaceStageOf, isPatchPending } from './in-place.ts';
import { type ImageChange, type InPlacePolicy, patchImagesPatch } from './in-place-patches.ts';
import { GATE_CLOSED_REASON, IN_PLACE_STATE_ANNOTATION, READINESS_GATE } from './keys.ts';
import type { Revision } from './plan/types.ts';

const CONTAINERS = ['game', 'side', 'log'];

const template = (version: string, more: Partial<PodTemplateSpec> = {}): PodTemplateSpec => ({
  spec: { containers: CONTAINERS.map((name) => ({ name, image: `${name}:${version}` })) },
  ...more,
});
const revision = (version: number, more?: Partial<PodTemplateSpec>): Revision => ({
  name: `r${version}`,
  number: version,
  template: template(String(version), more),
});
const [r1, r2, r3] = [revision(1), revision(2), revision(3)];

const status = (name: string, version: number, ready = true) => ({
  ...{ name, ready, image: `${name}:${version}`, imageID: `sha256:${name}:${version}` },
  ...{ containerID: `containerd://${name}-${version}`, restartCount: version - 1, state: { running: {} } },
});

/** A pod of r1 with three containers. */
const threefold = (): Pod =>
  aPod('r1')
    .with((pod) => {
      pod.spec.containers = structuredClone(r1.template.spec.containers);
      pod.status!.containerStatuses = CONTAINERS.map((name) => status(name, 1));
    })
    .build();

interface Written {
  metadata: { labels: Record<string, string>; annotations: Record<string, string | null> };
  spec?: { containers: { name: string; image: string }[] };
}

/** Writes the images as the activity does, and answers which. */
function write(pod: Pod, to: Revision, policy?: InPlacePolicy, from = r1): string[] {
  const change: ImageChange = { from: from.template, to, policy };
  const { metadata, spec } = patchImagesPatch(pod, change, NOW) as Written;
  Object.assign(pod.metadata.labels!, metadata.labels);
  Object.assign(pod.metadata.annotations!, metadata.annotations);
  const images = new Map(spec?.containers.map(({ name, image }) => [name, image]));
  for (const container of pod.spec.containers) container.image = images.get(container.name) ?? container.image;
  pod.metadata.generation! += images.size > 0 ? 1 : 0;
  const condition = { type: READINESS_GATE, status: 'False' as const, reason: GATE_CLOSED_REASON, message: to.name };
  pod.status!.conditions = [
    { ...condition, lastTransitionTime: iso(NOW) },
    { type: 'Ready', status: 'False', lastTransitionTime: iso(NOW) },
  ];
  return [...images.values()];
}

function runs(pod: Pod, name: string, version: number, ready = true): void {
  const others = pod.status!.containerStatuses!.filter((container) => container.name !== name);
  pod.status!.containerStatuses = [...others, status(name, version, ready)];
}

const inPlaceStateOf = ({ metadata }: Pod): { operation?: string } =>
  JSON.parse(metadata.annotations?.[IN_PLACE_STATE_ANNOTATION] ?? '{}');
/** As a store has it: another object for each version. */
const seen = <T>(pods: T): T => structuredClone(pods);
const stage = (pod: Pod) => inPlaceStageOf(seen(pod)).stage;
const spec = { replicas: 2, updateStrategy: { type: 'InplaceUpdate' as const, maxUnavailable: 1 } };
const planOf = (pod: Pod, { pods = [pod, r('r2')], ...more }: Parameters<typeof plan>[0] = {}) =>
  plan({ spec, revisions: [r1, r2, r3], pods: seen(pods), ...more });

describe('inPlaceUpdateStrategy.policy (game-workloads §1.1)', () => {
  it.each<[policy: InPlacePolicy | undefined, images: string[]]>([
    [undefined, ['game:2', 'side:2', 'log:2']],
    ['DisOrdered', ['game:2', 'side:2', 'log:2']],
    ['OrderedReady', ['game:2']],
    ['OrderedUpdated', ['game:2']],
  ])('%s: the first write has %s', (policy, images) => {
    const pod = threefold();
    expect(write(pod, r2, policy)).toEqual(images);
    expect(stage(pod)).toBe('restarting');
  });

  it.each<[policy: InPlacePolicy, ready: boolean, want: string]>([
    ['OrderedReady', false, 'restarting'],
    ['OrderedReady', true, 'next'],
    ['OrderedUpdated', false, 'next'],
  ])('%s: the first container runs its new image, ready %s: %s', (policy, ready, want) => {
    const pod = threefold();
    write(pod, r2, policy);
    runs(pod, 'game', 2, ready);
    expect(stage(pod)).toBe(want);
    const moves = planOf(pod).moves.map(({ act, pod: name }) => [act, name]);
    expect(moves).toEqual(want === 'next' ? [['patch-images', pod.metadata.name]] : []);
  });

  it('one after the other, as the template lists them; the gate opens after the last', () => {
    const pod = threefold();
    write(pod, r2, 'OrderedReady');
    for (const [name, next] of [
      ['game', 'side:2'],
      ['side', 'log:2'],
    ] as const) {
      runs(pod, name, 2);
      // The spec may say another policy by now: what has begun keeps its order.
      expect(write(pod, r2, 'DisOrdered', r2)).toEqual([next]);
      expect(stage(pod)).toBe('restarting');
    }
    runs(pod, 'log', 2);
    expect(stage(pod)).toBe('restarted');
    expect(acts(planOf(pod), 'open-gate')).toHaveLength(1);
  });

  it.each(['OrderedReady', 'OrderedUpdated'] as const)(
    'peers 14, %s: the first container cannot be pulled: the others stay as they are, still in their order, and the budget is used',
    (policy) => {
      const pod = threefold();
      write(pod, r2, policy);
      const { containerStatuses = [] } = pod.status!;
      const [game] = containerStatuses.filter(({ name }) => name === 'game');
      Object.assign(game!, { ready: false, state: { waiting: { reason: 'ImagePullBackOff' } } });
      expect(stage(pod)).toBe('restarting');
      expect(planOf(pod, { pods: [pod, r('r1')] }).moves).toEqual([]);
      runs(pod, 'game', 2);
      expect(stage(pod)).toBe('next');
      expect(write(pod, r2, policy, r2)).toEqual(['side:2']);
    },
  );

  it('report 23: one update has one id, whatever restarts in between; the next update has another', () => {
    const pod = threefold();
    const operation = () => inPlaceStateOf(pod).operation;
    write(pod, r2, 'OrderedReady');
    const first = operation();
    runs(pod, 'game', 2);
    write(pod, r2, 'OrderedReady', r2);
    expect([first, operation()]).toEqual(['r2/2', 'r2/2']);
    write(pod, r1, undefined, r2);
    const back = operation();
    write(pod, r2);
    expect([back, operation()]).toEqual(['r1/4', 'r2/5']);
  });

  it('a pause does not leave a pod half way', () => {
    const pod = threefold();
    write(pod, r2, 'OrderedReady');
    runs(pod, 'game', 2);
    const allowance = { revision: 'r2', partition: 1, paused: true };
    expect(acts(planOf(pod, { allowance }), 'patch-images')).toHaveLength(1);
  });

  it('another target takes the pod over where it stands: what was owed is written with it', () => {
    const pod = threefold();
    write(pod, r2, 'OrderedReady');
    runs(pod, 'game', 2);
    const target: Revision = { ...r3, template: structuredClone(r2.template) };
    target.template.spec.containers[0]!.image = 'game:3';
    expect(write(pod, target, undefined, r2)).toEqual(['game:3', 'side:2', 'log:2']);
  });

  it('back to where it came from: only what was changed is changed back', () => {
    const pod = threefold();
    write(pod, r2, 'OrderedReady');
    expect(write(pod, r1, undefined, r2)).toEqual(['game:1']);
    expect(isPatchPending(pod)).toBe(true);
  });

  it('a restart that an earlier patch still owes is waited for, also where the next one leaves its container alone', () => {
    const pod = threefold();
    write(pod, r2);
    const target: Revision = { ...r3, template: structuredClone(r2.template) };
    target.template.spec.containers[0]!.image = 'game:3';
    write(pod, target, undefined, r2);
    runs(pod, 'game', 3);
    expect(stage(pod)).toBe('restarting');
    runs(pod, 'side', 2);
    runs(pod, 'log', 2);
    pod.status!.observedGeneration = pod.metadata.generation;
    expect(stage(pod)).toBe('restarted');
  });

  it('a label moves only when the restart under the one before is proven', () => {
    const pod = threefold();
    write(pod, r2, 'OrderedReady');
    const renamed = { ...r3, template: { ...r2.template, metadata: { labels: { tier: 'gold' } } } };
    const facing = (given: Pod) =>
      plan({
        ...{ spec, revisions: [r1, r2, renamed], updateRevision: 'r3', pods: [seen(given), r('r3')] },
        allowance: { revision: 'r3', partition: 0, paused: false },
      }).moves.map(({ act }) => act);
    expect(facing(pod)).toEqual([]);
    runs(pod, 'game', 2);
    expect(facing(pod)).toEqual(['patch-images']);
    for (const name of CONTAINERS) runs(pod, name, 2);
    delete pod.metadata.annotations![IN_PLACE_STATE_ANNOTATION];
    expect(facing(pod)).toEqual(['patch-metadata']);
  });

  it('without a gate each container spends anew, so another pod waits', () => {
    const pod = threefold();
    write(pod, r2, 'OrderedReady');
    runs(pod, 'game', 2);
    Object.assign(pod, { spec: { ...pod.spec, readinessGates: [] } });
    pod.status!.conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: iso(NOW - 5_000) }];
    const old = threefold();
    expect(planOf(pod, { pods: [pod, old] }).moves).toMatchObject([
      { act: 'patch-images', pod: pod.metadata.name, revision: 'r2', spends: true },
    ]);
    expect(
      planOf(pod, { pods: [pod, r('r2'), aPod('r2').notReady().build()], spec: { ...spec, replicas: 3 } }).moves,
    ).toEqual([]);
  });

  it('without a gate, where maxUnavailable is 0, the surge stays for the containers that are left', () => {
    const pod = threefold();
    write(pod, r2, 'OrderedReady');
    runs(pod, 'game', 2);
    Object.assign(pod, { spec: { ...pod.spec, readinessGates: [] } });
    pod.status!.conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: iso(NOW - 5_000) }];
    const updateStrategy = { ...spec.updateStrategy, maxUnavailable: 0, maxSurge: 1 };
    const ask = (pods: Pod[]) => planOf(pod, { pods, spec: { replicas: 2, updateStrategy } });
    expect(ask([pod, r('r2')]).moves).toMatchObject([{ act: 'create', revision: 'r2' }]);
    expect(ask([pod, r('r2'), r('r2')]).moves).toMatchObject([{ act: 'patch-images', pod: pod.metadata.name }]);
    const ofSet = {
      ...PARALLEL,
      replicas: 2,
      updateStrategy: { type: 'InplaceUpdate', rollingUpdate: updateStrategy },
    };
    pod.metadata.name = 'lobby-1';
    const set = (pods: Pod[]) => told(setPlan({ spec: ofSet as never, revisions: [r1, r2, r3], pods: seen(pods) }));
    expect(set([aSetPod(0, 'r2').build(), pod])).toBe('+2@r2');
    expect(set([aSetPod(0, 'r2').build(), pod, aSetPod(2, 'r2').build()])).toBe('patch-images 1');
  });
});
