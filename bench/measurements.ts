/** The history that slow pods cost, and what all measurements share. */
import type { Operator } from '../devstack/operator.ts';
import { applyGame, changeImage, type GameOptions, removeGame, slowDown, untilReady } from './game.ts';
import { costBetween, type HistoryCost, historyCost } from './history.ts';
import { memoryMib } from './processor-time.ts';
import type { Change } from './timing.ts';

export interface SlowRollout {
  pods: number;
  longestSeconds: number;
  tookSeconds: number;
  history: HistoryCost;
}

/** No part should take longer, however slow the machine is. */
export const PATIENCE_MS = 1_200_000;

/** A change of one workload. */
export const changeOf = (operator: Operator, game: GameOptions, make: () => Promise<void>): Change => ({
  ...{ prefix: game.name, pods: game.pods, make },
  untilSettled: () => untilReady(operator, game, PATIENCE_MS),
  cost: () => historyCost(operator, game),
});

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
