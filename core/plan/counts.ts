/** What is counted, and whether the allowance is reached (decisions 13, 15, 43). */
import { failuresOfGonePods } from './gone-pods.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Counts, Move } from './types.ts';

interface Tally {
  pods: number;
  ready: number;
  available: number;
}

/** In one pass: a large workload is counted in every plan. */
function tallyByRevision(active: PodView[]): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { revision, isReady, isAvailable } of active) {
    const tally = tallies.get(revision) ?? { pods: 0, ready: 0, available: 0 };
    if (tally.pods === 0) tallies.set(revision, tally);
    tally.pods += 1;
    tally.ready += Number(isReady);
    tally.available += Number(isAvailable);
  }
  return tallies;
}

export function countPods({ active, input, numbers, marked, underWay, terminal }: Situation): Counts {
  const tallies = tallyByRevision(active);
  const updated = tallies.get(input.updateRevision);
  const sum = (of: keyof Tally) => [...tallies.values()].reduce((total, tally) => total + tally[of], 0);
  const available = sum('available');
  return {
    replicas: active.length,
    ready: sum('ready'),
    available,
    updated: updated?.pods ?? 0,
    updatedReady: updated?.ready ?? 0,
    updatedAvailable: updated?.available ?? 0,
    waiting: marked.length,
    updating: underWay.length,
    unavailable: Math.max(0, numbers.replicas - available),
    ...(terminal.length === 0 ? {} : { failed: terminal.length }),
    perRevision: Object.fromEntries([...tallies].map(([revision, { pods }]) => [revision, pods])),
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
  const { numbers, target, old, input, underWay, owing, unanswered } = situation;
  if (input.allowance === null || target === input.invalidRevision || hasSurplus) return false;
  const isAtTarget = ({ revision }: PodView) => revision === target;
  if ([underWay, owing, unanswered].some((unfinished) => unfinished.some(isAtTarget))) return false;
  const available = counted.filter((view) => isAtTarget(view) && view.isAvailable).length;
  if (available < numbers.replicas - numbers.partition || failuresOfGonePods(situation).length > 0) return false;
  if (numbers.partition > 0) return true;
  return old.length === 0 && !moves.some(({ act }) => act === 'create');
}

/** Of a workload without any. */
export const NO_PODS: Counts = {
  replicas: 0,
  ready: 0,
  available: 0,
  updated: 0,
  updatedReady: 0,
  updatedAvailable: 0,
  waiting: 0,
  updating: 0,
  unavailable: 0,
  perRevision: {},
};
