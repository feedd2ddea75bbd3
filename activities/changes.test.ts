import { describe, expect, it } from 'vitest';
import { FakeCluster } from '../test/support/fake-cluster.ts';
import { aSet } from '../test/support/sets.ts';
import { Changes } from './changes.ts';

const claim = (name: string) => ({ metadata: { name, namespace: 'default' } });

/** Which claims wake a parked observation of a GameStatefulSet. */
async function wakes(name: string): Promise<boolean> {
  const cluster = new FakeCluster();
  cluster.put('persistentvolumeclaims', claim(name));
  const set = aSet({ volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] });
  const changes = new Changes(cluster.stores, set, () => 0);
  try {
    await changes.next(0, AbortSignal.timeout(1_000));
    let isAwake = false;
    const woken = changes.next(1_000, AbortSignal.timeout(5_000)).then(() => {
      isAwake = true;
    });
    cluster.remove('persistentvolumeclaims', name);
    await Promise.resolve();
    const answer = isAwake;
    // Whoever was not woken by the claim is woken by its workload.
    cluster.stores.gameStatefulSets.apply('MODIFIED', { ...set, metadata: { ...set.metadata, resourceVersion: '9' } });
    await woken;
    return answer;
  } finally {
    changes.close();
  }
}

describe('a parked observation of a GameStatefulSet', () => {
  it.each([
    ['data-lobby-2', true],
    ['logs-lobby-2', false],
    ['data-arena-2', false],
  ])('that claim %s goes wakes it: %s', async (name, want) => {
    expect(await wakes(name)).toBe(want);
  });
});
