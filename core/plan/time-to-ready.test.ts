import { describe, expect, it } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { usualTimeToReadyMs } from './wave.ts';

const at = (seconds: number) => new Date(seconds * 1000).toISOString();

function makePod(createdAt: number, readyAt?: number, updatedAt?: number): Pod {
  const state = updatedAt === undefined ? undefined : JSON.stringify({ revision: 'r', updateTimestamp: at(updatedAt) });
  return {
    metadata: {
      name: 'p',
      creationTimestamp: at(createdAt),
      labels: { 'controller-revision-hash': 'r' },
      annotations: state === undefined ? {} : { 'inplace-update-state': state },
    },
    spec: { containers: [] },
    status: {
      conditions: readyAt === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: at(readyAt) }],
    },
  };
}

/** Its containers became ready then; the gate may have kept the pod from it. */
function withContainers(pod: Pod, readyAt: number, status: 'True' | 'False' = 'True'): Pod {
  pod.status!.conditions!.push({ type: 'ContainersReady', status, lastTransitionTime: at(readyAt) });
  return pod;
}

describe('usualTimeToReadyMs', () => {
  it.each([
    ['nothing known', [], 0],
    ['pods that are not ready do not count', [makePod(0), makePod(0, 8)], 8_000],
    ['the median of created pods', [makePod(0, 2), makePod(0, 30), makePod(0, 6)], 6_000],
    ['an image change starts the clock anew', [makePod(0, 95, 90)], 5_000],
    ['a readiness older than the image change is not counted', [makePod(0, 80, 90)], 0],
    ['a pod that restarted and waits for its gate', [withContainers(makePod(0, undefined, 90), 97)], 7_000],
    ['a gate that opened late does not count', [withContainers(makePod(0, 99, 90), 97)], 7_000],
    ['containers that have not stopped yet do not count', [withContainers(makePod(0, undefined, 90), 5)], 0],
    ['containers that restart do not count', [withContainers(makePod(0, undefined, 90), 92, 'False')], 0],
    ['a new pod is to be Ready itself', [withContainers(makePod(0), 5), withContainers(makePod(0, 8), 5)], 8_000],
    ['a moment that nobody can read is none', [{ ...makePod(0, 8), metadata: { name: 'p' } }], 0],
  ])('%s', (_sentence, pods, want) => {
    expect(usualTimeToReadyMs(pods, 'r')).toBe(want);
  });

  it('goes by 200 pods that got there, wherever they stand', () => {
    const others = Array.from({ length: 300 }, () => makePod(0));
    const known = [...Array.from({ length: 200 }, () => makePod(0, 9)), ...others, makePod(0, 1), makePod(0, 1)];
    expect(usualTimeToReadyMs([...others, ...known], 'r')).toBe(9_000);
  });
});
