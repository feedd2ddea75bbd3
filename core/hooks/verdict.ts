/**
 * The reducer: what a metric's result becomes with one more measurement (game-workloads §3.2, decision 32). Pure; a
 * terminal result never changes, and only measurements that are no errors count towards `count`.
 */

import type { HookPhase } from '../../crds/hook-phase.ts';
import type { Measurement, MetricResult } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import { cutText } from '../cut-text.ts';
import { type MetricRules, metricRules } from './metric-rules.ts';
import { isTerminal } from './phases.ts';

/** The newest measurements stay in the object, the counters know of all. */
export const KEPT_MEASUREMENTS = 10;
/** Of those before the last one as much as a table shows: 64 metrics of ten long answers each would not fit into an object. */
const EARLIER_VALUE_LENGTH = 64;
const EARLIER_MESSAGE_LENGTH = 128;

/** A measurement that has been made. Times are ISO 8601. */
export interface FinishedMeasurement extends Measurement {
  phase: 'Successful' | 'Failed' | 'Inconclusive' | 'Error';
  startedAt: string;
  finishedAt: string;
}

/** A measurement that goes on outside, such as a Job: to be looked at again at `resumeAt`. It counts once it has finished. */
export interface OpenMeasurement extends Measurement {
  phase: 'Running';
  message: string;
  /** When what is measured is known to have begun. */
  startedAt?: string;
  resumeAt: string;
}

type Counters = Required<
  Pick<
    MetricResult,
    'count' | 'successful' | 'failed' | 'inconclusive' | 'error' | 'consecutiveError' | 'consecutiveSuccessful'
  >
>;

/** `result` (undefined: nothing measured yet) with one more measurement. */
export function applyMeasurement(
  metric: Metric,
  result: MetricResult | undefined,
  measurement: FinishedMeasurement,
): MetricResult {
  if (result !== undefined && isTerminal(result.phase)) return result;
  const counters = count(result, measurement.phase);
  const { phase, message } = judge(metricRules(metric), counters, measurement);
  const measurements = keptMeasurements([...finishedMeasurements(result), measurement]);
  return { name: metric.name, phase, ...counters, ...(message !== undefined && { message }), measurements };
}

/** `result` with a measurement that goes on, in place of what was known of it before. */
export function holdMeasurement(
  metric: Metric,
  result: MetricResult | undefined,
  measurement: OpenMeasurement,
): MetricResult {
  if (result !== undefined && isTerminal(result.phase)) return result;
  const measurements = keptMeasurements([...finishedMeasurements(result), measurement]);
  return { ...result, name: metric.name, phase: 'Running', message: measurement.message, measurements };
}

/** The newest of them, the oldest first. */
export function keptMeasurements(measurements: readonly Measurement[]): Measurement[] {
  const kept = measurements.slice(-KEPT_MEASUREMENTS);
  return kept.map((measurement, index) => (index === kept.length - 1 ? measurement : shortened(measurement)));
}

function shortened({ value, message, ...measurement }: Measurement): Measurement {
  return {
    ...measurement,
    ...(message !== undefined && { message: cutText(message, EARLIER_MESSAGE_LENGTH) }),
    ...(value !== undefined && { value: cutText(value, EARLIER_VALUE_LENGTH) }),
  };
}

/** The measurements of `result` that have an end. */
export function finishedMeasurements(result: MetricResult | undefined): Measurement[] {
  return (result?.measurements ?? []).filter(({ finishedAt }) => finishedAt !== undefined);
}

/** The measurement of `result` that goes on. */
export function openMeasurement({ measurements }: Pick<MetricResult, 'measurements'>): Measurement | undefined {
  const last = measurements?.at(-1);
  return last !== undefined && last.finishedAt === undefined && last.resumeAt !== undefined ? last : undefined;
}

/** Measurements made in all, errors included; it only ever grows, so it tells which of two results is further. */
export function measurementsMade({ count = 0, error = 0 }: MetricResult): number {
  return count + error;
}

function count(result: Partial<MetricResult> = {}, phase: FinishedMeasurement['phase']): Counters {
  const isError = phase === 'Error';
  return {
    count: (result.count ?? 0) + (isError ? 0 : 1),
    successful: (result.successful ?? 0) + (phase === 'Successful' ? 1 : 0),
    failed: (result.failed ?? 0) + (phase === 'Failed' ? 1 : 0),
    inconclusive: (result.inconclusive ?? 0) + (phase === 'Inconclusive' ? 1 : 0),
    error: (result.error ?? 0) + (isError ? 1 : 0),
    consecutiveError: isError ? (result.consecutiveError ?? 0) + 1 : 0,
    consecutiveSuccessful: phase === 'Successful' ? (result.consecutiveSuccessful ?? 0) + 1 : 0,
  };
}

interface Judgement {
  phase: HookPhase;
  message?: string;
}

/** The first rule that matches decides, in the order of game-workloads §3.2. */
function judge(rules: MetricRules, counters: Counters, last: FinishedMeasurement): Judgement {
  const { failed, inconclusive, successful, consecutiveError, consecutiveSuccessful } = counters;
  if (failed > rules.failureLimit) return end('Failed', times(failed, 'failed'), last);
  if (successful >= rules.successes) return { phase: 'Successful' };
  if (inconclusive > rules.inconclusiveLimit) return end('Inconclusive', times(inconclusive, 'was inconclusive'), last);
  if (consecutiveError > rules.consecutiveErrorLimit) {
    const row = consecutiveError === 1 ? '' : ' in a row';
    return end('Error', `${times(consecutiveError, 'could not be measured')}${row}`, last);
  }
  if (consecutiveSuccessful >= rules.consecutiveSuccesses) return { phase: 'Successful' };
  if (counters.count >= rules.count) return countReached(rules, counters);
  return { phase: 'Running' };
}

/** A counted metric that asks for successes and did not get them has not succeeded. */
function countReached(rules: MetricRules, { count, successful }: Counters): Judgement {
  const asksForSuccesses = Number.isFinite(rules.successes) || Number.isFinite(rules.consecutiveSuccesses);
  if (rules.mode !== 'counted' || !asksForSuccesses) return { phase: 'Successful' };
  return { phase: 'Inconclusive', message: `measured ${count} times with ${successful} successes, too few` };
}

function end(phase: HookPhase, what: string, { message }: FinishedMeasurement): Judgement {
  return { phase, message: message === undefined || message === '' ? what : `${what}: ${message}` };
}

function times(count: number, what: string): string {
  return count === 1 ? what : `${what} ${count} times`;
}
