import { expect, test } from 'vitest';
import type { Stores } from '../../activities/ports.ts';
import { unmatchedRuns } from './unmatched-runs.ts';

const listOf = (kind: string, names: string[]) => ({
  list: () => names.map((name) => ({ kind, metadata: { namespace: 'default', name } })),
});

interface Scene {
  open: string[];
  workloads: string[];
  sets?: string[];
  hookRuns?: string[];
}

function look({ open, workloads, sets = [], hookRuns = [] }: Scene) {
  async function* list() {
    for (const workflowId of open) yield { workflowId };
  }
  const stores = {
    gameDeployments: listOf('GameDeployment', workloads),
    gameStatefulSets: listOf('GameStatefulSet', sets),
    hookRuns: listOf('HookRun', hookRuns),
  } as unknown as Stores;
  return unmatchedRuns({ temporal: { workflow: { list } } as never, stores });
}

test('a run is rung when its object is not there', async () => {
  const open = [
    'gamedeployment/default/lobby',
    'gamedeployment/default/gone',
    'hookrun/default/drain',
    'hookrun/default/drain-gone',
    'something-else',
  ];
  expect(await look({ open, workloads: ['lobby'], hookRuns: ['drain'] })).toEqual([
    'gamedeployment/default/gone',
    'hookrun/default/drain-gone',
  ]);
});

test('a workload is rung when its run is not there; a HookRun may be over', async () => {
  const open = ['gamedeployment/default/lobby'];
  expect(await look({ open, workloads: ['lobby', 'lost'], hookRuns: ['over'] })).toEqual([
    'gamedeployment/default/lost',
  ]);
});

test('a run of one kind does not stand for an object of the other under the same name', async () => {
  const open = ['gamedeployment/default/lobby'];
  expect(await look({ open, workloads: [], sets: ['lobby'] })).toEqual([
    'gamedeployment/default/lobby',
    'gamestatefulset/default/lobby',
  ]);
});
