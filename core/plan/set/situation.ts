/**
 * What a plan for a GameStatefulSet starts from: one slot for each replica, and the pod that has it. The partition counts
 * slots from the lowest ordinal up, so that reserved ordinals do not change how many pods stay old.
 */
import type { GameStatefulSet } from '../../../crds/game-stateful-set.ts';
import type { IntOrString } from '../../../crds/kubernetes.ts';
import { firstOrdinals, ordinalOf, ordinalPodName } from '../../ordinals.ts';
import { isCreatedInFull } from '../create-batch.ts';
import { isDown, isHalfWay, isOnLostNode, isSpendable, type PodView } from '../pod-view.ts';
import { assess, type Situation } from '../situation.ts';
import type { PlanInput } from '../types.ts';
import { toBeUpdated } from '../updates.ts';
import { isOrdered, resolveSetNumbers } from './numbers.ts';

export interface Slot {
  ordinal: number;
  name: string;
  /** Place among the slots, from 0; those of the surge come after those of the replicas. */
  position: number;
  /** The update may change its pod. */
  isBeyondPartition: boolean;
  /** The pod of this name, whatever its state. A name has one pod at most. */
  view?: PodView;
}

export interface SetSituation extends Situation {
  input: PlanInput<GameStatefulSet>;
  /** OrderedReady: one pod at a time, lowest first up, highest first down. */
  isOrdered: boolean;
  /** One for each replica, ascending. */
  slots: Slot[];
  /** Extra pods that the update may use now. */
  surgeSlots: Slot[];
  /** Pods without a slot. */
  leftOver: ReadonlySet<PodView>;
  /** The active ones of them, the highest ordinal first. */
  condemned: PodView[];
}

const isOld = ({ target }: Situation, { view }: Slot): boolean => view?.isActive === true && view.revision !== target;

/** Old pods that the partition gives up. */
export const slotsToUpdate = (situation: Situation & Pick<SetSituation, 'slots' | 'surgeSlots'>): Slot[] =>
  [...situation.slots, ...situation.surgeSlots].filter((slot) => slot.isBeyondPartition && isOld(situation, slot));

/** When the grace period of its deletion is over; a kubelet that lives has taken it away by then, or soon after. */
export const goneByMs = ({ pod }: PodView): number => Date.parse(pod.metadata.deletionTimestamp ?? '') || 0;

/** At the target, in service, and nothing of an update is under way. */
export const isSettled = ({ target }: Situation, { view }: Slot): boolean =>
  view !== undefined && view.revision === target && isSpendable(view) && view.stage.stage === 'none';

const isThere = ({ view }: Slot): boolean => view?.isActive === true;

/** Its pod is on its way out, or on a node that is lost: nothing can be done with the slot now. */
const isStuck = ({ view }: Slot): boolean => view !== undefined && (!view.isActive || isOnLostNode(view));

/**
 * How many extra pods the update may have: as many as there are slots that it has yet to settle. Without an old pod none is
 * made, those that are there stay until the last slot is settled. A pod of the stable revision is no surge: it is left over
 * from more replicas. While paused only pods at the target are one.
 */
function surgeSlotsOf(situation: Situation, slots: Slot[], extra: Slot[]): Slot[] {
  if (extra.length === 0) return [];
  const { isPaused, target, stable } = situation;
  const moving = new Set(toBeUpdated(situation, situation.old));
  const isToSettle = (slot: Slot) => slot.isBeyondPartition && (!isOld(situation, slot) || moving.has(slot.view!));
  // Also below a partition that was raised since: a pod of the target is finished wherever it is.
  const isLeftHalfWay = ({ view }: Slot) => view !== undefined && view.revision === target && isHalfWay(view);
  const toSettle = slots.filter((slot) => isToSettle(slot) || isLeftHalfWay(slot));
  const hasOld = toSettle.some((slot) => isOld(situation, slot) || isLeftHalfWay(slot));
  if (isPaused) return hasOld ? extra.filter((slot) => isThere(slot) && slot.view?.revision === target) : [];
  const unsettled = toSettle.filter((slot) => !isSettled(situation, slot)).length;
  const usable = extra.filter((slot) => !isThere(slot) || slot.view?.revision !== stable || target === stable);
  const inUse = new Set(usable.filter((slot) => !isStuck(slot)).slice(0, unsettled));
  const room = unsettled === 0 ? [] : usable.filter((slot) => inUse.has(slot) || isStuck(slot));
  return hasOld ? room : room.filter(isThere);
}

