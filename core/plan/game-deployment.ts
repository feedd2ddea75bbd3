/**
 * The planner of GameDeployments: one pure function from what was observed to the moves that are allowed now. All counting
 * rules live in this folder and nowhere else.
 */
import { availableAtMs, BROKEN_AFTER_MS, conditionOf } from '../pods.ts';
import { refusals, summarise, unavailableBlocker, waitsForDeletion } from './blockers.ts';
import { countPods, isReached } from './counts.ts';
import { planCreates, retiredNames } from './creates.ts';
import { planFences, planUnmarks } from './marks.ts';
import type { PodView } from './pod-view.ts';
import { graceEndMs, planNextContainers, planProgress } from './progress.ts';
import { chooseVictims, planScaleIn, planTerminal } from './scale-in.ts';
import { assess, type Situation } from './situation.ts';
import type { Blocker, Move, Plan, PlanInput } from './types.ts';
import { planUpdates, type UpdatePlan } from './updates.ts';

const uidsOf = (moves: Move[]): Set<string> => new Set(moves.flatMap((move) => ('uid' in move ? [move.uid] : [])));

interface Decision {
  moves: Move[];
  blockers: Blocker[];
  update: UpdatePlan;
}

function decide(situation: Situation): Decision {
  const victims = chooseVictims(situation);
  const scaleIn = planScaleIn(situation, victims);
  const finishing = planNextContainers(situation, victims);
  const update = planUpdates(situation, victims);
  const creates = planCreates(situation);
  const moves = [...planTerminal(situation), ...scaleIn.moves, ...finishing, ...update.moves];
  const moving = uidsOf(moves);
  for (const { uid } of victims) moving.add(uid);
  const progress = planProgress(situation, update.chosen, moving);
  const unmarks = planUnmarks(situation, victims, update.chosen, uidsOf([...moves, ...progress]));
  const chosen = [...moves, ...progress, ...unmarks];
  return {
    moves: [...chosen, ...planFences(situation, uidsOf(chosen)), ...creates.moves],
    blockers: [...scaleIn.blockers, ...update.blockers, ...creates.blockers, ...refusals(situation)],
    update,
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

function lookAgainAt(situation: Situation): number | undefined {
  const { backOff, failures, nowMs } = situation.input;
  const deadlines = situation.active.flatMap((view) => deadlinesOf(situation, view));
  const upcoming = [...deadlines, backOff.untilMs, failures?.untilMs ?? 0].filter((at) => at > nowMs);
  return upcoming.length === 0 ? undefined : Math.min(...upcoming);
}

const FROZEN: Decision = {
  moves: [],
  blockers: [{ reason: 'Suspended', message: 'The annotation holdfast.dev/suspend freezes every move.' }],
  update: { moves: [], blockers: [], chosen: new Set() },
};

export function planGameDeployment(input: PlanInput): Plan {
  const situation = assess(input);
  const decision = situation.isFrozen ? FROZEN : decide(situation);
  const { replicas, partition, maxUnavailable, maxSurge } = situation.numbers;
  const unavailable = unavailableBlocker(situation);
  return {
    moves: decision.moves,
    retired: situation.isFrozen ? [] : retiredNames(situation),
    counts: countPods(situation),
    resolved: { replicas, partition, maxUnavailable, maxSurge },
    reached: isReached(situation, decision.moves),
    blockers: summarise([...decision.blockers, ...unavailable, ...waitsForDeletion(situation)]),
    inTransition: unavailable.length > 0 || situation.active.some(({ mark }) => mark !== undefined),
    freeBudget: Math.max(0, situation.budget.free),
    remaining: decision.update.chosen.size,
    replacesFailed: planTerminal(situation).length,
    lookAgainAtMs: lookAgainAt(situation),
  };
}
