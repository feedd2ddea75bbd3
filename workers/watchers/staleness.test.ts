import { describe, expect, test } from 'vitest';
import type { GameDeployment, GameDeploymentStatus } from '../../crds/game-deployment.ts';
import { PodScene } from '../../test/support/pod-scene.ts';
import { aPod } from '../../test/support/pods.ts';
import type { Watched } from '../stores.ts';
import { everything, whatIsStale } from './staleness.ts';

const LOBBY = 'gamedeployment/default/lobby';
const none = { list: () => [] };

/** A settled workload of two pods at r2, its status changed as given. */
function sceneOf(status: Partial<GameDeploymentStatus> = {}, podCount = 2) {
  const scene = new PodScene({ replicas: 2 });
  for (let count = 0; count < podCount; count += 1) scene.adopt(aPod('r2').readyFor(60_000).build());
  const workload: GameDeployment = {
    ...scene.workload,
    metadata: { ...scene.workload.metadata, generation: 3 },
    status: { observedGeneration: 3, moving: false, currentRevision: 'r2', updateRevision: 'r2', ...status },
  };
  scene.cluster.put('gamedeployments', workload);
  const stores = { ...scene.ports.stores, gameStatefulSets: none } as unknown as Watched;
  return { scene, stores };
}

const staleOf = (status?: Partial<GameDeploymentStatus>, podCount?: number): string[] => {
  const { scene, stores } = sceneOf(status, podCount);
  return whatIsStale(scene.ports, stores);
};

test('a settled workload is not rung', () => {
  expect(staleOf()).toEqual([]);
});

describe('what looks as if a bell had been lost', () => {
  const cases: [string, Partial<GameDeploymentStatus>][] = [
    ['a generation that the status does not know', { observedGeneration: 2 }],
    ['a status that says moving', { moving: true }],
    ['an open rollout', { currentRevision: 'r1' }],
  ];
  test.each(cases)('%s', (_, status) => {
    expect(staleOf(status)).toEqual([LOBBY]);
  });

  test('a pod that should be there', () => {
    expect(staleOf({}, 1)).toEqual([LOBBY]);
  });

  test('a pod of another revision though no rollout is open: a rollback that was lost', () => {
    const { scene, stores } = sceneOf({}, 1);
    scene.adopt(aPod('r1').readyFor(60_000).build());
    expect(whatIsStale(scene.ports, stores)).toEqual([LOBBY]);
  });

  test('a pod too many', () => {
    expect(staleOf({}, 3)).toEqual([LOBBY]);
  });

  test('a HookRun without a verdict, and no other', () => {
    const { scene, stores } = sceneOf();
    const run = (name: string, phase?: string) =>
      scene.cluster.put('hookruns', { metadata: { namespace: 'default', name }, spec: {}, status: { phase } } as never);
    run('waits');
    run('measures', 'Running');
    run('over', 'Successful');
    expect(whatIsStale(scene.ports, stores).sort()).toEqual(['hookrun/default/measures', 'hookrun/default/waits']);
  });
});

test('who takes over rings every workload, settled or not', () => {
  expect(everything(sceneOf().stores)).toEqual([LOBBY]);
});
