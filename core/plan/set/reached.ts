/** When the allowance is reached by a GameStatefulSet (decisions 13 and 15), and why a pod of it is too many. */
import { ordinalOf } from '../../ordinals.ts';
import { isUpdating } from '../counts.ts';
import type { PodView } from '../pod-view.ts';
import { isBeyondPartition, isSettled, type SetSituation } from './situation.ts';

/** Every slot beyond the partition has a pod of the target in service, and no pod is there beside the slots. */
export function isSetReached(situation: SetSituation): boolean {
  const { active, condemned, input, numbers, old, slots, target } = situation;
  if (input.allowance === null || target === input.invalidRevision || condemned.length > 0) return false;
  if (active.some((view) => view.revision === target && (isUpdating(view) || view.unresolved !== undefined)))
    return false;
  if (numbers.partition === 0 && old.length > 0) return false;
  return slots.filter((slot) => isBeyondPartition(situation, slot)).every((slot) => isSettled(situation, slot));
}

export function whySurplus({ input, numbers }: SetSituation, { name }: PodView): string {
  const ordinal = ordinalOf(input.workload.metadata.name, name);
  const isReserved = ordinal !== undefined && input.workload.spec.reserveOrders?.includes(ordinal);
  return isReserved ? `spec.reserveOrders has ordinal ${ordinal}` : `more pods than replicas (${numbers.replicas})`;
}
