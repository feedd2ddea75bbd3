/**
 * A whole run: how it begins or is taken up again, how measurements enter it, and when it has ended (decisions 33, 34,
 * 39). Pure; every function returns a new status.
 */

import type { HookRunSpec, HookRunStatus, Measurement, MetricResult } from '../../crds/hook-run.ts';
import type { Metric } from '../../crds/metric.ts';
import { cutText } from '../cut-text.ts';
import { isBroken, isTerminal, runPhase } from './phases.ts';
import { deadlineMs, resultOf } from './schedule.ts';
import { tellingResult } from './summary.ts';
import {
  applyMeasurement,
  type FinishedMeasurement,
  finishedMeasurements,
  holdMeasurement,
  keptMeasurements,
  measurementsMade,
  type OpenMeasurement,
  openMeasurement,
} from './verdict.ts';

/** Messages are for people and for conditions; the apiserver's bound is far above. */
const MAX_MESSAGE_LENGTH = 1024;

/**
 * The status of a run that is to be worked on: started, and without measurements that a death cut short. One that goes on
 * outside is looked at again.
 */
export function beginRun(status: HookRunStatus | undefined, nowMs: number): HookRunStatus {
  const metricResults = status?.metricResults?.map((result) => ({
    ...result,
    measurements: result.measurements?.filter(({ finishedAt, resumeAt }) => (finishedAt ?? resumeAt) !== undefined),
  }));
  return {
    ...status,
    phase: status?.phase === undefined || status.phase === 'Pending' ? 'Running' : status.phase,
    startedAt: status?.startedAt ?? toTime(nowMs),
    ...(metricResults !== undefined && { metricResults }),
  };
}

/** `status` with the measurement of one metric. */
export function addMeasurement(status: HookRunStatus, metric: Metric, made: FinishedMeasurement): HookRunStatus {
  return replaceResult(status, applyMeasurement(metric, resultOf(status, metric.name), made));
}

/** `status` with a measurement of one metric that goes on outside. */
export function addOpenMeasurement(status: HookRunStatus, metric: Metric, open: OpenMeasurement): HookRunStatus {
  return replaceResult(status, holdMeasurement(metric, resultOf(status, metric.name), open));
}

/**
 * Ends what has to end: the metrics that are left after one broke or after `terminate`, those past the deadline, and
 * the run itself once all have ended. To be called after every round of measurements and before the next.
 */
export function settleRun(spec: HookRunSpec, status: HookRunStatus, nowMs: number): HookRunStatus {
  if (isTerminal(status.phase)) return status;
  let settled = status;
  const stop = stopReason(spec, status, nowMs);
  if (stop !== undefined) {
    for (const { name } of spec.metrics) settled = stopMetric(settled, name, stop);
  }
  const phase = runPhase(spec.metrics.map(({ name }) => resultOf(settled, name)?.phase));
  const message = runMessage(spec, settled);
  return {
    ...settled,
    phase,
    ...(message !== undefined && { message: cutText(message, MAX_MESSAGE_LENGTH) }),
    ...(isTerminal(phase) && { finishedAt: toTime(nowMs) }),
  };
}

/** A run that cannot be worked on at all. */
export function refuseRun(status: HookRunStatus | undefined, message: string, nowMs: number): HookRunStatus {
  const at = toTime(nowMs);
  const startedAt = status?.startedAt ?? at;
  return { ...status, phase: 'Error', message: cutText(message, MAX_MESSAGE_LENGTH), startedAt, finishedAt: at };
}

/**
 * Does `status` know more than another copy of it? A verdict that stands is never replaced, a verdict beats none, else
 * more measurements count: a process that slept and wakes up with an old copy must not undo what was counted meanwhile.
 */
export function isFurther(status: HookRunStatus, than: HookRunStatus | undefined): boolean {
  if (than === undefined) return true;
  if (isTerminal(than.phase)) return false;
  return isTerminal(status.phase) || progress(status) > progress(than);
}