function partitionOf({ allowance, workload }: PlanInput<GameStatefulSet>): IntOrString | undefined {
  const asWritten = workload.spec.updateStrategy?.rollingUpdate?.partition;
  return allowance?.partition === 'spec' ? asWritten : allowance?.partition;
}

/** The pods of the input, and the ordinal of each, in the same order. */
interface Members {
  input: PlanInput<GameStatefulSet>;
  ordinals: number[];
}

/** Pods that bear no name of this set are none of its business, whoever gave them to it. */
function membersOf(given: PlanInput<GameStatefulSet>): Members {
  const { name } = given.workload.metadata;
  const members: Members = { input: { ...given, pods: [] }, ordinals: [] };
  for (const pod of given.pods) {
    const ordinal = ordinalOf(name, pod.metadata.name);
    if (ordinal === undefined) continue;
    members.input.pods.push(pod);
    members.ordinals.push(ordinal);
  }
  return members;
}

function slotsOf({ numbers, views }: Situation, { input, ordinals }: Members): Slot[] {
  const { metadata, spec } = input.workload;
  const wanted = firstOrdinals(numbers.replicas + numbers.maxSurge, new Set(spec.reserveOrders));
  const byOrdinal = new Array<PodView | undefined>((wanted.at(-1) ?? -1) + 1);
  for (const [at, ordinal] of ordinals.entries()) if (ordinal < byOrdinal.length) byOrdinal[ordinal] = views[at];
  return wanted.map((ordinal, position) => {
    const view = byOrdinal[ordinal];
    const name = view?.name ?? ordinalPodName(metadata.name, ordinal);
    return { ordinal, name, position, isBeyondPartition: position >= numbers.partition, view };
  });
}

/**
 * In a set that never had all of its pods, only old pods that may serve stay old: an ordered creation that waits for a broken
 * one, or makes one more of the kind, would wait for ever under a partition that keeps it (decision 12 gives a first creation
 * no steps; kubernetes 67250).
 */
function underPartition(situation: Situation, slots: Slot[]): Slot[] {
  const input = situation.input as PlanInput<GameStatefulSet>;
  const { spec } = input.workload;
  const isIncomplete = isOrdered(spec) && !isCreatedInFull(input, { replicas: situation.active.length });
  if (situation.isPaused || !isIncomplete) return slots;
  const mayServe = (slot: Slot) => isOld(situation, slot) && !isDown(slot.view!);
  return slots.map((slot) => ({ ...slot, isBeyondPartition: slot.isBeyondPartition || !mayServe(slot) }));
}

export function assessSet(given: PlanInput<GameStatefulSet>): SetSituation {
  const members = membersOf(given);
  const { input } = members;
  const { metadata, spec } = input.workload;
  const partition = partitionOf(input);
  const assessed = assess(input, { numbers: resolveSetNumbers(spec, partition), partition });
  const all = slotsOf(assessed, members);
  const { replicas } = assessed.numbers;
  const slots = underPartition(assessed, all.slice(0, replicas));
  const kept = slots.filter(({ isBeyondPartition }) => !isBeyondPartition);
  const numbers = { ...assessed.numbers, partition: kept.length };
  const situation = { ...assessed, numbers };
  const surgeSlots = surgeSlotsOf(situation, slots, all.slice(replicas));
  const leftOver = withoutSlot(situation.views, [...slots, ...surgeSlots]);
  const ordinal = ({ name }: PodView) => ordinalOf(metadata.name, name) ?? 0;
  const condemned = [...leftOver].filter(({ isActive }) => isActive).sort((a, b) => ordinal(b) - ordinal(a));
  return { ...situation, input, isOrdered: isOrdered(spec), slots, surgeSlots, leftOver, condemned };
}

function withoutSlot(views: readonly PodView[], slots: readonly Slot[]): ReadonlySet<PodView> {
  const filled = slots.filter(({ view }) => view !== undefined);
  // Nearly always, and thousands of pods need not be looked up then.
  if (filled.length === views.length) return new Set();
  const placed = new Set(filled.map(({ view }) => view));
  return new Set(views.filter((view) => !placed.has(view)));
}
