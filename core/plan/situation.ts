/** What a plan starts from: the views, the target, and how far pods may move. Computed once, read by every part of the planner. */

import { isPercent } from '../int-or-percent.ts';
import { SUSPEND_ANNOTATION } from '../keys.ts';
import { notImplemented } from '../not-implemented.ts';
import { Budget } from './budget.ts';
import { type Numbers, resolveNumbers } from './numbers.ts';
import { type PodView, viewPod } from './pod-view.ts';
import type { PlanInput, Revision } from './types.ts';

export interface Situation {
  input: PlanInput;
  numbers: Numbers;
  views: PodView[];
  active: PodView[];
  /** Active pods at another revision than the target. */
  old: PodView[];
  /** Active pods that the user wants gone, whatever `replicas` says (decision 26). */
  listed: PodView[];
  /** The revision that pods move to. */
  target: string;
  stable: string;
  /** No pod is updated; scaling and healing go on. */
  isPaused: boolean;
  /** Type OnDelete: a pod is updated when somebody else deletes it (decision 25). */
  isByHand: boolean;
  /** While paused: new pods by share (percentage) or all at stable (integer), decision 11. */
  createsByShare: boolean;
  /** No move at all. */
  isFrozen: boolean;
  revisions: Map<string, Revision>;
  budget: Budget;
  /** Extra pods that the update may use now; listed pods are none of its business. */
  surge: number;
}

/** Old pods that the partition gives up. */
export const beyondPartition = ({ old, numbers }: Pick<Situation, 'old' | 'numbers'>): number =>
  Math.max(0, old.length - numbers.partition);

/** The target that the allowance names, and whether pods may move to it now. */
function targetOf(input: PlanInput): { target: string; isPaused: boolean } {
  const { allowance, stableRevision, updateRevision, workload } = input;
  const target = allowance?.revision ?? stableRevision;
  // A workload that lost its allowance moves nothing, not even back: pods of a canary may be where they belong.
  const isCurrent = allowance !== null && (target === stableRevision || target === updateRevision);
  const pausedByUser = workload.spec.updateStrategy?.paused === true;
  const isBlocked = notImplemented(workload) !== null || target === input.invalidRevision;
  return { target, isPaused: pausedByUser || allowance?.paused === true || !isCurrent || isBlocked };
}

const partitionIsPercent = ({ allowance, workload }: PlanInput): boolean => {
  const partition = allowance?.partition === 'spec' ? workload.spec.updateStrategy?.partition : allowance?.partition;
  return partition !== undefined && isPercent(partition);
};

/** Extra pods that may be used now: for the update unless it is paused, and in place of listed pods before they go. */
export const usableSurge = ({ isPaused, surge, listed, numbers }: Situation): number =>
  Math.min(numbers.maxSurge, (isPaused ? 0 : surge) + listed.length);

export function assess(input: PlanInput): Situation {
  const numbers = resolveNumbers(input.workload, input.allowance);
  const views = input.pods.map((pod) => viewPod(pod, input));
  const active = views.filter((view) => view.isActive);
  const { target, isPaused } = targetOf(input);
  const old = active.filter(({ revision }) => revision !== target);
  const annotations = input.workload.metadata.annotations;
  const names = new Set(input.workload.spec.scaleStrategy?.podsToDelete);
  const isByHand = input.workload.spec.updateStrategy?.type === 'OnDelete';
  return {
    input,
    numbers,
    views,
    active,
    old,
    listed: active.filter(({ name }) => names.has(name)),
    target,
    stable: input.stableRevision,
    isPaused,
    isByHand,
    createsByShare: partitionIsPercent(input),
    isFrozen: annotations?.[SUSPEND_ANNOTATION] === 'true' || input.workload.metadata.deletionTimestamp !== undefined,
    revisions: new Map(input.revisions.map((revision) => [revision.name, revision])),
    budget: new Budget(active, numbers.replicas - numbers.maxUnavailable),
    surge: isByHand
      ? 0
      : Math.min(numbers.maxSurge, beyondPartition({ old: old.filter(({ name }) => !names.has(name)), numbers })),
  };
}
