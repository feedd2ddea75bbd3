/**
 * What is asked of the model's workload: the spec, which users edit, and what the rollout allows. The judge hears of each
 * change.
 */
import type { GameDeployment } from '../../crds/game-deployment.ts';
import { resolveBudgets } from '../plan/numbers.ts';
import type { Allowance, PlanInput } from '../plan/types.ts';
import type { ModelApi } from './api.ts';
import type { Judge } from './judge.ts';
import type { Random } from './random.ts';
import { LAST_REVISION, NODES, REVISIONS, STABLE_REVISION } from './world.ts';

export interface Surroundings {
  api: ModelApi;
  judge: Judge;
  random: Random;
}

export class Demand {
  readonly #world: Surroundings;
  #workload: GameDeployment;
  #allowance: Allowance | null = null;

  constructor(world: Surroundings) {
    this.#world = world;
    const type = world.random.chance(0.6) ? 'InplaceUpdate' : 'RollingUpdate';
    const spec = { replicas: 1 + world.random.below(5), updateStrategy: { type, ...this.#budgets() } };
    this.#workload = { metadata: { name: 'lobby', uid: 'lobby' }, spec } as unknown as GameDeployment;
    this.#announce();
  }

  get spec(): GameDeployment['spec'] {
    return this.#workload.spec;
  }

  #budgets() {
    const { random } = this.#world;
    const maxSurge = random.below(3);
    return { maxSurge, maxUnavailable: maxSurge > 0 && random.chance(0.5) ? 0 : 1 + random.below(2) };
  }

  #announce(): void {
    const { api, judge } = this.#world;
    const { replicas = 1, updateStrategy = {} } = this.#workload.spec;
    const budgets = resolveBudgets(updateStrategy, replicas);
    const { partition, revision: target } = this.#allowance ?? { partition: 0, revision: STABLE_REVISION };
    judge.specChanged({ sinceMs: api.nowMs, replicas, ...budgets, partition: Number(partition), target });
  }

  /** A user writes the spec. */
  edit(): void {
    const updateStrategy = { ...this.#workload.spec.updateStrategy, ...this.#budgets() };
    const replicas = this.#world.random.below(6);
    this.#workload = { ...this.#workload, spec: { ...this.#workload.spec, replicas, updateStrategy } };
    this.#announce();
  }

  /** The rollout says something new. */
  speak(): void {
    const { random } = this.#world;
    const revision = random.pick(['r1', 'r2', 'r2', 'r3'])!;
    const partition = random.chance(0.5) ? 0 : random.below(6);
    this.#allow({ revision, partition: revision === STABLE_REVISION ? 0 : partition, paused: random.chance(0.1) });
  }

  /** The rollout lets every pod go on. */
  speakLast(): void {
    this.#allow({ revision: LAST_REVISION, partition: 0, paused: false });
  }

  #allow(allowance: Allowance): void {
    this.#allowance = allowance;
    this.#announce();
  }

  /** What the planner is asked, with the facts of one look. */
  planInput(facts: Pick<PlanInput, 'pods' | 'unresolved' | 'issued'>): PlanInput {
    return {
      ...facts,
      workload: this.#workload,
      revisions: REVISIONS,
      updateRevision: this.#allowance?.revision ?? STABLE_REVISION,
      stableRevision: STABLE_REVISION,
      allowance: this.#allowance,
      nodes: NODES,
      hookRuns: [],
      hookTemplates: {},
      backOff: { count: 0, untilMs: 0 },
      gates: {},
      nowMs: this.#world.api.nowMs,
      seed: String(this.#world.random.next()),
    };
  }
}
