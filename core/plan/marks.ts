/** Marks that nobody needs any more, and writes of ours that may still land (protocol §2, rule 4; decision 36). */
import type { GameWorkload } from '../../crds/game-workload.ts';
import { itemOf } from './gates.ts';
import type { Choice } from './kind.ts';
import { isHalfWay, type PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Move, PlanInput } from './types.ts';
import type { UpdatePlan } from './updates.ts';

/** A workload that lost its state, and whose rollout is about to speak, does not know yet which pods are chosen. */
const isUnspoken = ({ allowance, updateRevision, stableRevision }: PlanInput<GameWorkload>): boolean =>
  allowance === null && updateRevision !== stableRevision;

/** What the plan does with pods otherwise. */
interface Chosen {
  victims: Choice;
  update: UpdatePlan;
  /** Other moves write to them. */
  moving: Set<string>;
  /** How many of the victims wait for the budget alone. */
  short: number;
}

/** Their next container waits for the budget alone. */
function countHalfWay({ underWay, revisions }: Situation, { victims, moving }: Chosen): number {
  const isWaiting = (view: PodView) => isHalfWay(view) && revisions.has(view.revision) && !moving.has(view.uid);
  return underWay.filter((view) => isWaiting(view) && !victims.now.includes(view)).length;
}

/** Nothing is begun with it in this plan. */
const isIdle = ({ victims, update }: Chosen, view: PodView): boolean =>
  update.idle.has(view.uid) || (victims.chosen.includes(view) && !victims.now.includes(view));

/**
 * Marked pods that are not moved now, and that hold what a pod too many waits for, or one that is half way: under
 * OrderedReady each waits for the other for ever, while paused for a person; but scaling goes on (decisions 8 and 37), and what was
 * begun is finished. Their hooks are asked again in their turn.
 */
function yielding(situation: Situation, plan: Chosen): PodView[] {
  const { budget } = situation;
  const marked = situation.marked.filter((view) => view.isAvailable && isIdle(plan, view));
  if (marked.length === 0 || marked.length + budget.free < 1) return [];
  const short = plan.short + countHalfWay(situation, plan);
  return short === 0 ? [] : marked.slice(0, Math.max(0, short - budget.free));
}

/** A marked pod that is neither given up nor updated gets its mark taken off; while paused an update keeps its marks. */
export function planUnmarks(situation: Situation, plan: Chosen): Move[] {
  const { victims, update, moving } = plan;
  const given = new Set(victims.chosen);
  const yields = new Set(yielding(situation, plan));
  const left = situation.marked.filter(({ uid }) => !moving.has(uid));
  return left.flatMap((view): Move[] => {
    const { mark } = view;
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
  return situation.unanswered
    .filter(({ uid }) => !moving.has(uid))
    .map((view) => ({ act: 'fence', ...itemOf(view, `an earlier ${view.unresolved.act} was not answered`) }));
}
