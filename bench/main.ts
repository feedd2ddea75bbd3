/** npm run bench: how fast the operator is beside a bare loop, what it holds in memory, what its rollouts and HookRuns cost. */
import { availableParallelism } from 'node:os';
import { interruption } from '../devstack/interruption.ts';
import { type Operator, withOperator } from '../devstack/operator.ts';
import type { ComponentName } from '../devstack/servers.ts';
import { type BenchArguments, HELP, type Part, readBenchArguments } from './arguments.ts';
import { measureHooks } from './hooks.ts';
import { measureSlowRollout, peakMemoryMib } from './measurements.ts';
import { measurePlanner } from './planner.ts';
import { type BenchResult, PLANNED_PODS, reportOf } from './report.ts';
import { AIMS, measureBareTimes, measureGame, measureHerd } from './scale.ts';
import type { Speed } from './timing.ts';

const say = (line: string) => console.error(`bench: ${new Date().toISOString().slice(11, 19)} ${line}`);

/** Nothing that a cluster would not have beside the operator: Prometheus would only take its share of the processors. */
const COMPONENTS: readonly ComponentName[] = ['kube-controller-manager', 'kube-scheduler', 'kwok', 'temporal'];
/** As many as a kubelet takes. */
const PODS_PER_NODE = 110;

type Measured = Pick<BenchResult, 'speeds' | 'slow' | 'hooks' | 'idle'>;

async function measure(operator: Operator, options: BenchArguments): Promise<BenchResult> {
  const measured = await measureParts(operator, options);
  const peakMemory = await peakMemoryMib(operator);
  const planner = measurePlanner(PLANNED_PODS);
  return { processors: availableParallelism(), ...measured, planner, peakMemoryMib: peakMemory };
}

async function measureParts(operator: Operator, options: BenchArguments): Promise<Measured> {
  const has = (part: Part) => options.parts.includes(part);
  const { kind, slowPods, slowSeconds: longestSeconds, hooks, hookSeconds } = options;
  const speeds = has('speed') ? await measureSome(operator, options) : [];
  const slow = has('slow') ? await measureSlowRollout(operator, { kind, pods: slowPods, longestSeconds }, say) : null;
  const polled = has('hooks') ? await measureHooks(operator, { hooks, seconds: hookSeconds }, say) : null;
  const scaled = has('large') || has('herd') ? await measureScale(operator, options) : { speeds: [], idle: null };
  return { speeds: [...speeds, ...scaled.speeds], slow, hooks: polled, idle: scaled.idle };
}

async function measureSome(operator: Operator, { kind, pods }: BenchArguments): Promise<Speed[]> {
  const bare = await measureBareTimes(operator, pods, say);
  const game = { kind, name: 'fast', pods, maxUnavailable: '100%', aim: AIMS.some } as const;
  return measureGame(operator, game, bare, say);
}

/** Both parts are measured against one bare loop. */
async function measureScale(operator: Operator, options: BenchArguments): Promise<Pick<Measured, 'speeds' | 'idle'>> {
  const { kind, parts, largePods, workloads, podsEach, idleSeconds } = options;
  const barePods = parts.includes('large') ? largePods : workloads * podsEach;
  const bare = await measureBareTimes(operator, barePods, say);
  const game = { kind, name: 'large', pods: largePods, maxUnavailable: '100%', aim: AIMS.many } as const;
  const large = parts.includes('large') ? await measureGame(operator, game, bare, say) : [];
  if (!parts.includes('herd')) return { speeds: large, idle: null };
  const herd = { kind, workloads, podsEach };
  const many = await measureHerd(operator, { herd, idleSeconds, bare, barePods }, say);
  return { speeds: [...large, ...many.speeds], idle: { workloads, ...many.idle } };
}

/** Each part finds an empty cluster: enough for the largest. */
function nodesFor({ parts, pods, slowPods, largePods, workloads, podsEach }: BenchArguments): number {
  const podsOf: Record<Part, number> = {
    speed: pods,
    slow: slowPods,
    hooks: 0,
    large: largePods,
    herd: workloads * podsEach,
  };
  return Math.ceil(Math.max(...parts.map((part) => podsOf[part])) / PODS_PER_NODE) + 1;
}

async function main(): Promise<void> {
  const options = readBenchArguments(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const servers = { components: COMPONENTS, nodes: nodesFor(options), audit: 'metadata' } as const;
  await withOperator({ ...servers, log: say, signal: interruption(), userAgent: 'bench' }, async (operator) => {
    const result = await measure(operator, options);
    console.log(options.json ? JSON.stringify(result, undefined, 2) : reportOf(result));
  });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
