/** The first creation of a workload goes batch by batch: a bad template stops itself before all of its pods are there. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import { resolveIntOrPercent } from '../int-or-percent.ts';
import type { PodView } from './pod-view.ts';
import type { Counts, PlanInput } from './types.ts';

/** One that says nothing of it was written by another operator (or an earlier release): its pods were made long ago. */
const isFromBefore = (status: GameWorkload['status']): boolean =>
  status?.currentRevision !== undefined || status?.canary?.revision !== undefined;

type Creation = Pick<PlanInput<GameWorkload>, 'workload' | 'createdInFull'>;

/**
 * The first creation is over: as many pods as asked for were there at one time. From then on pods that are missing are
 * created at once. Remembered in the status, since pods that were lost tell nothing of it, and by the workflow until a status
 * says so.
 */
export function isCreatedInFull({ workload, createdInFull }: Creation, counts: Pick<Counts, 'replicas'>): boolean {
  const { spec, status } = workload;
  const { replicas = 1 } = spec;
  const isKnown = createdInFull ?? status?.createdInFull ?? isFromBefore(status);
  return isKnown || (replicas > 0 && counts.replicas >= replicas);
}

/**
 * How many pods there may be now: whole batches, of which all but the last are available. A percentage is one of replicas,
 * rounded up; a batch has one pod at least, or nothing would ever be created.
 */
export function batchLimit(creation: Creation, active: readonly PodView[]): number {
  const { replicas = 1, scaleStrategy } = creation.workload.spec;
  const batch = resolveIntOrPercent(scaleStrategy?.createBatch, replicas, 'up');
  if (batch === undefined || isCreatedInFull(creation, { replicas: active.length })) return Number.POSITIVE_INFINITY;
  const available = active.filter(({ isAvailable }) => isAvailable).length;
  const size = Math.max(1, batch);
  return size * (Math.floor(available / size) + 1);
}
