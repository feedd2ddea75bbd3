import { describe, expect, it } from 'vitest';
import type { HookRunSpec, HookRunStatus } from '../../crds/hook-run.ts';
import { summarize } from './summary.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (second: number) => new Date(START + second * 1000).toISOString();
const spec = (...metrics: object[]): HookRunSpec => ({
  metrics: metrics.map((fields, index) => ({ name: `m${index}`, provider: {}, ...fields })),
});
const result = (name: string, phase: 'Running' | 'Successful' | 'Failed', value?: string) => ({
  ...{ name, phase },
  measurements: [{ phase: 'Failed' as const, finishedAt: at(1), ...(value !== undefined && { value }) }],
});
const running = (...metricResults: HookRunStatus['metricResults'] & object): HookRunStatus => ({
  ...{ phase: 'Running', startedAt: at(0) },
  metricResults,
});
const glance = (run: HookRunSpec, status: HookRunStatus, second = 2) => {
  const { metric, value, nextMeasurementAt } = summarize(run, status, START + second * 1000);
  return [metric, value, nextMeasurementAt];
};

describe('a run at a glance', () => {
  const every = { interval: '30s' };
  const table: [title: string, spec: HookRunSpec, status: HookRunStatus, second: number, want: unknown[]][] = [
    ['nothing measured yet', spec({ initialDelay: '5s' }), running(), 2, [undefined, undefined, at(5)]],
    ['one that goes on', spec(every), running(result('m0', 'Running', '12')), 2, ['m0', '12', at(31)]],
    ['one that is due', spec(every), running(result('m0', 'Running', '12')), 40, ['m0', '12', at(40)]],
    [
      'the first that is no success',
      spec(every, every),
      running(result('m0', 'Successful', '1'), result('m1', 'Running', '2')),
      2,
      ['m1', '2', at(31)],
    ],
    [
      'what broke comes before what runs',
      spec(every, every),
      running(result('m0', 'Running', '1'), result('m1', 'Failed', '2')),
      2,
      ['m1', '2', at(31)],
    ],
    [
      'one that has ended is not measured again',
      spec(every),
      { ...running(result('m0', 'Failed', '7')), phase: 'Failed', nextMeasurementAt: at(31) },
      2,
      ['m0', '7', undefined],
    ],
    ['no answer', spec(every), running(result('m0', 'Running')), 2, ['m0', undefined, at(31)]],
    [
      'a deadline is no measurement',
      { ...spec(every), activeDeadlineSeconds: 10 },
      running(result('m0', 'Running', '1')),
      2,
      ['m0', '1', at(31)],
    ],
  ];
  it.each(table)('%s', (_title, run, status, second, want) => {
    expect(glance(run, status, second)).toEqual(want);
  });

  it('a long value is cut short', () => {
    expect(glance(spec({}), running(result('m0', 'Running', 'x'.repeat(1000))))[1]).toBe(`${'x'.repeat(63)}…`);
  });
});
