import { describe, expect, it } from 'vitest';
import type { Pod } from '../crds/kubernetes.ts';
import { aPod, NOW, revision } from '../test/support/pods.ts';
import { patchImagesPatch } from './in-place-patches.ts';
import { UPDATED_ANNOTATION } from './keys.ts';

const [r1, r2] = [revision('r1', 1), revision('r2', 2)];

/** What W2 records of the container. */
function recorded(pod: Pod, from = r1, to = r2): unknown {
  const patch = patchImagesPatch(pod, { from: from.template, to }, NOW) as {
    metadata: { annotations: Record<string, string> };
  };
  const state = JSON.parse(patch.metadata.annotations['inplace-update-state'] ?? '') as Record<string, unknown>;
  return (state.lastContainerStatuses as Record<string, unknown>).game;
}

const withStatus = (name: string, change: object, state?: object) =>
  aPod(name, 'lobby-a')
    .with((pod) => {
      Object.assign(pod.status!.containerStatuses![0]!, change);
      if (state !== undefined) pod.metadata.annotations!['inplace-update-state'] = JSON.stringify(state);
    })
    .build();

/** Given r2's image, whose restart is not seen: the container of r1 still runs. */
const pending = (containerID: string) =>
  withStatus(
    'r2',
    { image: 'game:r1', imageID: 'sha256:r1', containerID },
    { revision: 'r2', lastContainerStatuses: { game: { containerID, imageID: 'sha256:r1' } } },
  );

describe('what a restart will be proven against', () => {
  const whole = { imageID: 'sha256:r1', containerID: 'containerd://lobby-a-0', restartCount: 0 };

  it('the container and image that run', () => {
    expect(recorded(withStatus('r1', {}))).toEqual(whole);
  });

  it('also where the runtime shows the new image under another name already: the kubelet restarts it all the same', () => {
    expect(recorded(withStatus('r1', { image: 'docker.io/library/game:r2' }))).toEqual(whole);
  });

  it('nothing where a patch that may not have been carried out is taken back', () => {
    expect(recorded(pending('containerd://x'), r2, r1)).toEqual({});
  });

  it('the container only where it is replaced: the image of between proves nothing', () => {
    expect(recorded(pending('containerd://x'), r2, revision('r3', 3))).toEqual({
      containerID: 'containerd://x',
      restartCount: 0,
    });
  });
});

it('in-place-peers 12: an image and a label that an env reads go in one write: the one restart sees both', () => {
  const gold = { ...r2, template: { ...r2.template, metadata: { labels: { app: 'lobby', tier: 'gold' } } } };
  expect(patchImagesPatch(withStatus('r1', {}), { from: r1.template, to: gold }, NOW)).toMatchObject({
    metadata: { labels: { tier: 'gold' } },
    spec: { containers: [{ name: 'game', image: 'game:r2' }] },
  });
});

describe('the hook that is to follow', () => {
  const marked = (pod: Pod, change: { hookAfter?: string; isHot?: boolean }): unknown => {
    const patch = patchImagesPatch(pod, { from: r1.template, to: r2, ...change }, NOW) as {
      metadata: { annotations: Record<string, string | null> };
    };
    return patch.metadata.annotations[UPDATED_ANNOTATION];
  };
  const owing = aPod('r1', 'lobby-a')
    .annotated({ [UPDATED_ANNOTATION]: '{}' })
    .build();

  it('is marked in the very write that brings the images, bound to the version it is written on', () => {
    expect(JSON.parse(String(marked(aPod('r1', 'lobby-a').build(), { hookAfter: 'join' })))).toEqual({
      kind: 'updated',
      attempt: '100',
      hookRun: 'postinplace-r2-a-join-100',
    });
  });

  it('no hook, no mark; one that an earlier update left is taken off', () => {
    expect(marked(aPod('r1', 'lobby-a').build(), {})).toBeUndefined();
    expect(marked(owing, {})).toBeNull();
  });

  it('a hot patch has no hooks', () => {
    expect(marked(owing, { hookAfter: 'join', isHot: true })).toBeNull();
  });

  it('the next container of an update that has begun leaves the mark as it is', () => {
    expect(marked(pending('containerd://x'), { hookAfter: 'join' })).toBeUndefined();
  });
});
