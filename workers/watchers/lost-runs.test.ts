import { expect, test } from 'vitest';
import { followLostRuns } from './lost-runs.ts';

interface Run {
  runId: string;
  workflowId: string;
}

function follow(answers: Run[][]) {
  const queries: string[] = [];
  async function* list({ query }: { query: string }) {
    queries.push(query);
    yield* answers.shift() ?? [];
  }
  const look = followLostRuns({ temporal: { workflow: { list } } as never, nowMs: () => Date.UTC(2026, 0, 1, 12) });
  return { look, queries };
}

const LOBBY = 'gamedeployment/default/lobby';

test('a rollout stands for its workload, which is rung once for both', async () => {
  const runs = [
    { runId: 'a', workflowId: `${LOBBY}/rollout` },
    { runId: 'b', workflowId: LOBBY },
    { runId: 'c', workflowId: 'hookrun/default/drain' },
    { runId: 'd', workflowId: 'somebody-else' },
  ];
  expect(await follow([runs]).look()).toEqual([LOBBY, 'hookrun/default/drain']);
});

test('a run is told once, the next run under its id anew', async () => {
  const first = { runId: 'a', workflowId: LOBBY };
  const { look } = follow([[first], [first], [first, { runId: 'b', workflowId: LOBBY }]]);
  expect([await look(), await look(), await look()]).toEqual([[LOBBY], [], [LOBBY]]);
});

test('only what ended lately is asked for: the answer does not grow with the number of workloads or of rollouts', async () => {
  const { look, queries } = follow([]);
  await look();
  expect(queries).toEqual([expect.stringContaining("CloseTime > '2026-01-01T11:58:00.000Z'")]);
});
