/** How late polls of one second come when many HookRuns are measured at once, and what they cost. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Operator } from '../devstack/operator.ts';
import { waitFor } from '../devstack/wait.ts';
import { createRuns, deleteRuns, eventsPerRun, HookTarget, namesOf } from './hook-load.ts';
import type { LatenessSummary } from './lateness.ts';
import { memoryMib, processorTime, timeEach } from './processor-time.ts';

const STARTED_WITHIN_MS = 300_000;
/** What is shown of a run for the first time is shown after ten seconds. */
const CALM_MS = 20_000;

export interface HookLoad {
  hooks: number;
  seconds: number;
  /** Until each of them had been asked once. */
  startSeconds: number;
  lateness: LatenessSummary;
  /** Of one run. */
  eventsPerHour: number;
  memoryMib: { idle: number; busy: number };
  /** Processors that each kept busy. */
  load: Record<'controller' | 'temporal' | 'apiserver', number>;
}

interface HookLoadOptions {
  hooks: number;
  /** How long to measure, once all of them have been asked. */
  seconds: number;
}

/** Creates HookRuns that are asked each second and never succeed, watches them for a while and deletes them. */
export async function measureHooks(
  operator: Operator,
  { hooks, seconds }: HookLoadOptions,
  say: (line: string) => void,
): Promise<HookLoad> {
  const target = await HookTarget.open();
  const names = namesOf(hooks);
  const idle = await memoryMib(operator.controller.pid, 'VmRSS');
  const createdAtMs = performance.now();
  say(`creating ${hooks} HookRuns that are asked each second`);
  await createRuns(operator, target, names);
  await untilAllAsked(target, hooks);
  const startSeconds = (performance.now() - createdAtMs) / 1000;
  await delay(CALM_MS);
  say(`measuring them for ${seconds} s`);
  const watched = await watch(operator, target, names, seconds);
  await deleteRuns(operator, names);
  target.close();
  const { busy, ...measured } = watched;
  return { hooks, seconds, startSeconds, ...measured, memoryMib: { idle, busy } };
}

type Watched = Pick<HookLoad, 'lateness' | 'eventsPerHour' | 'load'> & { busy: number };

async function watch(
  operator: Operator,
  { lateness }: HookTarget,
  names: readonly string[],
  seconds: number,
): Promise<Watched> {
  const [events, before] = [await eventsPerRun(operator, names), await processorTime(operator)];
  lateness.restart();
  await delay(seconds * 1000);
  const summary = lateness.summary();
  const busy = await memoryMib(operator.controller.pid, 'VmRSS');
  const load = timeEach(before, await processorTime(operator), seconds * 1000);
  const eventsPerHour = ((await eventsPerRun(operator, names)) - events) * (3600 / seconds);
  return {
    ...{ lateness: summary, eventsPerHour, busy },
    load: { controller: load.operator!, temporal: load.temporal!, apiserver: load['kube-apiserver']! },
  };
}

async function untilAllAsked({ lateness }: HookTarget, hooks: number): Promise<void> {
  const check = async () => {
    if (lateness.askers >= hooks) return true;
    throw new Error(`${lateness.askers} of ${hooks} HookRuns were asked`);
  };
  await waitFor(check, { what: 'the first question of each', timeoutMs: STARTED_WITHIN_MS, intervalMs: 200 });
}
