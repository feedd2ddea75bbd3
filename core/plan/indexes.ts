/** Which new pod of a GameDeployment gets which index: the smallest that no pod has, terminating ones included. */
import { type IndexRange, indexOf, isUnnumbered } from '../pod-index.ts';
import type { DeploymentSituation } from './deployment-situation.ts';
import { isOnLostNode, type PodView } from './pod-view.ts';
import type { Numbering } from './types.ts';

type Numbered = Omit<DeploymentSituation, 'misnumbered'>;
type Listed = Pick<DeploymentSituation, 'active' | 'indexing' | 'listed'>;

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

/** Active pods that go sooner or later, since they have no index of their own: no update needs a surge for them. */
export function withoutPlace(situation: Listed): ReadonlySet<PodView> {
  const { active, indexing } = situation;
  if (indexing.kind !== 'range') return new Set();
  return new Set([...active.filter(({ pod }) => isUnnumbered(pod)), ...twinsOf(situation).keys()]);
}

/** Of these, those that pods with an index are to replace now. */
export function misnumbered(situation: Numbered): ReadonlySet<PodView> {
  if (situation.indexing.kind !== 'range') return new Set();
  return new Set([...beyondRange(situation, situation.indexing.range), ...twinsOf(situation).keys()]);
}

/**
 * Pods that an update made beyond the range, and that it does not need any more: as many as there are indexes that no active
 * pod has, since that many pods can take their places, and as have been replaced already. A pod that lacks one for other
 * reasons stays: switching indexes on moves no pod.
 */
function beyondRange(situation: Numbered, range: IndexRange): PodView[] {
  const { active, input, surge, isPaused, isByHand, listed, numbers } = situation;
  const unnumbered = active.filter((view) => isUnnumbered(view.pod) && !listed.has(view));
  if (unnumbered.length === 0 || surge > 0 || isPaused || isByHand) return [];
  const used = [...active.map(({ pod }) => indexOf(pod)), ...input.issued.map(({ index }) => index)];
  const free = freeIndexes(range, new Set(used.filter((index) => index !== undefined)), unnumbered.length);
  const surplus = Math.max(0, active.length - listed.size - numbers.replicas);
  return unnumbered.slice(0, free.length + surplus);
}

/**
 * Active pods that share an index, each with the one that keeps it. A create that lands after its name was given up (protocol
 * §2, rule 9) makes such a pod, and where others were lost meanwhile no scale-in would ever take it: it is replaced as a
 * lost pod is, also in a pause. While the other pod is on its way out it is left alone: soon it has the index for itself.
 */
export function twinsOf({ active, listed }: Pick<Listed, 'active' | 'listed'>): ReadonlyMap<PodView, PodView> {
  const keepers = new Map<number, PodView>();
  const twins = new Map<PodView, number>();
  for (const view of active) {
    const index = listed.has(view) ? undefined : indexOf(view.pod);
    if (index === undefined) continue;
    const other = keepers.get(index);
    const isKeeper = other === undefined || keepsBefore(view, other) < 0;
    if (isKeeper) keepers.set(index, view);
    if (other !== undefined) twins.set(isKeeper ? other : view, index);
  }
  return new Map([...twins].map(([twin, index]) => [twin, keepers.get(index)!]));
}

/** A choice stands, a pod in service goes before one that is none; of two such the older one keeps what both have. */
function keepsBefore(a: PodView, b: PodView): number {
  const isGivenUp = ({ mark }: PodView) => Number(mark?.kind === 'scale-in');
  // What a pod does on a lost node nobody can say.
  const isIdle = (view: PodView) => Number(!view.isServing && !isOnLostNode(view));
  const byAge = a.createdAtMs - b.createdAtMs || (a.uid < b.uid ? -1 : 1);
  return isGivenUp(a) - isGivenUp(b) || isIdle(a) - isIdle(b) || byAge;
}

/** Active pods without an index of their own: given up before others. */
export function lacksIndex({ indexing, active, listed }: DeploymentSituation): ReadonlySet<PodView> {
  if (indexing.kind === 'none') return new Set();
  const without = active.filter(({ pod }) => indexOf(pod) === undefined);
  return new Set([...without, ...twinsOf({ active, listed }).keys()]);
}
