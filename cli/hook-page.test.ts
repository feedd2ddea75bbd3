import { expect, test } from 'vitest';
import type { HookRun } from '../crds/hook-run.ts';
import { hookPage } from './hook-page.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const run = (status: HookRun['status']) => ({ status }) as HookRun;

test('metrics with their counts, measurements of all of them, the newest first', () => {
  const page = hookPage(
    run({
      metricResults: [
        {
          ...{ name: 'players', phase: 'Running', count: 1, failed: 1, error: 1 },
          measurements: [
            {
              phase: 'Failed',
              finishedAt: '2026-01-01T00:00:10Z',
              value: '12',
              message: 'successCondition does not hold',
            },
            { phase: 'Error', finishedAt: '2026-01-01T00:00:50Z', message: 'no answer within 10 s' },
          ],
        },
        {
          ...{ name: 'match', phase: 'Successful', count: 1, successful: 1 },
          measurements: [{ phase: 'Successful', finishedAt: '2026-01-01T00:00:30Z', value: 'over' }],
        },
      ],
    }),
    NOW,
  );
  expect(page.split('\n')).toEqual([
    'METRIC    PHASE        MEASURED   SUCCESSFUL   FAILED   INCONCLUSIVE   ERROR   MESSAGE',
    'players   Running      2          0            1        0              1',
    'match     Successful   1          1            0        0              0',
    '',
    'AGO   METRIC    PHASE        VALUE   MESSAGE',
    '10s   players   Error                no answer within 10 s',
    '30s   match     Successful   over',
    '50s   players   Failed       12      successCondition does not hold',
  ]);
});

test('nothing while nothing was measured', () => {
  expect(hookPage(run({ phase: 'Running' }), NOW)).toBe('');
});
