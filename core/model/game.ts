/** The kinds that a walk can play. */
import type { ModelApi } from './api.ts';
import type { Demand, Surroundings } from './demand.ts';
import { DeploymentDemand } from './deployment-demand.ts';
import { Judge } from './judge.ts';
import { SetDemand } from './set-demand.ts';
import { SetJudge } from './set-judge.ts';

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
