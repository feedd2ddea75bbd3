/** The numbers as a table for people, and what they are measured against. */
import { table } from '../cli/table.ts';
import type { SlowRollout, Speed } from './measurements.ts';

export interface BenchResult {
  processors: number;
  speeds: Speed[];
  slow: SlowRollout | null;
  /** Of one plan of `PLANNED_PODS` pods. */
  plannerMs: number;
  peakMemoryMib: number;
}

export const PLANNED_PODS = 10_000;

/** Text without a line feed at its end. */
export function reportOf({ processors, speeds, slow, plannerMs, peakMemoryMib }: BenchResult): string {
  return [
    `${processors} processors; a bare loop of the same client makes 2 writes to create a pod and 3 to update it; ` +
      'paced, it makes the third when the kubelet has restarted the container',
    speedTable(speeds),
    ...(slow === null ? [] : [slowSentence(slow)]),
    `One plan of ${PLANNED_PODS} pods: ${plannerMs.toFixed(1)} ms (limit 20)`,
    `Peak memory of the controller: ${peakMemoryMib.toFixed(0)} MiB`,
  ].join('\n\n');
}

const HEADINGS = 'WHAT|BARE PODS/S|PACED|PODS/S|RATIO|OF PACED|AIM|FIRST WRITE|READY|WRITES|EVENTS'.split('|');

function speedTable(speeds: Speed[]): string {
  const rows = speeds.map(({ what, pods, bare, paced, operator, ratio, ...speed }) => [
    `${what} ${pods} pods`,
    ...[bare.toFixed(0), paced?.toFixed(0) ?? '-', operator.toFixed(0)],
    ...[ratio.toFixed(2), paced === undefined ? '-' : (operator / paced).toFixed(2), '0.50'],
    ...[`${speed.firstWriteMs} ms`, `${(speed.readyMs / 1000).toFixed(1)} s`],
    ...[String(speed.writes), `${speed.history.events} in ${speed.history.looks} looks`],
  ]);
  return table(HEADINGS, rows);
}

function slowSentence({ pods, longestSeconds, tookSeconds, history }: SlowRollout): string {
  const { events, looks, moves, rolloutEvents } = history;
  return [
    `Slow rollout: ${pods} pods that take up to ${longestSeconds} s each, a tenth at once, in ${tookSeconds.toFixed(0)} s:`,
    `${events} history events (limit 700) in ${looks} looks and ${moves} moves, ${rolloutEvents} of the rollout.`,
  ].join('\n');
}
