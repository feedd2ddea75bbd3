/** Pods that a superseded rollout left below the partition of the present one (game-workloads §5, 8). */
import { isDown, type PodView } from '../pod-view.ts';
import { diffs, isMovable } from '../updates.ts';
import type { SetSituation } from './situation.ts';

/**
 * Broken ones: no partition is to mend them, and they take the budget from the pods that are to move. Their slots go back to
 * the stable revision. Healthy ones serve on until their turn comes.
 */
export function brokenStrays(situation: SetSituation): PodView[] {
  const { slots, isPaused, isByHand, target, stable } = situation;
  if (isPaused || isByHand || target === stable) return [];
  const below = slots.filter(({ isBeyondPartition }) => !isBeyondPartition).flatMap(({ view }) => view ?? []);
  const broken = below.filter((view) => view.isActive && isDown(view));
  const strays = broken.filter(({ revision }) => revision !== target && revision !== stable);
  if (strays.length === 0) return [];
  const diffOf = diffs(situation);
  return strays.filter((view) => isMovable(situation, view, diffOf));
}
