import { describe, expect, it } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { acts, plan, r } from '../../test/support/plans.ts';
import { aPod, iso, NOW, pods, revision } from '../../test/support/pods.ts';
import { patchImagesPatch } from '../in-place-patches.ts';
import {
  HOT_PATCH_ANNOTATION,
  HOT_PATCH_STATE_ANNOTATION,
  IN_PLACE_STATE_ANNOTATION,
  READINESS_GATE,
} from '../keys.ts';

const hot = { type: 'HotPatchUpdate' as const, maxUnavailable: 1 };
const [r1, r2] = [revision('r1', 1), revision('r2', 2)];

type Annotations = Record<string, string | null>;
const annotationsOf = (pod: Pod, isHot: boolean, from = r1, to = r2): Annotations =>
  (patchImagesPatch(pod, { from: from.template, to, isHot }, NOW) as { metadata: { annotations: Annotations } })
    .metadata.annotations;

/** Given the image of r2 by a hot patch; what the kubelet shows is that of r1, and may be changed. */
const patched = (change: (pod: Pod) => void = () => undefined) => {
  const before = aPod('r1').build();
  const state = annotationsOf(before, true)[HOT_PATCH_STATE_ANNOTATION] ?? '';
  return aPod('r2')
    .with((pod) => {
      pod.metadata.generation = 2;
      pod.metadata.annotations = { [HOT_PATCH_STATE_ANNOTATION]: state, [HOT_PATCH_ANNOTATION]: 'true' };
      pod.status!.containerStatuses = structuredClone(before.status!.containerStatuses);
      change(pod);
    })
    .build();
};
const status = (pod: Pod) => pod.status!.containerStatuses![0]!;

