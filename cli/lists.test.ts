/** Lists of HookRuns as people see them; those of workloads are seen in test/cli. */
import { expect, test } from 'vitest';
import type { HookRun } from '../crds/hook-run.ts';
import { FakeCluster } from '../test/support/fake-cluster.ts';
import { readList } from './lists.ts';

const run = (name: string, status?: HookRun['status']): HookRun => ({
  ...{ apiVersion: 'tkex.tencent.com/v1alpha1', kind: 'HookRun' },
  metadata: { name, namespace: 'default', labels: { 'hookrun-type': 'pre-delete-step' } },
  spec: { metrics: [] },
  status,
});

const cluster = (): FakeCluster => {
  const made = new FakeCluster();
  made.put('hookruns', run('waits'));
  made.put(
    'hookruns',
    run('polls', {
      ...{ phase: 'Running', metric: 'players', value: '12', message: 'metric players was measured 3 times' },
      nextMeasurementAt: '2000-01-01T00:00:00Z',
      metricResults: [{ name: 'players', phase: 'Running', count: 2, failed: 2, error: 1 }],
    }),
  );
  return made;
};

test('what each waits for, its last value, and when it is asked next', async () => {
  const { text, data } = await readList(cluster(), { kind: 'HookRun' }, 'default');
  const [head, ...lines] = text.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '));
  expect(head).toBe('NAME  TYPE  PHASE  METRIC  VALUE  MEASURED  NEXT  MESSAGE  AGE');
  expect(lines.toSorted()).toEqual([
    'polls  pre-delete-step  Running  players  12  3  now  metric players was measured 3 times',
    'waits  pre-delete-step  Pending  0',
  ]);
  expect(data).toHaveLength(2);
});

test('one that is named comes with its measurements', async () => {
  const { text } = await readList(cluster(), { kind: 'HookRun', name: 'polls' }, 'default');
  expect(text).toContain('METRIC    PHASE');
});
