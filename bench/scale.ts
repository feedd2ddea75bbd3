/** The same at scale: many pods of one workload, many workloads, and what those cost while nothing happens to them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Operator } from '../devstack/operator.ts';
import { createBare, deleteBare, untilBareGone, untilBareSettled, updateBare } from './bare-loop.ts';
import { applyGame, barePod, changeImage, type GameOptions, scaleToZero } from './game.ts';
import {
  changeHerdImage,
  createHerd,
  HERD_PREFIX,
  type Herd,
  herdCost,
  herdEvents,
  scaleHerdToZero,
  untilHerdReady,
} from './herd.ts';
import { changeOf, PATIENCE_MS } from './measurements.ts';
import { type Change, type Speed, speedOf, timed } from './timing.ts';

type Say = (line: string) => void;

/** Of issue "GameDeployment and GameStatefulSet, whole". */
const AIM = 0.6;
/** What is still under way when the last workload is Ready, its last status for one, has ended by then. */
const CALM_MS = 15_000;

/** Milliseconds that the bare loop takes for each of the three. */
export interface BareTimes {
  create: number;
  update: number;
  remove: number;
}

export async function measureBareTimes({ cluster }: Operator, pods: number, say: Say): Promise<BareTimes> {
  say(`bare loop: creating ${pods} pods`);
  const create = await createBare(cluster, pods, barePod('bench/game:1'));
  await untilBareSettled(cluster, pods, PATIENCE_MS);
  say(`bare loop: updating ${pods} pods in place`);
  const update = await updateBare(cluster, pods, 'bench/game:2');
  await untilBareSettled(cluster, pods, PATIENCE_MS);
  say(`bare loop: deleting ${pods} pods`);
  const remove = await deleteBare(cluster, pods);
  await untilBareGone(cluster, pods, PATIENCE_MS);
  return { create, update, remove };
}

export async function measureLarge(operator: Operator, pods: number, bare: BareTimes, say: Say): Promise<Speed[]> {
  const game: GameOptions = { name: 'large', pods, maxUnavailable: '100%' };
  const measure = (make: () => Promise<void>) => timed(operator, changeOf(operator, game, make));
  say(`operator: creating ${pods} pods of one workload`);
  const create = await measure(() => applyGame(operator, game));
  say(`operator: updating ${pods} pods of one workload in place`);
  const update = await measure(() => changeImage(operator, game.name, 'bench/game:2'));
  say(`operator: scaling ${pods} pods of one workload to zero`);
  const remove = await measure(() => scaleToZero(operator, game.name));
  const compared = { pods, aim: AIM };
  return [
    speedOf({ ...compared, what: `create ${pods} pods`, bareMs: bare.create }, create),
    speedOf({ ...compared, what: `update ${pods} in place`, bareMs: bare.update }, update),
    speedOf({ ...compared, what: `scale ${pods} to zero`, bareMs: bare.remove }, remove),
  ];
}

export interface HerdResult {
  herd: Herd;
  speeds: Speed[];
  /** While all were settled. */
  idle: { seconds: number; events: number };
}

/** `bare` may be of another number of pods: its speed counts. */
export async function measureHerd(
  operator: Operator,
  { herd, idleSeconds, bare, barePods }: { herd: Herd; idleSeconds: number; bare: BareTimes; barePods: number },
  say: Say,
): Promise<HerdResult> {
  const pods = herd.workloads * herd.podsEach;
  const measure = (make: Change['make']) => timed(operator, changeOfHerd(operator, herd, make));
  const many = `${herd.workloads} × ${herd.podsEach}`;
  say(`operator: creating ${many} pods`);
  const create = await measure(() => createHerd(operator, herd));
  say(`operator: updating ${many} pods in place`);
  const update = await measure(() => changeHerdImage(operator, herd, 'bench/game:2'));
  say(`operator: ${herd.workloads} settled workloads for ${idleSeconds} s`);
  const idle = await measureIdle(operator, herd, idleSeconds);
  say(`operator: scaling ${many} pods to zero`);
  const remove = await measure(() => scaleHerdToZero(operator, herd));
  const compared = (bareMs: number) => ({ pods, aim: AIM, bareMs: (bareMs / barePods) * pods });
  const speeds = [
    speedOf({ ...compared(bare.create), what: `create ${many} pods` }, create),
    speedOf({ ...compared(bare.update), what: `update ${many} in place` }, update),
    speedOf({ ...compared(bare.remove), what: `scale ${many} to zero` }, remove),
  ];
  return { herd, speeds, idle };
}

const changeOfHerd = (operator: Operator, herd: Herd, make: Change['make']): Change => ({
  ...{ prefix: HERD_PREFIX, pods: herd.workloads * herd.podsEach, make },
  untilSettled: () => untilHerdReady(operator, herd, PATIENCE_MS),
  cost: () => herdCost(operator, herd),
});

async function measureIdle(operator: Operator, herd: Herd, seconds: number): Promise<HerdResult['idle']> {
  await delay(CALM_MS);
  const before = await herdEvents(operator, herd);
  await delay(seconds * 1000);
  return { seconds, events: (await herdEvents(operator, herd)) - before };
}
