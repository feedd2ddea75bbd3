import { describe, expect, it } from 'vitest';
import { PodScene } from '../test/support/pod-scene.ts';
import { aPod } from '../test/support/pods.ts';
import { isFenceReached, joinFences, laterVersion, unlessPutBack } from './store-fence.ts';

const noFence = { written: {}, gone: [] };

describe('isFenceReached', () => {
  it('a store that has seen the version has reached it', () => {
    const { cluster } = new PodScene();
    const pod = cluster.put('pods', aPod('r1', 'lobby-a').build());
    const written = { pods: pod.metadata.resourceVersion! };
    expect(isFenceReached(cluster.stores, 'GameDeployment', { written, gone: [] })).toBe(true);
  });

  it('each resource counts for itself: the newest pod says nothing of HookRuns', () => {
    const { cluster } = new PodScene();
    const pod = cluster.put('pods', aPod('r1', 'lobby-a').build());
    const written = { hookruns: pod.metadata.resourceVersion! };
    expect(isFenceReached(cluster.stores, 'GameDeployment', { written, gone: [] })).toBe(false);
  });

  it.each([
    ['a pod that must be gone and is there', undefined, false],
    ['a pod that must be gone and terminates', '2026-01-01T00:00:00Z', true],
  ])('%s', (_sentence, deletionTimestamp, want) => {
    const { cluster } = new PodScene();
    cluster.put(
      'pods',
      aPod('r1', 'lobby-a')
        .with((pod) => Object.assign(pod.metadata, { deletionTimestamp }))
        .build(),
    );
    expect(isFenceReached(cluster.stores, 'GameDeployment', { written: {}, gone: ['uid-lobby-a'] })).toBe(want);
  });

  it('a watch that is not fresh has reached nothing', () => {
    const { cluster } = new PodScene();
    expect(isFenceReached(cluster.stores, 'GameDeployment', noFence)).toBe(true);
    cluster.stores.hookRuns.health.disconnected();
    expect(isFenceReached(cluster.stores, 'GameDeployment', noFence)).toBe(false);
  });
});

it('a watch that a kind does not read may fail: a GameDeployment has no claims', () => {
  const { cluster } = new PodScene();
  cluster.stores.persistentVolumeClaims.health.disconnected();
  expect(isFenceReached(cluster.stores, 'GameDeployment', noFence)).toBe(true);
  expect(isFenceReached(cluster.stores, 'GameStatefulSet', noFence)).toBe(false);
});

describe('versions of before etcd was put back', () => {
  const judge = (written: Record<string, string>) => {
    const { ports, workload } = new PodScene();
    const key = { kind: 'GameDeployment', namespace: 'default', name: workload.metadata.name } as const;
    return unlessPutBack(ports, key, { written, gone: ['a'] }, AbortSignal.timeout(5_000));
  };

  it.each(['pods', 'gamedeployments', 'controllerrevisions', 'hookruns'])(
    'are void where no object of %s has come so far',
    async (plural) => {
      expect(await judge({ pods: '1', [plural]: '1000000' })).toEqual({ written: {}, gone: ['a'], isReset: true });
    },
  );

  it('hold where one may have', async () => {
    expect(await judge({ pods: '1', hookruns: '5' })).toEqual({ written: { pods: '1', hookruns: '5' }, gone: ['a'] });
  });

  it('stay void when more is seen', () => {
    const joined = joinFences({ written: {}, gone: [], isReset: true }, { written: { pods: '10' }, gone: [] });
    expect(joined).toEqual({ written: { pods: '10' }, gone: [], isReset: true });
  });
});

describe('joinFences', () => {
  it('takes the later version of each resource, as a number', () => {
    const joined = joinFences(
      { written: { pods: '99', hookruns: '5' }, gone: ['a'] },
      { written: { pods: '100' }, gone: ['a', 'b'] },
    );
    expect(joined).toEqual({ written: { pods: '100', hookruns: '5' }, gone: ['a', 'b'] });
  });

  it.each([
    [undefined, '7', '7'],
    ['99', '100', '100'],
    ['100', '99', '100'],
  ])('of %s and %s it is %s', (known, seen, want) => {
    expect(laterVersion(known, seen)).toBe(want);
  });
});