/**
 * Where to go on with two copies of a run: the one that is further, with the measurements that only the other one still has. A
 * heartbeat brings the last measurement of each metric, the object those before it.
 */
export function takeUp(stored: HookRunStatus, told: HookRunStatus | undefined): HookRunStatus {
  if (told === undefined || !isFurther(told, stored)) return stored;
  const metricResults = told.metricResults?.map((result) => {
    const { measurements = [] } = result;
    const isTold = ({ finishedAt }: Measurement) => measurements.some((made) => made.finishedAt === finishedAt);
    const before = finishedMeasurements(resultOf(stored, result.name)).filter((made) => !isTold(made));
    return { ...result, measurements: keptMeasurements([...before, ...measurements]) };
  });
  return { ...told, ...(metricResults !== undefined && { metricResults }) };
}

/** What must be known to go on counting: each metric with its last measurement only. Small enough for a heartbeat. */
export function briefStatus(status: HookRunStatus): HookRunStatus {
  const metricResults = status.metricResults?.map((result) => ({
    ...result,
    ...(result.measurements !== undefined && { measurements: result.measurements.slice(-1) }),
  }));
  return metricResults === undefined ? status : { ...status, metricResults };
}

function progress(status: HookRunStatus): number {
  const made = (status.metricResults ?? []).reduce((sum, result) => sum + measurementsMade(result), 0);
  return status.startedAt === undefined ? made : made + 1;
}

/** Why metrics that have not ended are ended now. */
type Stop = { phase: 'Terminated' | 'Error'; whenUnstarted: 'Skipped' | 'Error'; message: string };

function stopReason(spec: HookRunSpec, status: HookRunStatus, nowMs: number): Stop | undefined {
  const broken = spec.metrics.find(({ name }) => isBroken(resultOf(status, name)?.phase));
  if (broken !== undefined) return stopQuietly(`stopped because metric ${broken.name} ended`);
  if (spec.terminate === true) return stopQuietly('stopped by spec.terminate');
  const { activeDeadlineSeconds } = spec;
  const startedAtMs = Date.parse(status.startedAt ?? '');
  if (!(nowMs >= deadlineMs(spec, startedAtMs))) return undefined;
  const message = `not finished within activeDeadlineSeconds ${activeDeadlineSeconds}`;
  return { phase: 'Error', whenUnstarted: 'Error', message };
}

function stopQuietly(message: string): Stop {
  return { phase: 'Terminated', whenUnstarted: 'Skipped', message };
}

function stopMetric(status: HookRunStatus, name: string, stop: Stop): HookRunStatus {
  const result = resultOf(status, name);
  if (isTerminal(result?.phase)) return status;
  const { message } = stop;
  const hasBegun = result !== undefined && (measurementsMade(result) > 0 || openMeasurement(result) !== undefined);
  if (!hasBegun) return replaceResult(status, { name, phase: stop.whenUnstarted, message });
  return replaceResult(status, { ...result, phase: stop.phase, message, measurements: finishedMeasurements(result) });
}

function replaceResult(status: HookRunStatus, result: MetricResult): HookRunStatus {
  const results = status.metricResults ?? [];
  const metricResults = results.some(({ name }) => name === result.name)
    ? results.map((old) => (old.name === result.name ? result : old))
    : [...results, result];
  return { ...status, metricResults };
}

/** What the first metric that is not a success has to say. */
function runMessage(spec: HookRunSpec, status: HookRunStatus): string | undefined {
  const telling = tellingResult(spec, status);
  if (telling === undefined) return undefined;
  if (telling.phase === 'Successful') return '';
  return `metric ${telling.name} ${telling.message ?? progressOf(telling)}`;
}

function progressOf({ measurements = [], ...result }: MetricResult): string {
  const last = measurements.at(-1);
  const why = last?.message ? `: ${last.message}` : '';
  return `was measured ${measurementsMade(result as MetricResult)} times, last ${last?.phase ?? 'unknown'}${why}`;
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
