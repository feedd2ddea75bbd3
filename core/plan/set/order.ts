/** Who waits for whom under OrderedReady (kubernetes-controllers §3.1, game-workloads §2.4). */
import { ordinalOf } from '../../ordinals.ts';
import type { Choice, DiffOf } from '../kind.ts';
import { isChanging, type PodView } from '../pod-view.ts';
import { isWaitingTerminal } from '../scale-in.ts';
import { diffs, isInGraceFor, isMadeAnew, isMovable } from '../updates.ts';
import { isBeyondPartition, isSettled, type SetSituation, type Slot, slotsToUpdate } from './situation.ts';

/** The update is about to replace this broken pod. */
function isBeingMended(situation: SetSituation, slot: Slot, diffOf: DiffOf): boolean {
  const { isPaused, isByHand, target } = situation;
  const view = slot.view!;
  if (!view.isBroken || view.revision === target || isPaused || isByHand) return false;
  return (
    isBeyondPartition(situation, slot) &&
    isMovable(situation, view, diffOf) &&
    isMadeAnew(situation, diffOf(view.revision))
  );
}

/**
 * The pod is there and not available, or will not be for long, so the others wait. One that the update is about to replace
 * holds nobody up: or a broken template could never be mended (kubernetes 67250).
 */
function holdsUp(situation: SetSituation): (slot: Slot) => boolean {
  const diffOf = diffs(situation);
  return (slot) => {
    const { view } = slot;
    if (view === undefined || !view.isActive || (view.isAvailable && !isChanging(view))) return false;
    return !isBeingMended(situation, slot, diffOf);
  };
}

/** The lowest slot that is not filled by a pod in service: the one that is dealt with next. */
export function firstOpenSlot(situation: SetSituation): Slot | undefined {
  const isHolding = holdsUp(situation);
  return situation.slots.find((slot) => slot.view?.isActive !== true || isHolding(slot));
}

/** Failed and Succeeded pods whose slot has its turn, and those without a slot. */
export function terminalInOrder(situation: SetSituation): PodView[] {
  const failed = situation.views.filter(isWaitingTerminal);
  if (!situation.isOrdered || failed.length === 0) return failed;
  const next = firstOpenSlot(situation)?.view;
  return failed.filter((view) => view === next || !situation.names.has(view.name));
}

/**
 * One at a time from the highest ordinal down, while the pods below are in service. Slots that are empty hold nobody up:
 * they may be waiting for just this pod to go.
 */
export function victimsInOrder(situation: SetSituation): Choice {
  const { condemned: chosen, names, slots, views } = situation;
  if (!situation.isOrdered) return { chosen, now: chosen };
  const first = chosen[0];
  const isOneGoing = views.some(({ isTerminating, name }) => isTerminating && !names.has(name));
  if (first === undefined || isOneGoing) return { chosen, now: [] };
  const ordinal = ordinalOf(situation.input.workload.metadata.name, first.name) ?? 0;
  const below = slots.filter((slot) => slot.ordinal < ordinal);
  const isHolding = holdsUp(situation);
  const isHeldUp = below.some((slot) => slot.view?.isTerminating === true || isHolding(slot));
  return { chosen, now: isHeldUp ? [] : [first] };
}

/** One clause for people: why the pod has no slot. */
export function whySurplus({ input, numbers }: SetSituation, { name }: PodView): string {
  const ordinal = ordinalOf(input.workload.metadata.name, name);
  const isReserved = ordinal !== undefined && input.workload.spec.reserveOrders?.includes(ordinal);
  return isReserved
    ? `spec.reserveOrders has ordinal ${ordinal}`
    : `ordinal ${ordinal} is beyond replicas (${numbers.replicas})`;
}

/**
 * Old pods beyond the partition, the highest ordinal first; under OrderedReady one at a time. As many stay old as the
 * partition says, also where a pod below it is new: it was replaced before the partition was raised.
 */
export function candidatesInOrder(situation: SetSituation, diffOf: DiffOf): Choice {
  const { numbers, old: allOld, condemned, target } = situation;
  const old = slotsToUpdate(situation)
    .flatMap(({ view }) => view ?? [])
    .reverse();
  const begunFirst = (view: PodView) => Number(isInGraceFor(view, target));
  const movable = old.filter((view) => isMovable(situation, view, diffOf));
  const gone = new Set(condemned);
  const count = allOld.filter((view) => !gone.has(view)).length - numbers.partition;
  const chosen = movable.sort((a, b) => begunFirst(b) - begunFirst(a)).slice(0, Math.max(0, count));
  return situation.isOrdered ? oneByOne(situation, old, chosen) : { chosen, now: chosen };
}

/** Broken pods are replaced outside the order. The others wait until every slot beyond the partition is old or settled. */
function oneByOne(situation: SetSituation, old: PodView[], movable: PodView[]): Choice {
  const broken = movable.filter(({ isBroken, isServing }) => isBroken && !isServing);
  const begun = movable.filter((view) => isInGraceFor(view, situation.target));
  const next = movable.filter((view) => view === old[0]);
  const areOld = new Set(old);
  const isCalm = situation.slots
    .filter((slot) => isBeyondPartition(situation, slot))
    .every((slot) => isSettled(situation, slot) || areOld.has(slot.view!));
  const mayGoOn = isCalm && broken.length === 0 && begun.length === 0;
  const chosen = [...new Set([...begun, ...broken, ...next])];
  return { chosen, now: mayGoOn ? next : broken };
}
