import { expect, test } from 'vitest';
import { summaryOf } from './summary.ts';

test('a summary says how each step ended, by whom, and how long it took', () => {
  const text = summaryOf({
    ...{ outcome: 'Completed', number: 2, fromRevision: 'lobby-a', toRevision: 'lobby-b' },
    ...{ startedAt: '2026-01-01T10:00:00.000Z', endedAt: '2026-01-01T10:00:20.500Z' },
    steps: [
      {
        ...{ step: 0, what: 'partition 16', outcome: 'done' },
        ...{ startedAt: '2026-01-01T10:00:00.000Z', endedAt: '2026-01-01T10:00:04.200Z' },
      },
      {
        ...{ step: 1, what: 'pause', outcome: 'resumed', by: 'ann' },
        ...{ startedAt: '2026-01-01T10:00:04.200Z', endedAt: '2026-01-01T10:00:20.500Z' },
      },
    ],
  });
  expect(text.split('\n')).toEqual([
    'Rollout 2, lobby-a → lobby-b: Completed in 20.5 s',
    '',
    'STEP   WHAT           ENDED AS   BY    TOOK',
    '0      partition 16   done             4.2 s',
    '1      pause          resumed    ann   16.3 s',
  ]);
});
