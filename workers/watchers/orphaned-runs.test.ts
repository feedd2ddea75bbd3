import { expect, test } from 'vitest';
import type { Watched } from '../stores.ts';
import { orphanedRuns } from './orphaned-runs.ts';

const listOf = (...names: string[]) => ({
  list: () => names.map((name) => ({ metadata: { namespace: 'default', name } })),
});

test('a run is rung when its object is not there', async () => {
  const open = [
    'gamedeployment/default/lobby',
    'gamedeployment/default/gone',
    'hookrun/default/drain',
    'hookrun/default/drain-gone',
    'something-else',
  ];
  async function* list() {
    for (const workflowId of open) yield { workflowId };
  }
  const stores = { gameDeployments: listOf('lobby'), hookRuns: listOf('drain') } as unknown as Watched;
  const temporal = { workflow: { list } } as never;
  expect(await orphanedRuns({ temporal, stores })).toEqual([
    'gamedeployment/default/gone',
    'hookrun/default/drain-gone',
  ]);
});
