/** The planner of GameDeployments: pods without identity, chosen by counts (game-workloads §2.3). */
import type { GameDeployment } from '../../crds/game-deployment.ts';
import { candidatesOf } from './candidates.ts';
import { isReached } from './counts.ts';
import { planCreates, retiredNames, waitForIndexes } from './creates.ts';
import { assessDeployment, beyondPartition, type DeploymentSituation } from './deployment-situation.ts';
import { planWorkload } from './engine.ts';
import type { Choice, Kind } from './kind.ts';
import type { PodView } from './pod-view.ts';
import type { Plan, PlanInput } from './types.ts';
import { chooseVictims, whyVictim } from './victims.ts';

/** No pod waits for another one: the budget alone paces them. */
const all = (views: PodView[]): Choice => ({ chosen: views, now: views });

const RULES: Kind<GameDeployment, DeploymentSituation> = {
  assess: assessDeployment,
  victims: (situation) => all(chooseVictims(situation)),
  whyVictim,
  terminal: ({ terminal }) => terminal,
  candidates: (...asked) => all(candidatesOf(...asked)),
  beyondPartition: (situation) => situation.old.slice(0, beyondPartition(situation)),
  creates: planCreates,
  refusedUntilMs: ({ input }) => [input.backOff.untilMs],
  retired: retiredNames,
  isReached: (situation, moves) => {
    const { active, numbers, surge, misnumbered } = situation;
    const hasSurplus = active.length > numbers.replicas + surge || misnumbered.size > 0;
    return isReached(situation, moves, { counted: active, hasSurplus });
  },
  extras: waitForIndexes,
};

export const planGameDeployment = (input: PlanInput): Plan => planWorkload(RULES, input);
