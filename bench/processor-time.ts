/**
 * Where processor time goes, by process, as the kernel counts it (Linux): unlike a rate it hardly depends on what else the
 * machine does.
 */
import { readFile } from 'node:fs/promises';
import type { Operator } from '../devstack/operator.ts';

/** Processor time by process, in milliseconds; `bench` is this process: the bare loops and the looks at how far things are. */
export type ProcessorTime = Record<string, number>;

/** Of a tick, in which the kernel counts: 100 a second on every Linux of today. */
const TICK_MS = 10;

/** All that there was so far; the difference of two is what lies between them. */
export async function processorTime({ stack, controller }: Operator): Promise<ProcessorTime> {
  const servers = stack.running().map(({ name, pid }) => [name, pid] as const);
  const all = [...servers, ['operator', controller.pid] as const, ['bench', process.pid] as const];
  const times = await Promise.all(all.map(async ([name, pid]) => [name, await timeOf(pid)] as const));
  return Object.fromEntries(times);
}

/** Processor time between two moments for each of `count` things. */
export function timeEach(before: ProcessorTime, after: ProcessorTime, count: number): ProcessorTime {
  const each = ([name, ms]: [string, number]) => [name, (ms - (before[name] ?? 0)) / count];
  return Object.fromEntries(Object.entries(after).map(each));
}

async function timeOf(pid: number | undefined): Promise<number> {
  // The name of the program stands in brackets and may hold anything; utime and stime are the 12th and 13th word after it.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(words[11]) + Number(words[12])) * TICK_MS;
}

/** What the kernel says of a process's memory, in MiB: the most that it ever held (`VmHWM`), or what it holds now (`VmRSS`). */
export async function memoryMib(pid: number | undefined, what: 'VmHWM' | 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
}
