/** Speeds beside a bare loop: pods of one workload, of many workloads, and what those cost while nothing happens to them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Operator } from '../devstack/operator.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { createBare, deleteBare, untilBareGone, untilBareSettled, updateBare } from './bare-loop.ts';
import { applyGame, barePod, changeImage, type GameOptions, removeGame, scaleToZero } from './game.ts';
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
import { createPaced, updatePaced } from './paced-loop.ts';
import { type Change, type Compared, measureSpeed, type Speed } from './timing.ts';

type Say = (line: string) => void;

/** Of issues "Foundation" and "GameDeployment and GameStatefulSet, whole". */
export const AIMS = { some: 0.5, many: 0.6 } as const;
/** What is still under way when the last workload is Ready, its last status for one, has ended by then. */
const CALM_MS = 15_000;

/** Milliseconds that the bare loop takes; `pacedMs` where it waits for kubelets. A delete waits for nobody. */
export interface BareTimes {
  create: Required<BareOf>;
  update: Required<BareOf>;
  remove: BareOf;
}

type BareOf = Pick<Compared, 'bareMs' | 'pacedMs'>;

export async function measureBareTimes({ cluster }: Operator, pods: number, say: Say): Promise<BareTimes> {
  const template = barePod('bench/game:1');
  say(`bare loop that waits for kubelets: creating ${pods} pods`);
  const pacedCreate = await createPaced(cluster, pods, template);
  await removeBare(cluster, pods);
  say(`bare loop: creating ${pods} pods`);
  const create = await createBare(cluster, pods, template);
  await untilBareSettled(cluster, pods, PATIENCE_MS);
  say(`bare loop: updating ${pods} pods in place`);
  const update = await updateBare(cluster, pods, 'bench/game:2');
  await untilBareSettled(cluster, pods, PATIENCE_MS);
  say(`bare loop that waits for kubelets: updating ${pods} pods in place`);
  const pacedUpdate = await updatePaced(cluster, pods, 'bench/game:3');
  await untilBareSettled(cluster, pods, PATIENCE_MS);
  say(`bare loop: deleting ${pods} pods`);
  const remove = await removeBare(cluster, pods);
  return {
    create: { bareMs: create, pacedMs: pacedCreate },
    update: { bareMs: update, pacedMs: pacedUpdate },
    remove: { bareMs: remove },
  };
}

/** Milliseconds that the deletes took; ends when the pods are gone. */
async function removeBare(cluster: KubernetesClient, pods: number): Promise<number> {
  const tookMs = await deleteBare(cluster, pods);
  await untilBareGone(cluster, pods, PATIENCE_MS);
  return tookMs;
}

/** One workload is created, updated in place and scaled to zero; nothing is left of it. */
export async function measureGame(
  operator: Operator,
  { aim, ...game }: GameOptions & { aim: number },
  bare: BareTimes,
  say: Say,
): Promise<Speed[]> {
  const { pods } = game;
  const measure = (what: string, times: BareOf, make: Change['make']) =>
    measureSpeed(operator, { what, pods, aim, ...times }, changeOf(operator, game, make), say);
  const speeds = [
    await measure(`create ${pods} pods`, bare.create, () => applyGame(operator, game)),
    await measure(`update ${pods} in place`, bare.update, () => changeImage(operator, game, 'bench/game:2')),
    await measure(`scale ${pods} to zero`, bare.remove, () => scaleToZero(operator, game)),
  ];
  await removeGame(operator, game, PATIENCE_MS);
  return speeds;
}

/** For `share` of the pods that the bare loop was timed with. */
const shareOf = ({ bareMs, pacedMs }: BareOf, share: number): BareOf => ({
  bareMs: bareMs * share,
  ...(pacedMs === undefined ? {} : { pacedMs: pacedMs * share }),
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
    measureSpeed(operator, { what, pods, aim: AIMS.many, ...times }, changeOfHerd(operator, herd, make), say);
  const many = `${herd.workloads} × ${herd.podsEach}`;
  const create = await measure(`create ${many} pods`, shareOf(bare.create, share), () => createHerd(operator, herd));
  const update = await measure(`update ${many} in place`, shareOf(bare.update, share), () =>
    changeHerdImage(operator, herd, 'bench/game:2'),
  );
  say(`operator: ${herd.workloads} settled workloads for ${idleSeconds} s`);
  const idle = await measureIdle(operator, herd, idleSeconds);
  say(`they added ${idle.events} events to their histories`);
  const remove = await measure(`scale ${many} to zero`, shareOf(bare.remove, share), () =>
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
