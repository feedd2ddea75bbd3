/** npm run bench: how fast the operator is beside a bare loop, what it holds in memory, what its rollouts cost. */
import { availableParallelism } from 'node:os';
import { interruption } from '../devstack/interruption.ts';
import { type Operator, withOperator } from '../devstack/operator.ts';
import { type BenchArguments, HELP, readBenchArguments } from './arguments.ts';
import { measureSlowRollout, measureSpeeds, peakMemoryMib } from './measurements.ts';
import { measurePlanner } from './planner.ts';
import { type BenchResult, PLANNED_PODS, reportOf } from './report.ts';

const say = (line: string) => console.error(`bench: ${line}`);

async function measure(operator: Operator, { pods, slowPods, slowSeconds }: BenchArguments): Promise<BenchResult> {
  const speeds = await measureSpeeds(operator, pods, say);
  const slow = slowPods === 0 ? null : await measureSlowRollout(operator, slowPods, slowSeconds, say);
  const memory = await peakMemoryMib(operator);
  return {
    processors: availableParallelism(),
    speeds,
    slow,
    plannerMs: measurePlanner(PLANNED_PODS),
    peakMemoryMib: memory,
  };
}

async function main(): Promise<void> {
  const options = readBenchArguments(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  await withOperator({ log: say, signal: interruption(), userAgent: 'bench' }, async (operator) => {
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
