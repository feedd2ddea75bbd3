/** What is counted, and whether the allowance is reached (decisions 13, 15, 43). */
import { failuresOfGonePods } from './gone-pods.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Counts, Move } from './types.ts';

const isUpdating = ({ stage }: PodView): boolean => stage.stage !== 'none';

export function countPods({ active, input, numbers }: Situation): Counts {
  const updated = active.filter(({ revision }) => revision === input.updateRevision);
  const perRevision: Record<string, number> = {};
  for (const { revision } of active) perRevision[revision] = (perRevision[revision] ?? 0) + 1;
  const available = active.filter(({ isAvailable }) => isAvailable).length;
  return {
    replicas: active.length,
    ready: active.filter(({ isReady }) => isReady).length,
    available,
    updated: updated.length,
    updatedReady: updated.filter(({ isReady }) => isReady).length,
    updatedAvailable: updated.filter(({ isAvailable }) => isAvailable).length,
    waiting: active.filter(({ mark }) => mark !== undefined).length,
    updating: active.filter(isUpdating).length,
    unavailable: Math.max(0, numbers.replicas - available),
    perRevision,
  };
}

/** What a kind counts as replicas, and whether there is more. */
interface Reach {
  counted: PodView[];
  hasSurplus: boolean;
}

/**
 * At partition 0 every active pod is at the target and enough are available; above it, enough updated pods are available.
 * Pods of the surge are gone by then, and hooks after updates in place have succeeded (docs/adr/0016),
 * also those of pods that are gone since.
 */
export function isReached(situation: Situation, moves: Move[], { counted, hasSurplus }: Reach): boolean {
  const { active, numbers, target, old, input } = situation;
  if (input.allowance === null || target === input.invalidRevision || hasSurplus) return false;
  const isAtTarget = ({ revision }: PodView) => revision === target;
  const isUnfinished = (view: PodView) => isUpdating(view) || view.owes !== undefined || view.unresolved !== undefined;
  if (active.some((view) => isAtTarget(view) && isUnfinished(view))) return false;
  const available = counted.filter((view) => isAtTarget(view) && view.isAvailable).length;
  if (available < numbers.replicas - numbers.partition || failuresOfGonePods(situation).length > 0) return false;
  if (numbers.partition > 0) return true;
  return old.length === 0 && !moves.some(({ act }) => act === 'create');
}
