import { expect, test } from 'vitest';
import { reportOf } from './report.ts';

const history = { events: 60, looks: 5, moves: 5, rolloutEvents: 20 };

test('a report names each number and what it is measured against', () => {
  const text = reportOf({
    processors: 2,
    speeds: [
      {
        ...{ what: 'create', pods: 500, bare: 200, operator: 130, ratio: 0.65 },
        ...{ firstWriteMs: 240, readyMs: 4_200, writes: 1_000, history },
      },
      {
        ...{ what: 'update in place', pods: 500, bare: 100, paced: 40, operator: 30, ratio: 0.3 },
        ...{ firstWriteMs: 240, readyMs: 4_200, writes: 1_500, history },
      },
    ],
    slow: { pods: 1_000, longestSeconds: 40, tookSeconds: 321, history },
    plannerMs: 12.34,
    peakMemoryMib: 301.6,
  });
  expect(text).toMatch(/^create 500 pods +200 +- +130 +0\.65 +- +0\.50 /m);
  expect(text).toMatch(/^update in place 500 pods +100 +40 +30 +0\.30 +0\.75 +0\.50 /m);
  expect(text).toContain('60 history events (limit 700) in 5 looks and 5 moves, 20 of the rollout.');
  expect(text).toContain('One plan of 10000 pods: 12.3 ms (limit 20)');
  expect(text).toContain('302 MiB');
});

test('without a slow rollout nothing is said of one', () => {
  const text = reportOf({ processors: 2, speeds: [], slow: null, plannerMs: 1, peakMemoryMib: 1 });
  expect(text).not.toContain('Slow rollout');
});
