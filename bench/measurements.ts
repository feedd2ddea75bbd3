/** What is measured: speeds beside a bare loop, and the history that slow pods cost. */
import type { Operator } from '../devstack/operator.ts';
import { createBare, deleteBare, untilBareGone, untilBareSettled, updateBare, updateBarePaced } from './bare-loop.ts';
import { applyGame, barePod, changeImage, type GameOptions, removeGame, slowDown, untilReady } from './game.ts';
import { costBetween, type HistoryCost, historyCost } from './history.ts';
import { memoryMib } from './processor-time.ts';
import { type Change, type Speed, speedOf, timed } from './timing.ts';

export interface SlowRollout {
  pods: number;
  longestSeconds: number;
  tookSeconds: number;
  history: HistoryCost;
}

/** No part should take longer, however slow the machine is. */
export const PATIENCE_MS = 1_200_000;
/** Of issue "Foundation". */
const AIM = 0.5;

/** A change of one workload. */
export const changeOf = (operator: Operator, game: GameOptions, make: () => Promise<void>): Change => ({
  ...{ prefix: game.name, pods: game.pods, make },
  untilSettled: () => untilReady(operator, game, PATIENCE_MS),
  cost: () => historyCost(operator, game),
});

export async function measureSpeeds(
  operator: Operator,
  { kind, pods }: Pick<GameOptions, 'kind' | 'pods'>,
  say: (line: string) => void,
): Promise<Speed[]> {
  const game: GameOptions = { kind, name: 'fast', pods, maxUnavailable: '100%' };
  say(`bare loop: creating ${pods} pods`);
  const createMs = await createBare(operator.cluster, pods, barePod('bench/game:1'));
  await untilBareSettled(operator.cluster, pods, PATIENCE_MS);
  say(`operator: creating ${pods} pods`);
  const create = await timed(
    operator,
    changeOf(operator, game, () => applyGame(operator, game)),
  );
  say(`bare loop: updating ${pods} pods in place`);
  const updateMs = await updateBare(operator.cluster, pods, 'bench/game:2');
  await untilBareSettled(operator.cluster, pods, PATIENCE_MS);
  say(`operator: updating ${pods} pods in place`);
  const update = await timed(
    operator,
    changeOf(operator, game, () => changeImage(operator, game, 'bench/game:2')),
  );
  say(`bare loop that waits for kubelets: updating ${pods} pods in place`);
  const pacedMs = await updateBarePaced(operator.cluster, pods, 'bench/game:3');
  say('making room');
  await deleteBare(operator.cluster, pods);
  await removeGame(operator, game, PATIENCE_MS);
  await untilBareGone(operator.cluster, pods, PATIENCE_MS);
  return [
    speedOf({ what: `create ${pods} pods`, pods, aim: AIM, bareMs: createMs }, create),
    speedOf({ what: `update ${pods} in place`, pods, aim: AIM, bareMs: updateMs, pacedMs }, update),
  ];
}

/** Pods that each take another time to come back, a tenth of them at once. */
export async function measureSlowRollout(
  operator: Operator,
  { kind, pods, longestSeconds }: Pick<GameOptions, 'kind' | 'pods'> & { longestSeconds: number },
  say: (line: string) => void,
): Promise<SlowRollout> {
  const game: GameOptions = { kind, name: 'slow', pods, maxUnavailable: '10%' };
  say(`slow rollout: creating ${pods} pods`);
  await applyGame(operator, game);
  await untilReady(operator, game, PATIENCE_MS);
  await slowDown(operator, game.name, longestSeconds * 1000);
  const before = await historyCost(operator, game);
  say(`slow rollout: updating ${pods} pods that take up to ${longestSeconds} s each`);
  const started = performance.now();
  await changeImage(operator, game, 'bench/game:2');
  await untilReady(operator, game, PATIENCE_MS + (longestSeconds * 1000 * pods) / (pods / 10));
  const tookSeconds = (performance.now() - started) / 1000;
  const history = costBetween(before, await historyCost(operator, game));
  await removeGame(operator, game, PATIENCE_MS);
  return { pods, longestSeconds, tookSeconds, history };
}

/** The most memory that the controller ever held, in MiB (Linux). */
export const peakMemoryMib = ({ controller }: Operator): Promise<number> => memoryMib(controller.pid, 'VmHWM');
