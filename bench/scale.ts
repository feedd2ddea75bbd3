/** The same at scale: many pods of one workload, many workloads, and what those cost while nothing happens to them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Operator } from '../devstack/operator.ts';
import { createBare, deleteBare, untilBareGone, untilBareSettled, updateBare, updateBarePaced } from './bare-loop.ts';
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
import { type Change, type Compared, measureSpeed, type Speed } from './timing.ts';

type Say = (line: string) => void;

/** Of issue "GameDeployment and GameStatefulSet, whole". */
const AIM = 0.6;
/** What is still under way when the last workload is Ready, its last status for one, has ended by then. */
const CALM_MS = 15_000;

/** Milliseconds that the bare loop takes for each of the three, and for the second where it waits for kubelets. */
export interface BareTimes {
  create: number;
  update: number;
  paced: number;
  remove: number;
}

export async function measureBareTimes({ cluster }: Operator, pods: number, say: Say): Promise<BareTimes> {
  say(`bare loop: creating ${pods} pods`);
  const create = await createBare(cluster, pods, barePod('bench/game:1'));
  await untilBareSettled(cluster, pods, PATIENCE_MS);
  say(`bare loop: updating ${pods} pods in place`);
  const update = await updateBare(cluster, pods, 'bench/game:2');
  await untilBareSettled(cluster, pods, PATIENCE_MS);
  say(`bare loop that waits for kubelets: updating ${pods} pods in place`);
  const paced = await updateBarePaced(cluster, pods, 'bench/game:3');
  await untilBareSettled(cluster, pods, PATIENCE_MS);
  say(`bare loop: deleting ${pods} pods`);
  const remove = await deleteBare(cluster, pods);
  await untilBareGone(cluster, pods, PATIENCE_MS);
  return { create, update, paced, remove };
}

export async function measureLarge(
  operator: Operator,
  { kind, pods }: Pick<GameOptions, 'kind' | 'pods'>,
  bare: BareTimes,
  say: Say,
): Promise<Speed[]> {
  const game: GameOptions = { kind, name: 'large', pods, maxUnavailable: '100%' };
  const measure = (what: string, times: BareOf, make: Change['make']) =>
    measureSpeed(operator, { what, pods, aim: AIM, ...times }, changeOf(operator, game, make), say);
  return [
    await measure(`create ${pods} pods`, { bareMs: bare.create }, () => applyGame(operator, game)),
    await measure(`update ${pods} in place`, updateTimes(bare), () => changeImage(operator, game, 'bench/game:2')),
    await measure(`scale ${pods} to zero`, { bareMs: bare.remove }, () => scaleToZero(operator, game)),
  ];
}

type BareOf = Pick<Compared, 'bareMs' | 'pacedMs'>;

/** `share` of the pods that the bare loop was timed with. */
const updateTimes = ({ update, paced }: BareTimes, share = 1): BareOf => ({
  bareMs: update * share,
  pacedMs: paced * share,
});

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
  const share = pods / barePods;
  const measure = (what: string, times: BareOf, make: Change['make']) =>
    measureSpeed(operator, { what, pods, aim: AIM, ...times }, changeOfHerd(operator, herd, make), say);
  const many = `${herd.workloads} × ${herd.podsEach}`;
  const create = await measure(`create ${many} pods`, { bareMs: bare.create * share }, () =>
    createHerd(operator, herd),
  );
  const update = await measure(`update ${many} in place`, updateTimes(bare, share), () =>
    changeHerdImage(operator, herd, 'bench/game:2'),
  );
  say(`operator: ${herd.workloads} settled workloads for ${idleSeconds} s`);
  const idle = await measureIdle(operator, herd, idleSeconds);
  say(`they added ${idle.events} events to their histories`);
  const remove = await measure(`scale ${many} to zero`, { bareMs: bare.remove * share }, () =>
    scaleHerdToZero(operator, herd),
  );
  return { herd, speeds: [create, update, remove], idle };
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
