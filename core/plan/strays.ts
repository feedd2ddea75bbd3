/** Pods that a superseded rollout left broken, and that the partition keeps from the present one (game-workloads §5, 8). */
import { isDown, type PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';

type Aim = Pick<Situation, 'target' | 'stable' | 'isPaused' | 'isByHand'>;

/**
 * No partition is to mend it, and it takes the budget from the pods that are to move: its place goes back to the stable
 * revision. A healthy one serves on until its turn comes: what is old stays old, and no pod is moved back that nobody asked
 * to be (decision 16).
 */
export const isBrokenStray = (view: PodView, { target, stable, isPaused, isByHand }: Aim): boolean =>
  !isPaused && !isByHand && isDown(view) && view.revision !== target && view.revision !== stable;

/** One clause for people. */
export const whyStray = ({ revision }: PodView, { stable }: Aim): string =>
  `it is broken, and goes back from ${revision} to ${stable}`;
