/** Who waits for whom under OrderedReady (kubernetes-controllers §3.1, game-workloads §2.4). */
import { ordinalOf } from '../../ordinals.ts';
import type { Choice, DiffOf } from '../kind.ts';
import { isChanging, isDown, isOnLostNode, type PodView } from '../pod-view.ts';
import { isBrokenStray, whyStray } from '../strays.ts';
import { diffs, isInGraceFor, isMadeAnew, isMovable } from '../updates.ts';
import { condemnedInOrder } from './scale-in.ts';
import { isSettled, type SetSituation, type Slot, slotsToUpdate } from './situation.ts';

/** Broken pods that the update is about to replace. */
function beingMended(situation: SetSituation): ReadonlySet<PodView> {
  const { isPaused, isByHand, old } = situation;
  if (isPaused || isByHand || !old.some(({ isBroken }) => isBroken)) return new Set();
  const diffOf = diffs(situation);
  const broken = chosenOf(situation, diffOf).filter(({ isBroken }) => isBroken);
  return new Set(broken.filter(({ revision }) => isMadeAnew(situation, diffOf(revision))));
}

/**
 * The pod is there and not available, or will not be for long, so the others wait. One that the update is about to replace
 * holds nobody up: or a broken template could never be mended (kubernetes 67250).
 */
function holdsUp(situation: SetSituation): (slot: Slot) => boolean {
  const mended = beingMended(situation);
  return ({ view }) => {
    if (view === undefined || !view.isActive || (view.isAvailable && !isChanging(view))) return false;
    return !mended.has(view);
  };
}

/** The lowest slot that is not filled by a pod in service: the one that is dealt with next. */
export function firstOpenSlot(situation: SetSituation): Slot | undefined {
  const isHolding = holdsUp(situation);
  return situation.slots.find((slot) => slot.view?.isActive !== true || isHolding(slot));
}

/** Failed and Succeeded pods whose slot has its turn, and those without a slot. */
export function terminalInOrder(situation: SetSituation): PodView[] {
  const { terminal: failed } = situation;
  if (!situation.isOrdered || failed.length === 0) return failed;
  const next = firstOpenSlot(situation)?.view;
  return failed.filter((view) => view === next || situation.leftOver.has(view));
}

/** Old pods beyond the partition, the highest ordinal first. */
const oldBeyond = (situation: SetSituation): PodView[] =>
  slotsToUpdate(situation)
    .flatMap(({ view }) => view ?? [])
    .reverse();

function straysBelow(situation: SetSituation): PodView[] {
  const below = situation.slots.filter(({ isBeyondPartition }) => !isBeyondPartition);
  return below.flatMap(({ view }) => (view?.isActive === true && isBrokenStray(view, situation) ? [view] : []));
}

/**
 * Those that may move, first come first: what was begun, then broken ones, under Parallel those of a superseded rollout
 * (game-workloads §5, 8), then the highest ordinal; and how many do. As many stay old as the partition says, also where a pod
 * below it is new: it was replaced before the partition was raised.
 */
function queueOf(situation: SetSituation, diffOf: DiffOf) {
  const { numbers, old, condemned, target, stable, isOrdered } = situation;
  const gone = new Set([...condemned, ...straysBelow(situation)]);
  const count = Math.max(0, old.filter((view) => !gone.has(view)).length - numbers.partition);
  const isSuperseded = ({ revision }: PodView) => !isOrdered && revision !== stable;
  const rank = (view: PodView) =>
    4 * Number(isInGraceFor(view, target)) + 2 * Number(isDown(view)) + Number(isSuperseded(view));
  const movable = oldBeyond(situation).filter((view) => isMovable(situation, view, diffOf));
  return { queue: movable.sort((a, b) => rank(b) - rank(a)), count };
}

/** What the partition keeps of the queue goes back to stable where it is broken; as long as it is away, fewer may become new. */
function dealOut(situation: SetSituation, diffOf: DiffOf): { chosen: PodView[]; strays: PodView[] } {
  const { queue, count } = queueOf(situation, diffOf);
  const strays = queue.slice(count).filter((view) => isBrokenStray(view, situation));
  return { chosen: queue.slice(0, Math.max(0, count - strays.length)), strays };
}

const chosenOf = (situation: SetSituation, diffOf: DiffOf): PodView[] => dealOut(situation, diffOf).chosen;

/** Broken pods of a superseded rollout that the partition keeps. */
function straysOf(situation: SetSituation): PodView[] {
  if (!situation.old.some((view) => isBrokenStray(view, situation))) return [];
  const diffOf = diffs(situation);
  const below = straysBelow(situation).filter((view) => isMovable(situation, view, diffOf));
  return [...below, ...dealOut(situation, diffOf).strays];
}

/** Pods without a slot in their order; broken ones that no rollout wants go outside of it. */
export function victimsOf(situation: SetSituation): Choice {
  const { chosen, now } = condemnedInOrder(situation, holdsUp(situation));
  const strays = straysOf(situation);
  return { chosen: [...chosen, ...strays], now: [...strays, ...now] };
}

/** One clause for people: why the pod goes. */
export function whyVictim(situation: SetSituation, view: PodView): string {
  const { input, numbers, leftOver } = situation;
  if (!leftOver.has(view)) return whyStray(view, situation);
  const ordinal = ordinalOf(input.workload.metadata.name, view.name);
  const isReserved = ordinal !== undefined && input.workload.spec.reserveOrders?.includes(ordinal);
  return isReserved
    ? `spec.reserveOrders has ordinal ${ordinal}`
    : `ordinal ${ordinal} is beyond replicas (${numbers.replicas})`;
}

/** Under OrderedReady one at a time. */
export function candidatesInOrder(situation: SetSituation, diffOf: DiffOf): Choice {
  const chosen = chosenOf(situation, diffOf);
  return situation.isOrdered ? oneByOne(situation, chosen) : { chosen, now: chosen };
}

/** The highest, unless one above it is on a lost node. Pods that cannot be updated in place and are kept hold nobody up. */
function nextInOrder(situation: SetSituation, chosen: PodView[]): PodView[] {
  const first = oldBeyond(situation).find((view) => isOnLostNode(view) || chosen.includes(view));
  return first === undefined || isOnLostNode(first) ? [] : [first];
}

/** Broken pods are replaced outside the order. The others wait until every slot beyond the partition is old or settled. */
function oneByOne(situation: SetSituation, movable: PodView[]): Choice {
  const broken = movable.filter(isDown);
  const begun = movable.filter((view) => isInGraceFor(view, situation.target));
  const next = nextInOrder(situation, movable);
  const areOld = new Set(oldBeyond(situation));
  const isCalm = situation.slots
    .filter(({ isBeyondPartition }) => isBeyondPartition)
    .every((slot) => isSettled(situation, slot) || areOld.has(slot.view!));
  const mayGoOn = isCalm && broken.length === 0 && begun.length === 0;
  const chosen = [...new Set([...begun, ...broken, ...next])];
  return { chosen, now: mayGoOn ? next : broken };
}
