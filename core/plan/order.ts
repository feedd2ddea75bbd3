/** The total, stable orders in which pods are given up (decision 24) and updated (game-workloads §2.3). */
import { COST_SORT_METHOD_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../keys.ts';
import { isScheduled } from '../pods.ts';
import type { PodView } from './pod-view.ts';
import type { NodeFacts } from './types.ts';
import { isInGraceFor } from './updates.ts';

type Compare = (a: PodView, b: PodView) => number;

const firstWhere =
  (predicate: (view: PodView) => boolean): Compare =>
  (a, b) =>
    Number(predicate(b)) - Number(predicate(a));

const isUnscheduled = ({ pod }: PodView): boolean => !isScheduled(pod);
const isPending = ({ pod }: PodView): boolean => (pod.status?.phase ?? 'Pending') === 'Pending';
const isNotReady = ({ isReady }: PodView): boolean => !isReady;

const readyMostRecentlyFirst: Compare = (a, b) => b.readySinceMs - a.readySinceMs;
const newestFirst: Compare = (a, b) => b.createdAtMs - a.createdAtMs;
const byUid: Compare = (a, b) => (a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0);

const chain =
  (...compares: Compare[]): Compare =>
  (a, b) => {
    for (const compare of compares) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };

/** A missing or invalid cost sorts last in either direction. */
function parseCost(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const cost = Number(text);
  return Number.isFinite(cost) ? cost : undefined;
}

function byCost(cost: (view: PodView) => number | undefined, descend: boolean): Compare {
  return (a, b) => {
    const [left, right] = [cost(a), cost(b)];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    return descend ? right - left : left - right;
  };
}

/** First is given up first: unscheduled, Pending, not ready, node cost, pod cost, ready most recently, newest, uid. */
export function scaleInOrder(
  annotations: Record<string, string> | undefined,
  nodes: Record<string, NodeFacts>,
): Compare {
  const descend = annotations?.[COST_SORT_METHOD_ANNOTATION] === 'descend';
  return chain(
    ...[isUnscheduled, isPending, isNotReady].map(firstWhere),
    byCost(({ pod }) => parseCost(nodes[pod.spec.nodeName ?? '']?.deletionCost), false),
    byCost(({ pod }) => parseCost(pod.metadata.annotations?.[POD_DELETION_COST_ANNOTATION]), descend),
    readyMostRecentlyFirst,
    newestFirst,
    byUid,
  );
}

/** The number whose bits say which of the questions are answered by yes, the first one the highest: large goes first. */
const placeOf = (view: PodView, questions: ((view: PodView) => boolean)[]): number =>
  questions.reduce((place, isFirst) => place * 2 + Number(isFirst(view)), 0);

const healthiestLast = chain(readyMostRecentlyFirst, newestFirst, byUid);

/**
 * First is updated first: graces for the target that have begun, marked pods, those that an existing operator chose, other
 * graces, pods of superseded revisions (game-workloads §5, 8), broken, unavailable, and last the healthiest, which so stay
 * old under a partition. Each pod is asked once: a large workload has thousands to sort in every plan.
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
