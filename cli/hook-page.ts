/** The metrics and last measurements of one HookRun as text. Pure. */

import { measurementsMade } from '../core/hooks/verdict.ts';
import type { HookRun, MetricResult } from '../crds/hook-run.ts';
import { ageOf, table } from './table.ts';

/** What a line of a terminal holds beside the other columns. */
const MAX_CELL = 60;

/** A table of metrics and one of measurements, the newest first; empty while nothing was measured. */
export function hookPage({ status }: HookRun, nowMs: number): string {
  const results = status?.metricResults ?? [];
  if (results.length === 0) return '';
  return `${metricTable(results)}\n\n${measurementTable(results, nowMs)}`;
}

function metricTable(results: readonly MetricResult[]): string {
  const rows = results.map((result) => {
    const { name, phase, successful = 0, failed = 0, inconclusive = 0, error = 0, message = '' } = result;
    const counts = [measurementsMade(result), successful, failed, inconclusive, error];
    return [name, phase, ...counts.map(String), message.slice(0, MAX_CELL)];
  });
  return table(['METRIC', 'PHASE', 'MEASURED', 'SUCCESSFUL', 'FAILED', 'INCONCLUSIVE', 'ERROR', 'MESSAGE'], rows);
}

function measurementTable(results: readonly MetricResult[], nowMs: number): string {
  const made = results.flatMap(({ name, measurements = [] }) => measurements.map((each) => ({ name, ...each })));
  const newestFirst = made.toSorted((a, b) => (b.finishedAt ?? '').localeCompare(a.finishedAt ?? ''));
  const rows = newestFirst.map(({ name, phase, finishedAt, value = '', message = '' }) => [
    ...[ageOf(finishedAt, nowMs), name, phase],
    ...[value.slice(0, MAX_CELL), message.slice(0, MAX_CELL)],
  ]);
  return table(['AGO', 'METRIC', 'PHASE', 'VALUE', 'MESSAGE'], rows);
}
