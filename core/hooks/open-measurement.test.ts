/** A measurement that goes on outside, such as a Job: what the status says of it, when it is looked at, how it ends. */
import { describe, expect, it } from 'vitest';
import type { HookRunSpec, HookRunStatus } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import { addMeasurement, addOpenMeasurement, beginRun, isFurther, settleRun } from './run.ts';
import { planMeasurements } from './schedule.ts';
import type { OpenMeasurement } from './verdict.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const metric: Metric = { name: 'm', provider: { web: { url: 'http://localhost' } } };
const other: Metric = { ...metric, name: 'other' };
const spec: HookRunSpec = { metrics: [metric] };

const open = (seconds: number, fields: Partial<OpenMeasurement> = {}): OpenMeasurement => ({
  ...{ phase: 'Running', message: 'waits for Job j', startedAt: at(0), resumeAt: at(seconds) },
  ...fields,
});
const waiting = (seconds: number, begun = beginRun(undefined, START)): HookRunStatus =>
  settleRun(spec, addOpenMeasurement(begun, metric, open(seconds)), START);

describe('a measurement that goes on', () => {
  it('L2: stands in the status, counts for nothing, and the run says what it waits for', () => {
    expect(waiting(2)).toEqual({
      phase: 'Running',
      startedAt: at(0),
      message: 'metric m waits for Job j',
      metricResults: [{ name: 'm', phase: 'Running', message: 'waits for Job j', measurements: [open(2)] }],
    });
  });

  it('is looked at again at its time, by whoever takes the run up', () => {
    const taken = beginRun(JSON.parse(JSON.stringify(waiting(2))), START + 1000);
    expect(planMeasurements(spec, taken, START + 1000)).toEqual({ due: [], nextAtMs: START + 2000 });
    expect(planMeasurements(spec, taken, START + 2000).due).toEqual([metric]);
  });

  it('is one measurement, however often it was looked at', () => {
    const end = { phase: 'Successful', startedAt: at(0), finishedAt: at(5) } as const;
    const status = addMeasurement(waiting(4, waiting(2)), metric, end);
    expect(settleRun(spec, status, START + 5000)).toMatchObject({
      phase: 'Successful',
      metricResults: [{ phase: 'Successful', count: 1, successful: 1, measurements: [end] }],
    });
    expect(status.metricResults?.[0]).not.toHaveProperty('message');
  });

  it('does not take the place of finished ones, nor of a verdict', () => {
    const poll: Metric = { ...metric, interval: '1s' };
    const failed = { phase: 'Failed', startedAt: at(0), finishedAt: at(1) } as const;
    const begun = addMeasurement(beginRun(undefined, START), poll, failed);
    expect(addOpenMeasurement(begun, poll, open(2)).metricResults?.[0]).toMatchObject({
      ...{ count: 1, failed: 1 },
      measurements: [failed, open(2)],
    });
    const over = addMeasurement(beginRun(undefined, START), metric, failed);
    expect(addOpenMeasurement(over, metric, open(2))).toEqual(over);
  });

  it('does not make a status know more than another', () => {
    expect(isFurther(waiting(4), waiting(2))).toBe(false);
  });

  it('terminated it has begun, so it is Terminated and not Skipped, and nothing is left open', () => {
    const both: HookRunSpec = { metrics: [metric, other], terminate: true };
    expect(settleRun(both, waiting(2), START + 1000)).toMatchObject({
      phase: 'Terminated',
      metricResults: [
        { name: 'm', phase: 'Terminated', measurements: [] },
        { name: 'other', phase: 'Skipped' },
      ],
    });
  });
});
