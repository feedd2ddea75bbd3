/**
 * A metric's fields with their defaults resolved (game-workloads §3.1, decision 32). The one place that knows what an
 * absent or zero field means. Pure.
 */

import type { Metric } from '../../crds/metric.ts';
import { parseDurationMs } from './duration.ts';

/** An error is asked again after this where no interval says otherwise. */
const ERROR_RETRY_MS = 10_000;

/** No metric is asked more often than this, whatever its interval says. */
const MIN_INTERVAL_MS = 100;

/** Errors in a row that a metric with an end tolerates. */
const DEFAULT_ERROR_LIMIT = 4;

/**
 * - `one-shot`: the first measurement that is no error is the verdict.
 * - `counted`: `count` measurements that are no errors.
 * - `poll`: until a limit is reached.
 */
type MetricMode = 'one-shot' | 'counted' | 'poll';

/** Limits are counts that are still tolerated; Infinity where nothing ends the metric. */
export interface MetricRules {
  mode: MetricMode;
  count: number;
  /** Between measurements; after an error without an interval 10 s. */
  intervalMs: number;
  initialDelayMs: number;
  failureLimit: number;
  inconclusiveLimit: number;
  consecutiveErrorLimit: number;
  /** Successes that end the metric, in all and in a row. */
  successes: number;
  consecutiveSuccesses: number;
}

/** The rules a metric plays by. */
export function metricRules(metric: Metric): MetricRules {
  const mode = metricMode(metric);
  const isPoll = mode === 'poll';
  const intervalMs = durationOr(metric.interval, ERROR_RETRY_MS);
  return {
    mode,
    count: isPoll ? Number.POSITIVE_INFINITY : metric.count || 1,
    intervalMs: Math.max(intervalMs, MIN_INTERVAL_MS),
    initialDelayMs: durationOr(metric.initialDelay, 0),
    failureLimit: failureLimit(metric, mode),
    inconclusiveLimit: mode === 'one-shot' ? 0 : (metric.inconclusiveLimit ?? 0),
    consecutiveErrorLimit: metric.consecutiveErrorLimit ?? (isPoll ? Number.POSITIVE_INFINITY : DEFAULT_ERROR_LIMIT),
    successes: metric.successfulLimit || Number.POSITIVE_INFINITY,
    consecutiveSuccesses: metric.consecutiveSuccessfulLimit || Number.POSITIVE_INFINITY,
  };
}

function metricMode({ count = 0, interval }: Metric): MetricMode {
  if (count === 1 || (count === 0 && !interval)) return 'one-shot';
  return count === 0 ? 'poll' : 'counted';
}

/** 0 means "the first failure fails" where the metric has an end, and "failures never end it" in a poll. */
function failureLimit(metric: Metric, mode: MetricMode): number {
  if (mode === 'one-shot') return 0;
  if (mode === 'poll') return metric.failureLimit || Number.POSITIVE_INFINITY;
  return metric.failureLimit ?? 0;
}

function durationOr(text: string | undefined, fallback: number): number {
  return (text ? parseDurationMs(text) : undefined) ?? fallback;
}
