/** One change and all that the operator does about it, as the API server, Temporal and the kernel saw it. */
import type { Operator } from '../devstack/operator.ts';
import { firstEdit, podWrites } from './audit-span.ts';
import { costBetween, type HistoryCost } from './history.ts';
import { type ProcessorTime, processorTime, timeEach } from './processor-time.ts';

export interface Change {
  /** Names of the workloads concerned begin so, and those of their pods with it. */
  prefix: string;
  /** How many pods it concerns. */
  pods: number;
  make: () => Promise<void>;
  untilSettled: () => Promise<void>;
  /** History so far. */
  cost: () => Promise<HistoryCost>;
}

interface Timed {
  /** From the first write to a pod to the last one. */
  spanMs: number;
  /** From the change being accepted by the API server to the first write to a pod. */
  firstWriteMs: number;
  /** From there to its end being seen. */
  readyMs: number;
  /** Of the operator to pods. */
  writes: number;
  history: HistoryCost;
  /** Of each process for one pod, in milliseconds, until the end was seen. */
  processor: ProcessorTime;
}

async function timed(operator: Operator, change: Change): Promise<Timed> {
  const { auditLogPath } = operator.stack;
  const [costBefore, processorBefore] = [await change.cost(), await processorTime(operator)];
  const startedAt = Date.now();
  await change.make();
  await change.untilSettled();
  const readyAt = Date.now();
  const processor = timeEach(processorBefore, await processorTime(operator), change.pods);
  const editedAt = await firstEdit(auditLogPath, change.prefix, startedAt);
  const { firstMs, lastMs, writes } = await podWrites(auditLogPath, change.prefix, editedAt);
  return {
    ...{ spanMs: lastMs - firstMs, firstWriteMs: firstMs - editedAt, readyMs: readyAt - editedAt, writes, processor },
    history: costBetween(costBefore, await change.cost()),
  };
}

export interface Speed {
  what: string;
  pods: number;
  /** Of the bare loop that the issue asks for. */
  aim: number;
  /** Pods per second, from the first write to the last one. */
  bare: number;
  operator: number;
  ratio: number;
  /** Of the loop whose last write of a pod waits for its kubelet; absent where there is nothing to wait for. */
  paced?: number;
  /** From here on as `Timed` has it. */
  firstWriteMs: number;
  readyMs: number;
  writes: number;
  history: HistoryCost;
  processor: ProcessorTime;
}

export interface Compared {
  what: string;
  pods: number;
  aim: number;
  bareMs: number;
  pacedMs?: number;
}

/** Says what is measured and what came of it: a long run shows its numbers as it goes. */
export async function measureSpeed(
  operator: Operator,
  compared: Compared,
  change: Change,
  say: (line: string) => void,
): Promise<Speed> {
  say(`operator: ${compared.what}`);
  const speed = speedOf(compared, await timed(operator, change));
  say(`${speed.operator.toFixed(1)} pods a second, ${speed.ratio.toFixed(2)} of the bare loop`);
  return speed;
}

function speedOf({ what, pods, aim, bareMs, pacedMs }: Compared, { spanMs, ...rest }: Timed): Speed {
  const [bare, operator] = [(pods / bareMs) * 1000, (pods / spanMs) * 1000];
  const paced = pacedMs === undefined ? {} : { paced: (pods / pacedMs) * 1000 };
  return { what, pods, aim, bare, operator, ratio: operator / bare, ...paced, ...rest };
}
