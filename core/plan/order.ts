/** The total, stable orders in which pods are given up (decision 24) and updated (game-workloads §2.3). */
import { COST_SORT_METHOD_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../keys.ts';
import type { PodView } from './pod-view.ts';
import type { NodeFacts } from './types.ts';
import { isInGraceFor } from './updates.ts';

type Compare = (a: PodView, b: PodView) => number;

const isUnscheduled = ({ isScheduled }: PodView): boolean => !isScheduled;
const isPending = (view: PodView): boolean => view.isPending;
const isNotReady = ({ isReady }: PodView): boolean => !isReady;

const readyMostRecentlyFirst: Compare = (a, b) => b.readySinceMs - a.readySinceMs;
const newestFirst: Compare = (a, b) => b.createdAtMs - a.createdAtMs;
const byUid: Compare = (a, b) => (a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0);
const healthiestLast: Compare = (a, b) => readyMostRecentlyFirst(a, b) || newestFirst(a, b) || byUid(a, b);

/** The number whose bits say which of the questions are answered by yes, the first one the highest: large goes first. */
const placeOf = (view: PodView, questions: ((view: PodView) => boolean)[]): number =>
  questions.reduce((place, isFirst) => place * 2 + Number(isFirst(view)), 0);

/** Small goes first; a missing or invalid cost comes last in either direction. */
function costOf(text: string | undefined, descend = false): number {
  const cost = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(cost)) return Number.POSITIVE_INFINITY;
  return descend ? -cost : cost;
}

/** Where costs of pods and nodes stand. */
interface Costs {
  annotations: Record<string, string> | undefined;
  nodes: Record<string, NodeFacts>;
}

/**
 * First is given up first: the highest rank, unscheduled, Pending, not ready, node cost, pod cost, ready most recently, newest,
 * uid. Each pod is asked once: a large workload has thousands to sort.
 */
export function inScaleInOrder(
  views: readonly PodView[],
  rankOf: (view: PodView) => number,
  { annotations, nodes }: Costs,
): PodView[] {
  const descend = annotations?.[COST_SORT_METHOD_ANNOTATION] === 'descend';
  const questions = [isUnscheduled, isPending, isNotReady];
  const placed = views.map((view) => ({
    view,
    rank: rankOf(view),
    place: placeOf(view, questions),
    nodeCost: costOf(nodes[view.pod.spec.nodeName ?? '']?.deletionCost),
    podCost: costOf(view.pod.metadata.annotations?.[POD_DELETION_COST_ANNOTATION], descend),
  }));
  placed.sort(
    (a, b) =>
      b.rank - a.rank ||
      b.place - a.place ||
      // Both may be infinite: their difference is NaN, and says no more than 0.
      a.nodeCost - b.nodeCost ||
      a.podCost - b.podCost ||
      healthiestLast(a.view, b.view),
  );
  return placed.map(({ view }) => view);
}

/**
 * First is updated first: graces for the target that have begun, marked pods, those that an existing operator chose, other
 * graces, pods of superseded revisions (game-workloads §5, 8), broken, unavailable, and last the healthiest, which so stay
 * old under a partition. Each pod is asked once here, too.
 */
export function inUpdateOrder(views: PodView[], { stable, target }: { stable: string; target: string }): PodView[] {
  const questions = [
    (view: PodView) => isInGraceFor(view, target),
    ({ mark }: PodView) => mark?.kind === 'update',
    (view: PodView) => view.isChosenBefore,
    ({ stage }: PodView) => stage.stage === 'grace',
    ({ revision }: PodView) => revision !== stable,
    ({ isBroken, isServing }: PodView) => isBroken && !isServing,
    ...[isUnscheduled, isPending, isNotReady],
    ({ isAvailable }: PodView) => !isAvailable,
  ];
  const placed = views.map((view) => ({ view, place: placeOf(view, questions) }));
  placed.sort((a, b) => b.place - a.place || healthiestLast(a.view, b.view));
  return placed.map(({ view }) => view);
}
