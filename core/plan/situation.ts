/** What a plan starts from: the views, the target, and how far pods may move. Computed once, read by every part of the planner. */

import type { GameWorkload } from '../../crds/game-workload.ts';
import type { IntOrString } from '../../crds/kubernetes.ts';
import { isPercent } from '../int-or-percent.ts';
import { SUSPEND_ANNOTATION } from '../keys.ts';
import { notImplementedField } from '../not-implemented.ts';
import { Budget } from './budget.ts';
import { type Groups, groupsOf } from './groups.ts';
import type { Numbers } from './numbers.ts';
import { type PodView, viewPods } from './pod-view.ts';
import type { PlanInput, Revision } from './types.ts';

export interface Situation extends Groups {
  input: PlanInput<GameWorkload>;
  numbers: Numbers;
  views: PodView[];
  /** Active pods at another revision than the target. */
  old: PodView[];
  /** The revision that pods move to. */
  target: string;
  stable: string;
  /** No pod is updated; scaling and healing go on. */
  isPaused: boolean;
  /** Type OnDelete: a pod is updated when somebody else deletes it (decision 25). */
  isByHand: boolean;
  /** While paused: new pods by share (percentage) or all at stable (integer), decision 11. */
  createsByShare: boolean;
  /** No pod is moved at all. */
  isFrozen: boolean;
  revisions: Map<string, Revision>;
  budget: Budget;
}

/** What each kind reads from its own spec. */
interface KindFacts {
  numbers: Numbers;
  /** As it stands in the allowance or in the spec. */
  partition: IntOrString | undefined;
}

/** The target that the allowance names, and whether pods may move to it now. */
function targetOf(input: PlanInput<GameWorkload>): { target: string; isPaused: boolean } {
  const { allowance, stableRevision, updateRevision, workload } = input;
  const target = allowance?.revision ?? stableRevision;
  // A workload that lost its allowance moves nothing, not even back: pods of a canary may be where they belong.
  const isCurrent = allowance !== null && (target === stableRevision || target === updateRevision);
  const pausedByUser = workload.spec.updateStrategy?.paused === true;
  const isBlocked = notImplementedField(workload) !== null || target === input.invalidRevision;
  return { target, isPaused: pausedByUser || allowance?.paused === true || !isCurrent || isBlocked };
}

export function assess(input: PlanInput<GameWorkload>, { numbers, partition }: KindFacts): Situation {
  const views = viewPods(input, numbers.minReadySeconds);
  const groups = groupsOf(views);
  const { active } = groups;
  const { target, isPaused } = targetOf(input);
  const { annotations, deletionTimestamp } = input.workload.metadata;
  return {
    input,
    numbers,
    views,
    ...groups,
    old: active.filter(({ revision }) => revision !== target),
    target,
    stable: input.stableRevision,
    isPaused,
    isByHand: input.workload.spec.updateStrategy?.type === 'OnDelete',
    createsByShare: partition !== undefined && isPercent(partition),
    isFrozen: annotations?.[SUSPEND_ANNOTATION] === 'true' || deletionTimestamp !== undefined,
    revisions: new Map(input.revisions.map((revision) => [revision.name, revision])),
    budget: new Budget(active, numbers.replicas - numbers.maxUnavailable),
  };
}
