/**
 * The planner of every kind whose pods we move: one pure function from what was observed to the moves that are allowed now.
 * All counting rules live in this folder and nowhere else; what differs between kinds stands in their `Kind`.
 */
import type { GameWorkload } from '../../crds/game-workload.ts';
import { availableAtMs, BROKEN_AFTER_MS, conditionOf } from '../pods.ts';
import { planAdoptions, planReleases } from './adoption.ts';
import { isAwaited, planAfterUpdates } from './after-update.ts';
import { refusals, summarise, unavailableBlocker, waitsForDeletion } from './blockers.ts';
import { countPods } from './counts.ts';
import { type Extras, type Kind, NOTHING_MORE, type Planned } from './kind.ts';
import { planFences, planFrozenUnmarks, planUnmarks } from './marks.ts';
import type { PodView } from './pod-view.ts';
import { graceEndMs, planNextContainers, planProgress, strandedGraces } from './progress.ts';
import { planScaleIn, planTerminal } from './scale-in.ts';
import type { Situation } from './situation.ts';
import type { Move, Plan, PlanInput } from './types.ts';
import { planUpdates, type UpdatePlan } from './updates.ts';

const isAdoption = ({ act }: Move): boolean => act === 'adopt';

function uidsOf(moves: Move[]): Set<string> {
  const uids = new Set<string>();
  for (const move of moves) if ('uid' in move) uids.add(move.uid);
  return uids;
}

interface Decision extends Planned {
  update: UpdatePlan;
  extras: Extras;
  retired: string[];
  /** Failed and Succeeded pods that are deleted. */
  replacesFailed: number;
}

function decide<W extends GameWorkload, S extends Situation>(kind: Kind<W, S>, situation: S): Decision {
  const victims = kind.victims(situation);
  const scaleIn = planScaleIn(situation, victims.now, (view) => kind.whyVictim(situation, view));
  // Those that are to go later are finished until then: out of service they would take the budget from those that go first.
  const finishing = planNextContainers(situation, victims.now);
  const update = planUpdates(situation, (diffOf) => kind.candidates(situation, victims.chosen, diffOf));
  const creates = kind.creates(situation);
  const extras = kind.extras(situation);
  const failed = planTerminal(situation, kind.terminal(situation));
  const before = [...failed, ...scaleIn.moves, ...finishing, ...update.moves];
  const isMoved = uidsOf(before);
  const moves = [...before, ...extras.moves.filter((move) => !('uid' in move) || !isMoved.has(move.uid))];
  const moving = uidsOf(moves);
  for (const { uid } of victims.now) moving.add(uid);
  const progress = planProgress(situation, update.chosen, moving);
  const marks = { victims, update, moving: uidsOf([...moves, ...progress]), short: scaleIn.short };
  const unmarks = planUnmarks(situation, marks);
  const pending = [...moves, ...progress, ...unmarks];
  const after = planAfterUpdates(situation, uidsOf(pending));
  const chosen = [...pending, ...after.moves, ...planReleases(situation.input)];
  const blockers = [scaleIn, update, creates, extras, after].flatMap((part) => part.blockers);
  return {
    moves: [...chosen, ...planFences(situation, uidsOf(chosen)), ...creates.moves],
    blockers: [...blockers, ...refusals(situation), ...strandedGraces(situation, moving)],
    update,
    extras,
    retired: kind.retired(situation),
    replacesFailed: failed.length,
  };
}

/** Moments at which one pod's part in the plan changes without anybody's doing. */
function deadlinesOf(situation: Situation, view: PodView): number[] {
  const { minReadySeconds } = situation.numbers;
  if (view.stage.stage === 'grace') return [graceEndMs(situation, view)];
  if (view.isReady && !view.isAvailable) return [availableAtMs(view.pod, minReadySeconds) ?? 0];
  if (view.isReady || view.isBroken || view.revision === situation.target) return [];
  const unready = Date.parse(conditionOf(view.pod, 'Ready')?.lastTransitionTime ?? '');
  return Number.isNaN(unready) ? [] : [unready + BROKEN_AFTER_MS];
}

function lookAgainAt(situation: Situation, others: number[]): number | undefined {
  const { failures, nowMs } = situation.input;
  const restless = new Set([...situation.unavailable, ...situation.underWay]);
  const deadlines = [...restless].flatMap((view) => deadlinesOf(situation, view));
  const upcoming = [...deadlines, ...others, failures?.untilMs ?? 0].filter((at) => at > nowMs);
  return upcoming.length === 0 ? undefined : Math.min(...upcoming);
}

const NOTHING: Decision = {
  moves: [],
  blockers: [],
  update: { moves: [], blockers: [], chosen: new Set(), idle: new Set() },
  extras: NOTHING_MORE,
  retired: [],
  replacesFailed: 0,
};

const FROZEN: Decision = {
  ...NOTHING,
  blockers: [{ reason: 'Suspended', message: 'The annotation holdfast.dev/suspend freezes every move.' }],
};

/** Pods that wait to be adopted come first: what is missing or too many is not known before. */
function decideInOrder<W extends GameWorkload, S extends Situation>(kind: Kind<W, S>, situation: S): Decision {
  if (situation.isFrozen) return { ...FROZEN, moves: planFrozenUnmarks(situation) };
  const adoptions = planAdoptions(situation.input);
  if (adoptions.length === 0) return decide(kind, situation);
  // All of them make a wave: there is nothing to wait for.
  const update = { ...NOTHING.update, chosen: uidsOf(adoptions) };
  return { ...NOTHING, moves: adoptions, blockers: refusals(situation), update };
}

export function planWorkload<W extends GameWorkload, S extends Situation>(kind: Kind<W, S>, input: PlanInput<W>): Plan {
  const situation = kind.assess(input);
  const decision = decideInOrder(kind, situation);
  const { replicas, partition, maxUnavailable, maxSurge } = situation.numbers;
  const unavailable = unavailableBlocker(situation);
  const byHand = situation.isByHand ? waitsForDeletion(situation, kind.beyondPartition(situation)) : [];
  const isMarked = situation.marked.length > 0 || situation.owing.some((view) => isAwaited(view, situation));
  return {
    moves: decision.moves,
    retired: decision.retired,
    counts: countPods(situation),
    resolved: { replicas, partition, maxUnavailable, maxSurge },
    reached: !decision.moves.some(isAdoption) && kind.isReached(situation, decision.moves),
    blockers: summarise([...decision.blockers, ...unavailable, ...byHand]),
    inTransition: unavailable.length > 0 || isMarked || decision.extras.isWaiting,
    freeBudget: Math.max(0, situation.budget.free),
    remaining: decision.update.chosen.size,
    replacesFailed: decision.replacesFailed,
    lookAgainAtMs: lookAgainAt(situation, [...decision.extras.deadlinesMs, ...kind.refusedUntilMs(situation)]),
  };
}
