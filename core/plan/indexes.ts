/** Which new pod of a GameDeployment gets which index: the smallest that no pod has, terminating ones included. */
import { type IndexRange, indexOf, isUnnumbered } from '../pod-index.ts';
import type { DeploymentSituation } from './deployment-situation.ts';
import type { PodView } from './pod-view.ts';
import type { Numbering } from './types.ts';

type Numbered = Omit<DeploymentSituation, 'unnumbered'>;

interface Deal {
  /** Smallest first; fewer than pods where the range has no more. */
  indexes: number[];
  /** How many of the new pods wait for an index that a pod on its way out still has. */
  heldBack: number;
  /** One of the pods that they wait for. */
  leaving?: PodView;
}

function freeIndexes({ start, end }: IndexRange, used: ReadonlySet<number>, count: number): number[] {
  const free: number[] = [];
  for (let index = start; index < end && free.length < count; index += 1) if (!used.has(index)) free.push(index);
  return free;
}

/** A name that was given out has its index, whether its pod was seen or not. */
function usedIndexes({ input: { pods, issued } }: DeploymentSituation): Set<number> {
  return new Set([...pods.map(indexOf), ...issued.map(({ index }) => index)].filter((index) => index !== undefined));
}

/** Indexes for `missing` new pods; null where none are asked for. */
export function dealIndexes(situation: DeploymentSituation, missing: number): Deal | null {
  const { indexing, views } = situation;
  if (indexing.kind !== 'range') return null;
  const { range } = indexing;
  const indexes = freeIndexes(range, usedIndexes(situation), missing);
  const isInRange = (index = -1) => index >= range.start && index < range.end;
  const leaving = views.filter((view) => view.isTerminating && isInRange(indexOf(view.pod)));
  return { indexes, heldBack: Math.min(missing - indexes.length, leaving.length), leaving: leaving[0] };
}

/** Of the new pod `at` this place. */
export function numberingOf(deal: Deal | null, at: number): Numbering {
  if (deal === null) return {};
  const index = deal.indexes[at];
  return index === undefined ? { isUnnumbered: true } : { index };
}

/**
 * Pods that an update made beyond the range, and that it does not need any more: as many as there are indexes that no active
 * pod has, since that many pods can take their places, and as have been replaced already. A pod that lacks one for other
 * reasons stays: switching indexes on moves no pod.
 */
export function outOfRange(situation: Numbered): ReadonlySet<PodView> {
  const { active, input, indexing, surge, isPaused, isByHand, listed, numbers } = situation;
  const unnumbered = active.filter((view) => isUnnumbered(view.pod) && !listed.has(view));
  if (indexing.kind !== 'range' || unnumbered.length === 0 || surge > 0 || isPaused || isByHand) return new Set();
  const used = [...active.map(({ pod }) => indexOf(pod)), ...input.issued.map(({ index }) => index)];
  const free = freeIndexes(indexing.range, new Set(used.filter((index) => index !== undefined)), unnumbered.length);
  const surplus = Math.max(0, active.length - listed.size - numbers.replicas);
  return new Set(unnumbered.slice(0, free.length + surplus));
}

/**
 * Active pods that lack an index, or share one with an older pod: given up before others. Both are rare: a surge beyond
 * the range, and a create that lands after its name was given up (protocol §2, rule 9).
 */
export function lacksIndex({ indexing, active }: DeploymentSituation): ReadonlySet<PodView> {
  if (indexing.kind === 'none') return new Set();
  const byAge = [...active].sort((a, b) => a.createdAtMs - b.createdAtMs || (a.uid < b.uid ? -1 : 1));
  const seen = new Set<number>();
  return new Set(
    byAge.filter(({ pod }) => {
      const index = indexOf(pod);
      if (index === undefined || seen.has(index)) return true;
      seen.add(index);
      return false;
    }),
  );
}
