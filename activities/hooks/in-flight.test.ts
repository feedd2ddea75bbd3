import { expect, it } from 'vitest';
import type { FinishedMeasurement } from '../../core/hooks/verdict.ts';
import type { Metric } from '../../crds/metric.ts';
import { InFlight } from './in-flight.ts';

const METRIC = { name: 'players' } as Metric;
const ANSWER = { phase: 'Successful' } as FinishedMeasurement;

it('an answer that nobody has taken yet is no reason to ask again', async () => {
  const inFlight = new InFlight();
  inFlight.start(METRIC, 1_000, async () => ANSWER);
  await inFlight.wait(10_000, new AbortController().signal);
  expect([inFlight.isMeasuring(METRIC), inFlight.isEmpty]).toEqual([true, false]);
  expect(inFlight.oldestMs).toBe(1_000);
  expect(inFlight.take()).toEqual([{ metric: METRIC, measurement: ANSWER }]);
  expect([inFlight.isMeasuring(METRIC), inFlight.isEmpty]).toEqual([false, true]);
  expect(inFlight.oldestMs).toBe(Number.POSITIVE_INFINITY);
});

it('what a measurement throws is told to whoever takes', async () => {
  const inFlight = new InFlight();
  inFlight.start(METRIC, 1_000, () => Promise.reject(new Error('a fault of ours')));
  await inFlight.wait(10_000, new AbortController().signal);
  expect(() => inFlight.take()).toThrow('a fault of ours');
});
