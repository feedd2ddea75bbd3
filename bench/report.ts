/** The numbers as tables for people, and what they are measured against. */
import { table } from '../cli/table.ts';
import type { HookLoad } from './hooks.ts';
import type { SlowRollout } from './measurements.ts';
import type { PlannerTime } from './planner.ts';
import type { Speed } from './timing.ts';

export interface BenchResult {
  processors: number;
  speeds: Speed[];
  slow: SlowRollout | null;
  hooks: HookLoad | null;
  /** History events of workloads to which nothing happened. */
  idle: { workloads: number; seconds: number; events: number } | null;
  /** Of one plan of `PLANNED_PODS` pods, by kind. */
  planner: PlannerTime[];
  peakMemoryMib: number;
}

export const PLANNED_PODS = 10_000;

/** Text without a line feed at its end. */
export function reportOf({ processors, speeds, slow, hooks, idle, planner, peakMemoryMib }: BenchResult): string {
  return [
    `${processors} processors; a bare loop of the same client makes 2 writes to create a pod, 3 to update it and 1 to delete ` +
      'it; paced, it makes the last one of a create or an update when the kubelet runs the container',
    ...(speeds.length === 0 ? [] : [speedTable(speeds), processorTable(speeds)]),
    ...(slow === null ? [] : [slowSentence(slow)]),
    ...(hooks === null ? [] : [hookSentences(hooks)]),
    ...(idle === null ? [] : [idleSentence(idle)]),
    planner.map(planSentence).join('\n'),
    `Peak memory of the controller: ${peakMemoryMib.toFixed(0)} MiB`,
  ].join('\n\n');
}

const HEADINGS = 'WHAT|BARE PODS/S|PACED|PODS/S|RATIO|OF PACED|AIM|FIRST WRITE|READY|WRITES|EVENTS'.split('|');

function speedTable(speeds: Speed[]): string {
  const rows = speeds.map(({ what, bare, paced, operator, ratio, aim, ...speed }) => [
    what,
    ...[bare.toFixed(0), paced?.toFixed(0) ?? '-', operator.toFixed(0)],
    ...[ratio.toFixed(2), paced === undefined ? '-' : (operator / paced).toFixed(2), aim.toFixed(2)],
    ...[`${speed.firstWriteMs} ms`, `${(speed.readyMs / 1000).toFixed(1)} s`, String(speed.writes)],
    `${speed.history.events.toFixed(0)} in ${speed.history.looks.toFixed(0)} looks`,
  ]);
  return table(HEADINGS, rows);
}

/** One column a process, in the order in which they were measured. */
function processorTable(speeds: Speed[]): string {
  const processes = Object.keys(speeds[0]?.processor ?? {});
  const rows = speeds.map(({ what, processor }) => {
    const times = processes.map((name) => processor[name] ?? 0);
    const all = times.reduce((sum, ms) => sum + ms, 0);
    return [what, ...[all, ...times].map((ms) => ms.toFixed(1))];
  });
  return table(['PROCESSOR MS A POD', 'ALL', ...processes.map((name) => name.toUpperCase())], rows);
}

function slowSentence({ pods, longestSeconds, tookSeconds, history }: SlowRollout): string {
  const { events, looks, moves, rolloutEvents } = history;
  return [
    `Slow rollout: ${pods} pods that take up to ${longestSeconds} s each, a tenth at once, in ${tookSeconds.toFixed(0)} s:`,
    `${events} history events (limit 700) in ${looks} looks and ${moves} moves, ${rolloutEvents} of the rollout.`,
  ].join('\n');
}

function hookSentences({ hooks, seconds, startSeconds, lateness, eventsPerHour, memoryMib, load }: HookLoad): string {
  const { questions, medianMs, p99Ms, mostMs } = lateness;
  const late = `${medianMs.toFixed(0)} ms (median), ${p99Ms.toFixed(0)} ms (p99), ${mostMs.toFixed(0)} ms (most)`;
  const { controller, temporal, apiserver } = load;
  return [
    `HookRuns: ${hooks}, each asked every second for ${seconds} s; all had been asked after ${startSeconds.toFixed(1)} s:`,
    `${(questions / seconds).toFixed(0)} questions a second, late by ${late};`,
    `${eventsPerHour.toFixed(0)} history events an hour for each;`,
    `controller ${memoryMib.idle.toFixed(0)} MiB before, ${memoryMib.busy.toFixed(0)} MiB with them; processors:`,
    `${controller.toFixed(2)} the controller, ${temporal.toFixed(2)} Temporal, ${apiserver.toFixed(2)} the API server.`,
  ].join('\n');
}

const planSentence = ({ kind, againMs, freshMs }: PlannerTime): string =>
  `One plan of ${PLANNED_PODS} pods of a ${kind}: ${againMs.toFixed(1)} ms, ` +
  `of pods never seen before ${freshMs.toFixed(1)} ms (limit 20)`;

const idleSentence = ({ workloads, seconds, events }: NonNullable<BenchResult['idle']>): string =>
  `Idle: ${workloads} settled workloads added ${events} events to their histories in ${seconds} s (limit 0)`;
