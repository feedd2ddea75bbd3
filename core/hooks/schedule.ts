/** When each metric of a run is measured next (game-workloads §3.2, scheduling). Pure: the clock is handed in. */

import type { HookRunSpec, HookRunStatus, MetricResult } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import { metricRules } from './metric-rules.ts';
import { isTerminal } from './phases.ts';

/** `due` is to be measured now, side by side; `nextAtMs` is when to look again otherwise: a metric is due, or the deadline. */
export interface MeasurementPlan {
  due: Metric[];
  nextAtMs: number | undefined;
}

/** What to measure. Ordered: only the first metric that has not ended; otherwise all of them. */
export function planMeasurements(spec: HookRunSpec, status: HookRunStatus, nowMs: number): MeasurementPlan {
  const open = spec.metrics
    .map((metric) => ({ metric, result: resultOf(status, metric.name) }))
    .filter(({ result }) => !isTerminal(result?.phase));
  const candidates = spec.policy === 'Ordered' ? open.slice(0, 1) : open;
  const startedAtMs = Date.parse(status.startedAt ?? '') || nowMs;
  const timed = candidates.map(({ metric, result }) => ({ metric, dueMs: dueAtMs(metric, result, startedAtMs) }));
  const deadlineMs = startedAtMs + (spec.activeDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const later = [...timed.map(({ dueMs }) => dueMs), deadlineMs].filter((ms) => ms > nowMs && Number.isFinite(ms));
  return {
    due: timed.filter(({ dueMs }) => dueMs <= nowMs).map(({ metric }) => metric),
    nextAtMs: open.length > 0 && later.length > 0 ? Math.min(...later) : undefined,
  };
}

/** Epoch milliseconds at which a metric that has not ended is to be measured. */
function dueAtMs(metric: Metric, result: MetricResult | undefined, startedAtMs: number): number {
  const { initialDelayMs, intervalMs } = metricRules(metric);
  const last = result?.measurements?.at(-1);
  if (last === undefined) return startedAtMs + initialDelayMs;
  const resumeAtMs = Date.parse(last.resumeAt ?? '');
  if (!Number.isNaN(resumeAtMs)) return resumeAtMs;
  return (Date.parse(last.finishedAt ?? last.startedAt ?? '') || startedAtMs) + intervalMs;
}

/** The result of one metric, if there is one. */
export function resultOf(status: HookRunStatus, metricName: string): MetricResult | undefined {
  return status.metricResults?.find(({ name }) => name === metricName);
}
