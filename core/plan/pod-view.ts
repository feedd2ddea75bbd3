/** One pod as the planner reads it: every question about it answered once. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { isChosenBefore } from '../hooks/asked-before.ts';
import { type InPlaceStage, inPlaceStageOf } from '../in-place.ts';
import { MOVE_ANNOTATION, UPDATED_ANNOTATION } from '../keys.ts';
import { momentOf } from '../moments.ts';
import {
  conditionOf,
  isActive,
  isBroken,
  isScheduled,
  isTerminal,
  isTerminating,
  readySinceMs,
  revisionOf,
  servesLongEnough,
  servingSinceMs,
} from '../pods.ts';
import type { Mark, PlanInput, Unresolved } from './types.ts';

export interface PodView {
  pod: Pod;
  name: string;
  uid: string;
  resourceVersion: string;
  revision: string;
  isActive: boolean;
  isTerminal: boolean;
  isTerminating: boolean;
  isScheduled: boolean;
  isPending: boolean;
  isReady: boolean;
  /** For people: active, Ready long enough, gate not closed. */
  isAvailable: boolean;
  /** Ready with an open gate: available now, or by time alone before a write lands. Moving it spends. */
  isServing: boolean;
  /** The fault is the pod's own: moving it needs no budget. */
  isBroken: boolean;
  isNodeReady: boolean;
  /** Epoch milliseconds, read once: orders compare them again and again. */
  createdAtMs: number;
  /** Epoch milliseconds; 0 while it is not ready. */
  readySinceMs: number;
  stage: InPlaceStage;
  mark?: Mark;
  /** It was updated in place, and owes the hook that follows (decision 37). */
  owes?: Mark;
  /** An existing operator chose it to go: its hook was asked, its players may be on their way (decision 2). */
  isChosenBefore: boolean;
  /** A write of ours on exactly this version of the pod whose outcome is open. */
  unresolved?: Unresolved;
}

/** Undefined where the annotation is missing or was written by nobody we know. */
export const markOf = (pod: Pod): Mark | undefined => readMark(pod, MOVE_ANNOTATION);

/** The mark that an update in place has left. */
export const owedMarkOf = (pod: Pod): Mark | undefined => readMark(pod, UPDATED_ANNOTATION);

/** HookRuns that the pod waits for, or will. */
export const runsNamedBy = (pod: Pod): string[] =>
  [markOf(pod), owedMarkOf(pod)].flatMap((mark) => (mark === undefined ? [] : [mark.hookRun]));

function readMark(pod: Pod, annotation: string): Mark | undefined {
  const text = pod.metadata.annotations?.[annotation];
  if (text === undefined) return undefined;
  try {
    const mark = JSON.parse(text) as Partial<Mark> | null;
    return typeof mark?.attempt === 'string' && typeof mark.hookRun === 'string' ? (mark as Mark) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes whose outcome is open, by the pod's uid: a large workload has many of either. */
function openWrites(unresolved: Unresolved[]): ReadonlyMap<string | undefined, Unresolved[]> {
  return Map.groupBy(
    unresolved.filter(({ act }) => act !== 'create'),
    ({ uid }) => uid,
  );
}

/** An unresolved write can only land on the version that it was sent for. */
const openOn = ({ metadata }: Pod, open: ReturnType<typeof openWrites>): Unresolved | undefined =>
  open.size === 0
    ? undefined
    : open.get(metadata.uid)?.find(({ resourceVersion }) => resourceVersion === metadata.resourceVersion);

/**
 * Of all pods of the input, in its order; made anew in every plan. Views that were kept by pod saved an eighth of a later plan, and
 * made the first one half as dear again.
 */
export function viewPods(input: PlanInput<GameWorkload>, minReadySeconds: number): PodView[] {
  const open = openWrites(input.unresolved);
  return input.pods.map((pod) => viewPod(pod, input, { minReadySeconds, unresolved: openOn(pod, open) }));
}

function viewPod(
  pod: Pod,
  input: PlanInput<GameWorkload>,
  { minReadySeconds, unresolved }: { minReadySeconds: number; unresolved: Unresolved | undefined },
): PodView {
  const node = input.nodes[pod.spec.nodeName ?? ''];
  const isNodeReady = node?.ready ?? false;
  const ready = conditionOf(pod, 'Ready');
  const readySince = readySinceMs(pod, ready);
  const servingSince = servingSinceMs(pod, readySince);
  return {
    pod,
    name: pod.metadata.name,
    uid: pod.metadata.uid ?? '',
    resourceVersion: pod.metadata.resourceVersion ?? '',
    revision: revisionOf(pod),
    isActive: isActive(pod),
    isTerminal: isTerminal(pod),
    isTerminating: isTerminating(pod),
    isScheduled: isScheduled(pod),
    isPending: (pod.status?.phase ?? 'Pending') === 'Pending',
    isReady: readySince !== undefined,
    isAvailable: servesLongEnough(servingSince, minReadySeconds, input.nowMs),
    isServing: servingSince !== undefined,
    isBroken: isBroken(pod, isNodeReady, input.nowMs, ready),
    isNodeReady,
    createdAtMs: momentOf(pod.metadata.creationTimestamp) || 0,
    readySinceMs: readySince ?? 0,
    stage: inPlaceStageOf(pod),
    mark: markOf(pod),
    owes: owedMarkOf(pod),
    isChosenBefore: isChosenBefore(pod, input.hookRuns),
    unresolved,
  };
}

/** Its containers have yet to restart: where no gate is closed it may serve still, and will go down. */
export const isChanging = ({ stage }: PodView): boolean => stage.stage === 'restarting';

/** Its next container is due, and it serves until then: where no gate is closed it is spent anew. */
export const isHalfWay = ({ stage, isServing }: PodView): boolean => stage.stage === 'next' && isServing;

/** Available, and no write of ours is open on it, and no restart without a gate is under way (protocol §1, "spent"). */
export const isSpendable = (view: PodView): boolean =>
  view.isAvailable && view.unresolved === undefined && !isChanging(view);

/** Nobody can say what the pod does. */
export const isOnLostNode = ({ pod, isNodeReady }: PodView): boolean => pod.spec.nodeName !== undefined && !isNodeReady;

/** Broken, and nobody is served by it. */
export const isDown = ({ isBroken, isServing }: PodView): boolean => isBroken && !isServing;
