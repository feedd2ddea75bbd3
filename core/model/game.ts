/** The kinds that a walk can play. */
import type { ModelApi } from './api.ts';
import type { Demand, Surroundings } from './demand.ts';
import { DeploymentDemand } from './deployment-demand.ts';
import { Judge } from './judge.ts';
import { SetDemand } from './set-demand.ts';
import { SetJudge } from './set-judge.ts';
import { Verdicts } from './verdicts.ts';

export interface Game {
  /** `issued` answers which names are given out at this moment. */
  judge(api: ModelApi, issued: () => readonly { pod: string }[]): Judge;
  demand(world: Surroundings): Demand;
}

export const DEPLOYMENT: Game = {
  judge: (api) => new Judge(api),
  demand: (world) => new DeploymentDemand(world),
};

export const STATEFUL_SET: Game = {
  judge: (api, issued) => new SetJudge(api, issued),
  demand: (world) => new SetDemand(world),
};

/** Pods are asked after their updates in place, mostly. */
const HOOKED = { hooked: 1, before: 0.3, after: 0.9 };

/** The same kinds, and nearly all of their workloads have a hook after updates in place. */
export const HOOKED_DEPLOYMENT: Game = {
  judge: DEPLOYMENT.judge,
  demand: (world) => new DeploymentDemand(world, new Verdicts(world.random, HOOKED)),
};

export const HOOKED_STATEFUL_SET: Game = {
  judge: STATEFUL_SET.judge,
  demand: (world) => new SetDemand(world, new Verdicts(world.random, HOOKED)),
};
