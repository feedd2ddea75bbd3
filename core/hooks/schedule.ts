/** When each metric of a run is measured next (game-workloads §3.2, scheduling). Pure: the clock is handed in. */

import type { HookRun, HookRunSpec, HookRunStatus, MetricResult } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import { expiresAtMs } from './expiry.ts';
import { metricRules } from './metric-rules.ts';
import { isTerminal } from './phases.ts';

/** What is due so long and not done has nobody who does it. A status is written every 10 s. */
const LEFT_ALONE_MS = 60_000;

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
  const later = [...timed.map(({ dueMs }) => dueMs), deadlineMs(spec, startedAtMs)].filter(
    (ms) => ms > nowMs && Number.isFinite(ms),
  );
  return {
    due: timed.filter(({ dueMs }) => dueMs <= nowMs).map(({ metric }) => metric),
    nextAtMs: open.length > 0 && later.length > 0 ? Math.min(...later) : undefined,
  };
}

/** When a run that began then has taken too long. */
export function deadlineMs({ activeDeadlineSeconds }: HookRunSpec, startedAtMs: number): number {
  return startedAtMs + (activeDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
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

/**
 * Does it look as if no workflow worked on this run? It has not begun, its next measurement is long due, its time to be deleted
 * has passed; or it is to be terminated and was not yet.
 */
export function isLeftAlone(run: Pick<HookRun, 'metadata' | 'spec' | 'status'>, nowMs: number): boolean {
  const { spec, status } = run;
  const expiresAt = expiresAtMs(run);
  if (isTerminal(status?.phase)) return expiresAt !== undefined && nowMs > expiresAt + LEFT_ALONE_MS;
  if (status?.startedAt === undefined || spec.terminate === true) return true;
  const shouldBeDoneMs = nowMs - LEFT_ALONE_MS;
  if (shouldBeDoneMs > deadlineMs(spec, Date.parse(status.startedAt))) return true;
  return planMeasurements(spec, status, shouldBeDoneMs).due.length > 0;
}

/** The result of one metric, if there is one. */
export function resultOf(status: HookRunStatus, metricName: string): MetricResult | undefined {
  return status.metricResults?.find(({ name }) => name === metricName);
}
