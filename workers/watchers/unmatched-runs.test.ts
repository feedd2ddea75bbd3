import { expect, test } from 'vitest';
import type { Watched } from '../stores.ts';
import { unmatchedRuns } from './unmatched-runs.ts';

const listOf = (...names: string[]) => ({
  list: () => names.map((name) => ({ metadata: { namespace: 'default', name } })),
});

function look({ open, workloads, hookRuns = [] }: { open: string[]; workloads: string[]; hookRuns?: string[] }) {
  async function* list() {
    for (const workflowId of open) yield { workflowId };
  }
  const stores = { gameDeployments: listOf(...workloads), hookRuns: listOf(...hookRuns) } as unknown as Watched;
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
