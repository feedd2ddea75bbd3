/** A run at a glance, for `kubectl get` and `holdfast get`: the metric that matters, its value, when it is asked next. Pure. */

import type { HookRunSpec, HookRunStatus, MetricResult } from '../../crds/hook-run.ts';
import { cutText } from '../cut-text.ts';
import { isBroken, isTerminal } from './phases.ts';
import { planMeasurements, resultOf } from './schedule.ts';

/** A column of a table. */
const MAX_VALUE_LENGTH = 64;

export type HookRunSummary = Pick<HookRunStatus, 'metric' | 'value' | 'nextMeasurementAt'>;

/**
 * The result that tells most of the run: the first that is broken, else the first that is no success yet, else the last. undefined
 * while nothing was measured.
 */
export function tellingResult(spec: HookRunSpec, status: HookRunStatus): MetricResult | undefined {
  const results = spec.metrics.flatMap(({ name }) => resultOf(status, name) ?? []);
  return (
    results.find(({ phase }) => isBroken(phase)) ??
    results.find(({ phase }) => phase !== 'Successful') ??
    results.at(-1)
  );
}

/** `status` with its summary as of now. */
export function summarize(spec: HookRunSpec, status: HookRunStatus, nowMs: number): HookRunStatus {
  const { metric: _metric, value: _value, nextMeasurementAt: _next, ...facts } = status;
  const telling = tellingResult(spec, facts);
  const value = telling?.measurements?.findLast((made) => made.value !== undefined)?.value;
  const nextAtMs = isTerminal(facts.phase) ? undefined : nextMeasurementMs(spec, facts, nowMs);
  return {
    ...facts,
    ...(telling !== undefined && { metric: telling.name }),
    ...(value !== undefined && { value: cutText(value, MAX_VALUE_LENGTH) }),
    ...(nextAtMs !== undefined && { nextMeasurementAt: new Date(nextAtMs).toISOString() }),
  };
}

function nextMeasurementMs(spec: HookRunSpec, status: HookRunStatus, nowMs: number): number | undefined {
  const { due, nextAtMs } = planMeasurements({ ...spec, activeDeadlineSeconds: undefined }, status, nowMs);
  return due.length > 0 ? nowMs : nextAtMs;
}
