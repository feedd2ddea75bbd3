/** The first creation of a workload goes batch by batch: a bad template stops itself before all of its pods are there. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import { resolveIntOrPercent } from '../int-or-percent.ts';
import type { Counts } from './types.ts';

/**
 * The first creation is over: as many pods as asked for were available at one time. From then on pods that are missing are
 * created at once. Remembered in the status, since pods that were lost tell nothing of it.
 */
export function isCreatedInFull({ spec, status }: GameWorkload, { available }: Pick<Counts, 'available'>): boolean {
  const { replicas = 1 } = spec;
  return status?.createdInFull === true || (replicas > 0 && available >= replicas);
}

/**
 * How many pods there may be now: whole batches, of which all but the last are available. A percentage is one of replicas,
 * rounded up; a batch has one pod at least, or nothing would ever be created.
 */
export function batchLimit(workload: GameWorkload, counts: Pick<Counts, 'available'>): number {
  const { replicas = 1, scaleStrategy } = workload.spec;
  const batch = resolveIntOrPercent(scaleStrategy?.createBatch, replicas, 'up');
  if (batch === undefined || isCreatedInFull(workload, counts)) return Number.POSITIVE_INFINITY;
  const size = Math.max(1, batch);
  return size * (Math.floor(counts.available / size) + 1);
}
