import { expect, test } from 'vitest';
import { reportOf } from './report.ts';

const history = { events: 60, looks: 5, moves: 5, rolloutEvents: 20 };
const planner = [{ kind: 'GameStatefulSet' as const, againMs: 9.87, freshMs: 12.34 }];
const measured = { firstWriteMs: 240, readyMs: 4_200, history, processor: { etcd: 5, operator: 7.25 } };

test('a report names each number and what it is measured against', () => {
  const text = reportOf({
    processors: 2,
    speeds: [
      {
        ...measured,
        what: 'create 500 pods',
        pods: 500,
        aim: 0.5,
        bare: 200,
        operator: 130,
        ratio: 0.65,
        writes: 1_000,
      },
      {
        ...{ ...measured, what: 'update 500 in place', pods: 500, aim: 0.6, writes: 1_500 },
        ...{ bare: 100, paced: 40, operator: 30, ratio: 0.3 },
      },
    ],
    slow: { pods: 1_000, longestSeconds: 40, tookSeconds: 321, history },
    hooks: {
      ...{ hooks: 500, seconds: 120, startSeconds: 9.04, eventsPerHour: 36, memoryMib: { idle: 300, busy: 700.4 } },
      lateness: { questions: 57_000, medianMs: 24.4, p99Ms: 400, mostMs: 900 },
      load: { controller: 0.9, temporal: 0.31, apiserver: 0.25 },
    },
    idle: { workloads: 300, seconds: 60, events: 0 },
    planner,
    peakMemoryMib: 301.6,
  });
  expect(text).toMatch(/^create 500 pods +200 +- +130 +0\.65 +- +0\.50 /m);
  expect(text).toMatch(/^update 500 in place +100 +40 +30 +0\.30 +0\.75 +0\.60 /m);
  expect(text).toMatch(/^PROCESSOR MS A POD +ALL +ETCD +OPERATOR$/m);
  expect(text).toMatch(/^update 500 in place +12\.3 +5\.0 +7\.3$/m);
  expect(text).toContain('60 history events (limit 700) in 5 looks and 5 moves, 20 of the rollout.');
  expect(text).toContain('475 questions a second, late by 24 ms (median), 400 ms (p99), 900 ms (most)');
  expect(text).toContain('36 history events an hour for each');
  expect(text).toContain('Idle: 300 settled workloads added 0 events to their histories in 60 s (limit 0)');
  expect(text).toContain(
    'One plan of 10000 pods of a GameStatefulSet: 9.9 ms, of pods never seen before 12.3 ms (limit 20)',
  );
  expect(text).toContain('302 MiB');
});

test('of parts that were left out nothing is said', () => {
  const text = reportOf({ processors: 2, speeds: [], slow: null, hooks: null, idle: null, planner, peakMemoryMib: 1 });
  expect(text).not.toMatch(/Slow rollout|HookRuns|Idle|RATIO|PROCESSOR/);
});