describe('HotPatchUpdate (decision 29)', () => {
  it('row 46: an image-only difference: the pod is written in one write, its gate stays open', () => {
    const p = plan({ spec: { replicas: 2, updateStrategy: hot }, pods: pods(2, 'r1') });
    expect(p.moves).toMatchObject([{ act: 'patch-images', revision: 'r2', spends: true, isHot: true }]);
  });

  it('row 46: any other difference recreates, or keeps the pods with fallback Fail, and is said', () => {
    const target = revision('r2', 2);
    Object.assign(target.template.spec.containers[0]!, { env: [{ name: 'MAP', value: 'desert' }] });
    const given = { revisions: [r1, target], pods: pods(2, 'r1') };
    const p = plan({ spec: { replicas: 2, updateStrategy: hot }, ...given });
    expect(p.moves.map(({ act }) => act)).toEqual(['delete']);
    expect(p.blockers[0]?.reason).toBe('InPlaceNotPossible');
    const updateStrategy = { ...hot, inPlaceUpdateStrategy: { fallback: 'Fail' as const } };
    expect(plan({ spec: { replicas: 2, updateStrategy }, ...given }).moves).toEqual([]);
  });

  it('asks no hook (game-workloads §2.8)', () => {
    const preDeleteUpdateStrategy = { hook: { templateName: 'drain' } };
    const p = plan({ spec: { replicas: 2, updateStrategy: hot, preDeleteUpdateStrategy }, pods: pods(2, 'r1') });
    expect(p.moves.map(({ act }) => act)).toEqual(['patch-images']);
  });

  it('says so as the existing operators do; one record at a time is on the pod', () => {
    const pod = aPod('r1')
      .annotated({ [IN_PLACE_STATE_ANNOTATION]: '{}' })
      .build();
    const annotations = annotationsOf(pod, true);
    expect(annotations).toMatchObject({ [HOT_PATCH_ANNOTATION]: 'true', [IN_PLACE_STATE_ANNOTATION]: null });
    expect(JSON.parse(annotations[HOT_PATCH_STATE_ANNOTATION]!)).toMatchObject({ revision: 'r2', podGeneration: 2 });
    const inPlace = annotationsOf(patched(), false, r2, revision('r3', 3));
    expect(inPlace).toMatchObject({ [HOT_PATCH_ANNOTATION]: null, [HOT_PATCH_STATE_ANNOTATION]: null });
    expect(Object.keys(annotationsOf(aPod('r1').build(), false))).not.toContain(HOT_PATCH_STATE_ANNOTATION);
  });

  it('keeps the mark of a template that asks for hot patches itself', () => {
    const asking = revision('r2', 2);
    asking.template.metadata!.annotations = { [HOT_PATCH_ANNOTATION]: 'true' };
    const pod = aPod('r1')
      .annotated({ [HOT_PATCH_ANNOTATION]: 'true' })
      .build();
    expect(annotationsOf(pod, false, r1, asking)[HOT_PATCH_ANNOTATION]).toBe('true');
  });

  it.each<[seen: string, change: (pod: Pod) => void, isDone: boolean]>([
    ['nothing has happened yet', () => undefined, false],
    [
      'the kubelet saw the patch, the old image still runs',
      (pod) => Object.assign(pod.status!, { observedGeneration: 2 }),
      false,
    ],
    [
      'the image was exchanged, the container runs on',
      (pod) => Object.assign(status(pod), { image: 'game:r2', imageID: 'sha256:r2' }),
      true,
    ],
    [
      'another image, under a name that the runtime made',
      (pod) => Object.assign(status(pod), { image: 'sha256:r2', imageID: 'sha256:r2' }),
      true,
    ],
    [
      'the container was restarted with the new image',
      (pod) => Object.assign(status(pod), { image: 'game:r2', containerID: 'containerd://other' }),
      true,
    ],
    [
      'it was restarted and is not ready yet',
      (pod) => Object.assign(status(pod), { image: 'game:r2', containerID: 'containerd://other', ready: false }),
      false,
    ],
    [
      'it crashed before the kubelet saw the patch',
      (pod) => Object.assign(status(pod), { containerID: 'containerd://other' }),
      false,
    ],
  ])('what counts as complete: %s', (_seen, change, isDone) => {
    const p = plan({ spec: { replicas: 2, updateStrategy: hot }, pods: [patched(change), r('r2')] });
    expect([p.counts.updating, p.reached]).toEqual(isDone ? [0, true] : [1, false]);
    expect(p.moves).toEqual([]);
  });

  it('spends until the evidence: the next pod waits, though all are Ready', () => {
    const spec = { replicas: 3, updateStrategy: hot };
    expect(plan({ spec, pods: [patched(), r('r1'), r('r1')] }).moves).toEqual([]);
    const seen = patched((pod) => Object.assign(status(pod), { image: 'game:r2' }));
    Object.assign(seen.status!, { observedGeneration: 2 });
    expect(acts(plan({ spec, pods: [seen, r('r1'), r('r1')] }), 'patch-images')).toHaveLength(1);
  });

  it('an image that never comes is replaced by the next target, within the slot that it holds', () => {
    const p = plan({
      ...{ spec: { replicas: 3, updateStrategy: hot }, revisions: [r1, r2, revision('r3', 3)], updateRevision: 'r3' },
      allowance: { revision: 'r3', partition: 0, paused: false },
      pods: [r('r1'), r('r1'), patched()],
    });
    expect(p.moves.map(({ pod }) => pod)).toEqual([expect.stringContaining('lobby-r2')]);
  });

  it('a pod that an update in place left with a closed gate gets it opened after the exchange', () => {
    const gate = { type: READINESS_GATE, status: 'False' as const, reason: 'StartInPlaceUpdate', message: 'r2' };
    const pod = patched((each) => {
      Object.assign(status(each), { image: 'game:r2', containerID: 'containerd://other' });
      each.status!.conditions = [{ ...gate, lastTransitionTime: iso(NOW - 60_000) }];
    });
    const p = plan({ spec: { replicas: 2, updateStrategy: hot }, pods: [pod, r('r2')] });
    expect(acts(p, 'open-gate').map((move) => move.pod)).toEqual([pod.metadata.name]);
  });
});
