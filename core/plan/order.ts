/** The total, stable orders in which pods are given up (decision 24) and updated (game-workloads §2.3). */
import { COST_SORT_METHOD_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../keys.ts';
import { isScheduled } from '../pods.ts';
import type { PodView } from './pod-view.ts';
import type { NodeFacts } from './types.ts';

type Compare = (a: PodView, b: PodView) => number;

const firstWhere =
  (predicate: (view: PodView) => boolean): Compare =>
  (a, b) =>
    Number(predicate(b)) - Number(predicate(a));

const unscheduledFirst = firstWhere(({ pod }) => !isScheduled(pod));
const pendingFirst = firstWhere(({ pod }) => (pod.status?.phase ?? 'Pending') === 'Pending');
const notReadyFirst = firstWhere(({ isReady }) => !isReady);
const unavailableFirst = firstWhere(({ isAvailable }) => !isAvailable);

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
    unscheduledFirst,
    pendingFirst,
    notReadyFirst,
    byCost(({ pod }) => parseCost(nodes[pod.spec.nodeName ?? '']?.deletionCost), false),
    byCost(({ pod }) => parseCost(pod.metadata.annotations?.[POD_DELETION_COST_ANNOTATION]), descend),
    readyMostRecentlyFirst,
    newestFirst,
    byUid,
  );
}

/**
 * First is updated first: marked ones keep their place, those that an existing operator chose too, then graces that have
 * begun, pods of superseded revisions (game-workloads §5, 8), broken, unavailable, and last the healthiest, which so stay old
 * under a partition.
 */
export const updateOrder = (stableRevision: string): Compare =>
  chain(
    firstWhere(({ mark }) => mark?.kind === 'update'),
    firstWhere((view) => view.isChosenBefore),
    firstWhere(({ stage }) => stage.stage === 'grace'),
    firstWhere(({ revision }) => revision !== stableRevision),
    firstWhere(({ isBroken, isServing }) => isBroken && !isServing),
    unscheduledFirst,
    pendingFirst,
    notReadyFirst,
    unavailableFirst,
    readyMostRecentlyFirst,
    newestFirst,
    byUid,
  );
