/** The numbers as a table for people, and what they are measured against. */
import { table } from '../cli/table.ts';
import type { SlowRollout, Speed } from './measurements.ts';

export interface BenchResult {
  processors: number;
  speeds: Speed[];
  slow: SlowRollout | null;
  peakMemoryMib: number;
}

/** Text without a line feed at its end. */
export function reportOf({ processors, speeds, slow, peakMemoryMib }: BenchResult): string {
  return [
    `${processors} processors; a bare loop of the same client makes 2 writes to create a pod and 3 to update it`,
    speedTable(speeds),
    ...(slow === null ? [] : [slowSentence(slow)]),
    `Peak memory of the controller: ${peakMemoryMib.toFixed(0)} MiB`,
  ].join('\n\n');
}

function speedTable(speeds: Speed[]): string {
  const rows = speeds.map((speed) => [
    `${speed.what} ${speed.pods} pods`,
    ...[speed.bare.toFixed(0), speed.operator.toFixed(0), speed.ratio.toFixed(2), '0.50'],
    ...[`${speed.firstWriteMs} ms`, `${(speed.readyMs / 1000).toFixed(1)} s`],
    ...[String(speed.writes), `${speed.history.events} in ${speed.history.looks} looks`],
  ]);
  const headings = ['WHAT', 'BARE PODS/S', 'PODS/S', 'RATIO', 'AIM', 'FIRST WRITE', 'READY', 'WRITES', 'EVENTS'];
  return table(headings, rows);
}

function slowSentence({ pods, longestSeconds, tookSeconds, history }: SlowRollout): string {
  const { events, looks, moves, rolloutEvents } = history;
  return [
    `Slow rollout: ${pods} pods that take up to ${longestSeconds} s each, a tenth at once, in ${tookSeconds.toFixed(0)} s:`,
    `${events} history events (limit 700) in ${looks} looks and ${moves} moves, ${rolloutEvents} of the rollout.`,
  ].join('\n');
}
