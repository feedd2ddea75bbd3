/**
 * Scale-in under OrderedReady: one at a time from the highest ordinal down, each when the one before has gone and the pods
 * below are in service (kubernetes-controllers §3.1). The StatefulSet controller waits for these for ever, and for a surplus
 * pod that is not ready until every lower one is. Here nobody waits for a pod that waiting does not mend, and none that is too
 * many is waited for but one on its way out: the budget alone says then what may go.
 */
import { ordinalOf } from '../../ordinals.ts';
import { BROKEN_AFTER_MS, conditionOf } from '../../pods.ts';
import type { Choice } from '../kind.ts';
import { isDown, type PodView } from '../pod-view.ts';
import { goneByMs, type SetSituation, type Slot } from './situation.ts';

/** It has had its time to come up, or to go away. */
function isStuck(view: PodView, nowMs: number): boolean {
  if (view.isTerminating) return goneByMs(view) <= nowMs;
  return isDown(view) && view.createdAtMs + BROKEN_AFTER_MS <= nowMs;
}

/** Slots that are empty hold nobody up: they may be waiting for just this pod to go. */
export function condemnedInOrder(situation: SetSituation, isHolding: (slot: Slot) => boolean): Choice {
  const { condemned: chosen, leftOver, slots, input } = situation;
  if (!situation.isOrdered) return { chosen, now: chosen };
  const first = chosen[0];
  const isOneGoing = [...leftOver].some(({ isTerminating }) => isTerminating);
  if (first === undefined || isOneGoing) return { chosen, now: [] };
  const ordinal = ordinalOf(input.workload.metadata.name, first.name) ?? 0;
  const isHeldUp = slots.some((slot) => {
    if (slot.view === undefined || slot.ordinal > ordinal || isStuck(slot.view, input.nowMs)) return false;
    return slot.view.isTerminating || isHolding(slot);
  });
  return { chosen, now: isHeldUp ? [] : [first] };
}

/** When pods that a scale-in waits for have had their time; epoch milliseconds. */
export function scaleInDeadlinesMs({ isOrdered, condemned, slots }: SetSituation): number[] {
  if (!isOrdered || condemned.length === 0) return [];
  const waitedFor = slots.flatMap(({ view }) => (view?.isActive === true && !view.isAvailable ? [view] : []));
  return waitedFor.flatMap(({ createdAtMs, pod }) => {
    const unreadyMs = Date.parse(conditionOf(pod, 'Ready')?.lastTransitionTime ?? '') || 0;
    return [createdAtMs + BROKEN_AFTER_MS, unreadyMs + BROKEN_AFTER_MS];
  });
}
