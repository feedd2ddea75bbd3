/**
 * What is asked of the model's workload: the spec, which users edit, and what the rollout allows. The judge hears of each
 * change.
 */
import type { GameDeployment, GameDeploymentUpdateStrategy } from '../../crds/game-deployment.ts';
import { isCreatedInFull } from '../plan/create-batch.ts';
import { resolveBudgets } from '../plan/numbers.ts';
import type { Allowance, Plan, PlanInput } from '../plan/types.ts';
import { isActive, isReady, revisionOf } from '../pods.ts';
import type { ModelApi } from './api.ts';
import type { Judge } from './judge.ts';
import type { Random } from './random.ts';
import { LAST_REVISION, NODES, REVISIONS, STABLE_REVISION } from './world.ts';

export interface Surroundings {
  api: ModelApi;
  judge: Judge;
  random: Random;
}

type UpdateType = NonNullable<GameDeploymentUpdateStrategy['type']>;
/** As often as they stand here. */
const TYPES: UpdateType[] = [
  ...Array<UpdateType>(5).fill('InplaceUpdate'),
  ...Array<UpdateType>(3).fill('RollingUpdate'),
  'HotPatchUpdate',
  'OnDelete',
];

export class Demand {
  readonly #world: Surroundings;
  #workload: GameDeployment;
  #allowance: Allowance | null = null;

  constructor(world: Surroundings) {
    this.#world = world;
    const policy = world.random.pick(['DisOrdered', 'OrderedReady', 'OrderedUpdated'] as const);
    const updateStrategy = { type: this.#type(), ...this.#budgets(), inPlaceUpdateStrategy: { policy } };
    const disableReadinessGate = world.random.chance(0.2);
    const createBatch = world.random.chance(0.3) ? { createBatch: 1 + world.random.below(3) } : {};
    const spec = {
      replicas: 1 + world.random.below(5),
      updateStrategy,
      disableReadinessGate,
      scaleStrategy: createBatch,
    };
    this.#workload = { metadata: { name: 'lobby', uid: 'lobby' }, spec } as unknown as GameDeployment;
    this.#announce();
  }

  get spec(): GameDeployment['spec'] {
    return this.#workload.spec;
  }

  /** What the user names stays named, whether it is there or not. */
  get listed(): string[] {
    return this.spec.scaleStrategy?.podsToDelete ?? [];
  }

  #somePods(): string[] {
    return [...this.#world.api.pods.keys()].filter(() => this.#world.random.chance(0.4));
  }

  #type(): UpdateType {
    return this.#world.random.pick(TYPES)!;
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
    const rollout = { partition: Number(partition), target, isByHand: updateStrategy.type === 'OnDelete' };
    judge.specChanged({ sinceMs: api.nowMs, replicas, ...budgets, ...rollout, listed: this.listed, ...this.#batch() });
  }

  #batch(): { createBatch?: number } {
    const { spec, status } = this.#workload;
    const createBatch = spec.scaleStrategy?.createBatch;
    return createBatch === undefined || status?.createdInFull === true ? {} : { createBatch: Number(createBatch) };
  }

  /** The status is written. */
  report({ counts }: Plan): void {
    if (this.#batch().createBatch === undefined || !isCreatedInFull(this.#workload, counts)) return;
    this.#workload = { ...this.#workload, status: { createdInFull: true } };
    this.#announce();
  }

  /** A user writes the spec. */
  edit(): void {
    const { random } = this.#world;
    const type = random.chance(0.2) ? { type: this.#type() } : {};
    const updateStrategy = { ...this.spec.updateStrategy, ...type, ...this.#budgets() };
    const replicas = random.below(6);
    const podsToDelete = random.chance(0.3) ? this.#somePods() : this.listed;
    const spec = {
      ...this.spec,
      replicas,
      updateStrategy,
      scaleStrategy: { ...this.spec.scaleStrategy, podsToDelete },
    };
    this.#workload = { ...this.#workload, spec };
    this.#announce();
  }

  /** The rollout says something new. */
  speak(): void {
    const { random } = this.#world;
    const revision = random.pick(['r1', 'r2', 'r2', 'r3', 'r4'])!;
    const partition = random.chance(0.5) ? 0 : random.below(6);
    this.#allow({ revision, partition: revision === STABLE_REVISION ? 0 : partition, paused: random.chance(0.1) });
  }

  /** The rollout lets every pod go on. */
  speakLast(): void {
    this.#allow({ revision: LAST_REVISION, partition: 0, paused: false });
  }

  /** Under OnDelete somebody deletes old pods one by one: those that are not ready, then others while none is missing. */
  deleteByHand(): void {
    const { api, judge } = this.#world;
    const { updateStrategy, replicas = 1 } = this.spec;
    const active = [...api.pods.values()].filter(isActive);
    const old = active.filter((pod) => revisionOf(pod) !== LAST_REVISION);
    const next = old.find((pod) => !isReady(pod)) ?? (active.length < replicas ? undefined : old[0]);
    const isSettled = active.every((pod) => isReady(pod) || revisionOf(pod) !== LAST_REVISION);
    if (updateStrategy?.type !== 'OnDelete' || next === undefined || !isSettled) return;
    const { name, uid = '', resourceVersion = '' } = next.metadata;
    api.delete(name, { uid, resourceVersion });
    judge.harmed(uid);
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
