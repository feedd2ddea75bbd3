/** Marks that nobody needs any more, and writes of ours that may still land (protocol §2, rule 4; decision 36). */
import type { GameWorkload } from '../../crds/game-workload.ts';
import { itemOf } from './gates.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Move, PlanInput } from './types.ts';
import type { UpdatePlan } from './updates.ts';

/** A workload that lost its state, and whose rollout is about to speak, does not know yet which pods are chosen. */
const isUnspoken = ({ allowance, updateRevision, stableRevision }: PlanInput<GameWorkload>): boolean =>
  allowance === null && updateRevision !== stableRevision;

/**
 * Marked pods that the update may not move now, and that hold what a pod too many waits for: under OrderedReady each waits for the
 * other for ever, while paused for a person; but scaling goes on (decisions 8 and 37). Their hooks are asked again in their turn.
 */
function yielding({ active, budget }: Situation, { idle }: UpdatePlan, short: number): PodView[] {
  const marked = active.filter((view) => view.mark !== undefined && view.isAvailable && idle.has(view.uid));
  const wanted = short === 0 ? 0 : Math.max(0, short - budget.free);
  return marked.length + budget.free < 1 ? [] : marked.slice(0, wanted);
}

/** What the plan does with pods otherwise. */
interface Chosen {
  victims: PodView[];
  update: UpdatePlan;
  /** Other moves write to them. */
  moving: Set<string>;
  /** How many of the victims wait for the budget alone. */
  short: number;
}

/** A marked pod that is neither given up nor updated gets its mark taken off; while paused an update keeps its marks. */
export function planUnmarks(situation: Situation, { victims, update, moving, short }: Chosen): Move[] {
  const given = new Set(victims);
  const yields = new Set(yielding(situation, update, short));
  const marked = situation.active.filter(({ mark, uid }) => mark !== undefined && !moving.has(uid));
  return marked.flatMap((view): Move[] => {
    const mark = view.mark!;
    if (mark.kind === 'update' && isUnspoken(situation.input)) return [];
    const isStale = mark.kind === 'update' && mark.revision !== situation.target;
    const isChosen = given.has(view) || update.chosen.has(view.uid);
    if (isChosen && !isStale && !yields.has(view)) return [];
    const why = yields.has(view) ? 'it waits for its turn, and others go first' : 'it is not chosen any more';
    return [{ act: 'unmark', ...itemOf(view, why), hookRun: mark.hookRun }];
  });
}

/** An open write on a pod that no move of this plan touches is fenced off. */
export function planFences(situation: Situation, moving: Set<string>): Move[] {
  return situation.active
    .filter((view) => view.unresolved !== undefined && !moving.has(view.uid))
    .map((view) => ({ act: 'fence', ...itemOf(view, `an earlier ${view.unresolved!.act} was not answered`) }));
}
