/** The activities that observe and move pods, as Temporal calls them: each takes its attempt from the running context. */
import { currentAttempt } from './attempt.ts';
import { runMoves } from './moves.ts';
import { lookNow, observe } from './observe.ts';
import { type ReleasePorts, releasePods } from './release.ts';
import type { MoveRequest, WorkloadActivities } from './types.ts';

export type PodActivities = Pick<
  WorkloadActivities,
  'observe' | 'lookNow' | 'createPods' | 'deletePods' | 'updatePodsInPlace' | 'markPods' | 'adoptPods' | 'releasePods'
>;

/**
 * Timeouts they are made for: observe start-to-close 10 min, moves 60 s, releasePods 2 min; all heartbeat every second
 * with a timeout of 10 s. The five moves differ by name only, so that a history can be read.
 */
export function createPodActivities(ports: ReleasePorts): PodActivities {
  const move = (request: MoveRequest) => runMoves(ports, request, currentAttempt());
  return {
    observe: (request) => observe(ports, request, currentAttempt()),
    lookNow: (request) => lookNow(ports, request, currentAttempt().signal),
    createPods: move,
    deletePods: move,
    updatePodsInPlace: move,
    markPods: move,
    adoptPods: move,
    releasePods: (request) => releasePods(ports, request, currentAttempt()),
  };
}
