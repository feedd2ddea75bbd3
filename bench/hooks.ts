/** npm run bench:hooks: how late polls of one second come when many HookRuns are measured at once, and what they cost. */
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { interruption } from '../devstack/interruption.ts';
import { type Operator, withOperator } from '../devstack/operator.ts';
import { waitFor } from '../devstack/wait.ts';
import { readCount } from './arguments.ts';
import { createRuns, eventsPerRun, HookTarget, namesOf } from './hook-load.ts';
import type { LatenessSummary } from './lateness.ts';
import { memoryMib, processorTime, timeEach } from './processor-time.ts';

const HELP = `Usage: npm run bench:hooks -- [options]

Creates HookRuns that are asked each second and never succeed, on real servers of its own, and measures for a while.

  --hooks N     HookRuns at once (default 500)
  --seconds N   how long to measure, once all of them have been asked (default 120)
  --json        print the numbers as JSON
  --help        show this text
`;

const say = (line: string) => console.error(`bench: ${line}`);
const STARTED_WITHIN_MS = 300_000;

interface HookBench {
  processors: number;
  hooks: number;
  seconds: number;
  /** Until each of them had been asked once. */
  startSeconds: number;
  lateness: LatenessSummary;
  eventsPerHour: number;
  memoryMib: { idle: number; busy: number };
  /** Processors that each kept busy. */
  load: Record<'controller' | 'temporal' | 'apiserver', number>;
}

async function measure(operator: Operator, hooks: number, seconds: number): Promise<HookBench> {
  const target = await HookTarget.open();
  const names = namesOf(hooks);
  const heldMib = () => memoryMib(operator.controller.pid, 'VmRSS');
  const idle = await heldMib();
  const createdAtMs = performance.now();
  say(`creating ${hooks} HookRuns`);
  await createRuns(operator, target, names);
  await untilAllAsked(target, hooks);
  const startSeconds = (performance.now() - createdAtMs) / 1000;
  // What is shown for the first time is shown after ten seconds.
  await delay(20_000);
  say(`measuring for ${seconds} s`);
  const [events, before] = [await eventsPerRun(operator, names), await processorTime(operator)];
  target.lateness.restart();
  await delay(seconds * 1000);
  const lateness = target.lateness.summary();
  const busy = await heldMib();
  const load = timeEach(before, await processorTime(operator), seconds * 1000);
  const eventsPerHour = ((await eventsPerRun(operator, names)) - events) * (3600 / seconds);
  target.close();
  return {
    ...{ processors: availableParallelism(), hooks, seconds, startSeconds, lateness, eventsPerHour },
    memoryMib: { idle, busy },
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

function reportOf({
  processors,
  hooks,
  seconds,
  startSeconds,
  lateness,
  eventsPerHour,
  memoryMib,
  load,
}: HookBench): string {
  const { questions, medianMs, p99Ms, mostMs } = lateness;
  const perSecond = questions / seconds;
  return [
    `${processors} processors, ${hooks} HookRuns asked each second, for ${seconds} s; all had been asked after ${startSeconds.toFixed(1)} s`,
    `Questions: ${perSecond.toFixed(0)} a second; late by ${medianMs.toFixed(0)} ms (median), ${p99Ms.toFixed(0)} ms (p99), ${mostMs.toFixed(0)} ms (most)`,
    `Controller: ${memoryMib.idle.toFixed(0)} MiB before, ${memoryMib.busy.toFixed(0)} MiB with them`,
    `Processors: ${load.controller.toFixed(2)} the controller, ${load.temporal.toFixed(2)} Temporal, ${load.apiserver.toFixed(2)} the API server`,
    `History: ${eventsPerHour.toFixed(0)} events an hour for each`,
  ].join('\n');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      hooks: { type: 'string', default: '500' },
      seconds: { type: 'string', default: '120' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const [hooks, seconds] = [readCount('--hooks', values.hooks, 1), readCount('--seconds', values.seconds, 1)];
  const servers = { components: ['kube-apiserver', 'temporal'] as const, signal: interruption() };
  await withOperator({ ...servers, log: say, userAgent: 'bench' }, async (operator) => {
    const result = await measure(operator, hooks, seconds);
    console.log(values.json ? JSON.stringify(result, undefined, 2) : reportOf(result));
  });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
