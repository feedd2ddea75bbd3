/** Which new pod of a GameDeployment gets which index: the smallest that no pod has, terminating ones included. */
import { type IndexRange, indexOf } from '../pod-index.ts';
import type { DeploymentSituation } from './deployment-situation.ts';
import type { PodView } from './pod-view.ts';

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

/**
 * Active pods that lack an index, or share one with an older pod: given up before others. Both are rare: a surge beyond
 * the range, and a create that lands after its name was given up (protocol §2, rule 9).
 */
export function unnumbered({ indexing, active }: DeploymentSituation): ReadonlySet<PodView> {
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
