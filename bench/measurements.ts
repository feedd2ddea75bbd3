/** What is measured: two speeds beside a bare loop, and the history that slow pods cost. */
import { readFile } from 'node:fs/promises';
import type { Operator } from '../devstack/operator.ts';
import { lastEdit, podWrites } from './audit-span.ts';
import { createBare, untilBareSettled, updateBare, updateBarePaced } from './bare-loop.ts';
import { applyGame, barePod, changeImage, type GameOptions, slowDown, untilReady } from './game.ts';
import { costBetween, type HistoryCost, historyCost } from './history.ts';

export interface Speed {
  what: 'create' | 'update in place';
  pods: number;
  /** Pods per second, from the first write to the last one. */
  bare: number;
  operator: number;
  ratio: number;
  /** Of the loop that waits for kubelets as the operator has to; absent where it would be the bare one. */
  paced?: number;
  /** From the change being accepted by the API server to the first write to a pod. */
  firstWriteMs: number;
  /** From there to Ready being seen. */
  readyMs: number;
  writes: number;
  history: HistoryCost;
}

export interface SlowRollout {
  pods: number;
  longestSeconds: number;
  tookSeconds: number;
  history: HistoryCost;
}

/** No part should take longer, however slow the machine is. */
const PATIENCE_MS = 600_000;

export async function measureSpeeds(operator: Operator, pods: number, say: (line: string) => void): Promise<Speed[]> {
  const game: GameOptions = { name: 'fast', pods, maxUnavailable: '100%' };
  say(`bare loop: creating ${pods} pods`);
  const bareCreate = await createBare(operator.cluster, pods, barePod('bench/game:1'));
  await untilBareSettled(operator.cluster, pods, PATIENCE_MS);
  say(`operator: creating ${pods} pods`);
  const create = await timed(operator, game, () => applyGame(operator, game));
  say(`bare loop: updating ${pods} pods in place`);
  const bareUpdate = await updateBare(operator.cluster, pods, 'bench/game:2');
  await untilBareSettled(operator.cluster, pods, PATIENCE_MS);
  say(`operator: updating ${pods} pods in place`);
  const update = await timed(operator, game, () => changeImage(operator, game.name, 'bench/game:2'));
  say(`bare loop that waits for kubelets: updating ${pods} pods in place`);
  const pacedMs = await updateBarePaced(operator.cluster, pods, 'bench/game:3');
  const updated = { ...speed('update in place', pods, bareUpdate, update), paced: (pods / pacedMs) * 1000 };
  return [speed('create', pods, bareCreate, create), updated];
}

interface Timed {
  spanMs: number;
  firstWriteMs: number;
  readyMs: number;
  writes: number;
  history: HistoryCost;
}

/** The change by kubectl and all that the operator did about it. */
async function timed(operator: Operator, { name }: GameOptions, change: () => Promise<void>): Promise<Timed> {
  const before = await historyCost(operator, name);
  await change();
  await untilReady(operator, name, PATIENCE_MS);
  const readyAt = Date.now();
  const { auditLogPath } = operator.stack;
  const editedAt = await lastEdit(auditLogPath, name);
  const { firstMs, lastMs, writes } = await podWrites(auditLogPath, `${name}-`, editedAt);
  const history = costBetween(before, await historyCost(operator, name));
  return { spanMs: lastMs - firstMs, firstWriteMs: firstMs - editedAt, readyMs: readyAt - editedAt, writes, history };
}

function speed(what: Speed['what'], pods: number, bareMs: number, { spanMs, ...rest }: Timed): Speed {
  const bare = (pods / bareMs) * 1000;
  const operator = (pods / spanMs) * 1000;
  return { what, pods, bare, operator, ratio: operator / bare, ...rest };
}

/** Pods that each take another time to come back, a tenth of them at once. */
export async function measureSlowRollout(
  operator: Operator,
  pods: number,
  longestSeconds: number,
  say: (line: string) => void,
): Promise<SlowRollout> {
  const game: GameOptions = { name: 'slow', pods, maxUnavailable: '10%' };
  say(`slow rollout: creating ${pods} pods`);
  await applyGame(operator, game);
  await untilReady(operator, game.name, PATIENCE_MS);
  await slowDown(operator, game.name, longestSeconds * 1000);
  const before = await historyCost(operator, game.name);
  say(`slow rollout: updating ${pods} pods that take up to ${longestSeconds} s each`);
  const started = performance.now();
  await changeImage(operator, game.name, 'bench/game:2');
  await untilReady(operator, game.name, PATIENCE_MS + (longestSeconds * 1000 * pods) / (pods / 10));
  const tookSeconds = (performance.now() - started) / 1000;
  return { pods, longestSeconds, tookSeconds, history: costBetween(before, await historyCost(operator, game.name)) };
}

/** The most memory that the controller ever held, in MiB (Linux). */
export async function peakMemoryMib({ controller }: Operator): Promise<number> {
  const status = await readFile(`/proc/${controller.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
