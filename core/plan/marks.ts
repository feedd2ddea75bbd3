/** Marks that nobody needs any more, and writes of ours that may still land (protocol §2, rule 4; decision 36). */
import type { GameWorkload } from '../../crds/game-workload.ts';
import { hasConsent, itemOf } from './gates.ts';
import type { Choice } from './kind.ts';
import { isHalfWay, type PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Move, PlanInput } from './types.ts';
import { isStandingStill, type UpdatePlan } from './updates.ts';

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

/** Their hooks let them go. Where nothing is begun with them now, players may be back when it is: then the hooks are asked again. */
const consenting = (situation: Situation, views = situation.marked) =>
  views.filter((view) => hasConsent(situation, view));

/** They may be updated and are not to be now, for hours or days perhaps. */
function consentsInVain(situation: Situation, { update, victims }: Chosen): PodView[] {
  const idle = situation.marked.filter(({ uid, mark }) => mark.kind === 'update' && update.idle.has(uid));
  const inVain = consenting(situation, idle);
  if (inVain.length === 0 || !isStandingStill(situation)) return [];
  return inVain.filter((view) => !victims.chosen.includes(view));
}

/** Why marks go though their pods are chosen. */
const giveWay = (situation: Situation, plan: Chosen): ReadonlyMap<PodView, string> =>
  new Map([
    ...consentsInVain(situation, plan).map((view) => [view, 'its answer would be old when updates go on'] as const),
    ...yielding(situation, plan).map((view) => [view, 'it waits for its turn, and others go first'] as const),
  ]);

/**
 * A marked pod that is neither given up nor updated gets its mark taken off; while updates are paused or held those whose hooks have
 * yet to let them go keep theirs.
 */
export function planUnmarks(situation: Situation, plan: Chosen): Move[] {
  const { victims, update, moving } = plan;
  const given = new Set(victims.chosen);
  const givingWay = giveWay(situation, plan);
  const left = situation.marked.filter(({ uid }) => !moving.has(uid));
  return left.flatMap((view): Move[] => {
    const { mark } = view;
    if (mark.kind === 'update' && isUnspoken(situation.input)) return [];
    const isStale = mark.kind === 'update' && mark.revision !== situation.target;
    const isChosen = given.has(view) || update.chosen.has(view.uid);
    if (isChosen && !isStale && !givingWay.has(view)) return [];
    return [unmark(view, givingWay.get(view) ?? 'it is not chosen any more')];
  });
}

/** While every move is frozen, scale-ins too. What is on its way out with its workload is nobody's to hold. */
export function planFrozenUnmarks(situation: Situation): Move[] {
  if (situation.input.workload.metadata.deletionTimestamp !== undefined) return [];
  return consenting(situation).map((view) => unmark(view, 'its answer would be old when pods are moved again'));
}

const unmark = (view: Situation['marked'][number], why: string): Move => ({
  act: 'unmark',
  ...itemOf(view, why),
  hookRun: view.mark.hookRun,
});

/** An open write on a pod that no move of this plan touches is fenced off. */
export function planFences(situation: Situation, moving: Set<string>): Move[] {
  return situation.unanswered
    .filter(({ uid }) => !moving.has(uid))
    .map((view) => ({ act: 'fence', ...itemOf(view, `an earlier ${view.unresolved.act} was not answered`) }));
}
