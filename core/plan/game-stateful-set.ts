/** The planner of GameStatefulSets: pods with ordinals, one after the other or all at once (game-workloads §2.4). */
import type { GameStatefulSet } from '../../crds/game-stateful-set.ts';
import { isReached } from './counts.ts';
import { planWorkload } from './engine.ts';
import type { Kind } from './kind.ts';
import { planSetCreates, retiredOrdinals } from './set/creates.ts';
import { extrasOf } from './set/extras.ts';
import { candidatesInOrder, terminalInOrder, victimsOf, whyVictim } from './set/order.ts';
import { assessSet, type SetSituation, slotsToUpdate } from './set/situation.ts';
import type { Plan, PlanInput } from './types.ts';

const RULES: Kind<GameStatefulSet, SetSituation> = {
  assess: assessSet,
  victims: victimsOf,
  whyVictim,
  terminal: terminalInOrder,
  candidates: (situation, _victims, diffOf) => candidatesInOrder(situation, diffOf),
  beyondPartition: (situation) => slotsToUpdate(situation).flatMap(({ view }) => view ?? []),
  creates: planSetCreates,
  refusedUntilMs: ({ input }) => input.unresolved.flatMap(({ backOff }) => backOff?.untilMs ?? []),
  retired: retiredOrdinals,
  isReached: (situation, moves) => {
    const counted = situation.slots.flatMap(({ view }) => (view?.isActive === true ? [view] : []));
    return isReached(situation, moves, { counted, hasSurplus: situation.condemned.length > 0 });
  },
  extras: extrasOf,
};

export const planGameStatefulSet = (input: PlanInput<GameStatefulSet>): Plan => planWorkload(RULES, input);
