/** What users ask of the model's GameDeployment. */
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { INDEX_ON_ANNOTATION, INDEX_RANGE_ANNOTATION, READINESS_GATE, REVISION_LABEL } from '../keys.ts';
import { planGameDeployment } from '../plan/game-deployment.ts';
import { resolveBudgets } from '../plan/numbers.ts';
import type { Plan, Revision } from '../plan/types.ts';
import { indexOf, indexRequestOf } from '../pod-index.ts';
import { Demand, type Facts, type Surroundings } from './demand.ts';
import { Verdicts } from './verdicts.ts';

const MOST_REPLICAS = 5;

export class DeploymentDemand extends Demand<GameDeployment> {
  protected workload: GameDeployment;

  constructor(world: Surroundings, verdicts = new Verdicts(world.random)) {
    super(world);
    const hooks = this.hook(verdicts);
    const updateStrategy = { type: this.type(), ...this.budgets(), inPlaceUpdateStrategy: this.inPlace() };
    const disableReadinessGate = world.random.chance(0.2);
    const createBatch = world.random.chance(0.3) ? { createBatch: 1 + world.random.below(3) } : {};
    const spec = {
      replicas: 1 + world.random.below(MOST_REPLICAS),
      updateStrategy,
      disableReadinessGate,
      scaleStrategy: createBatch,
      ...hooks,
    };
    const metadata = { name: 'lobby', uid: 'lobby', annotations: this.#indexing() };
    this.workload = { kind: 'GameDeployment', metadata, spec } as unknown as GameDeployment;
    this.announce();
  }

  #indexing(): Record<string, string> {
    const { random } = this.world;
    if (!random.chance(0.3)) return {};
    const podStartIndex = random.below(3);
    const range = { podStartIndex, podEndIndex: podStartIndex + MOST_REPLICAS + random.below(3) };
    return { [INDEX_ON_ANNOTATION]: 'true', [INDEX_RANGE_ANNOTATION]: JSON.stringify(range) };
  }

  plan(facts: Facts): Plan {
    return planGameDeployment(this.planInput(facts));
  }

  /** What the user names stays named, whether it is there or not. */
  get #listed(): string[] {
    return this.spec.scaleStrategy?.podsToDelete ?? [];
  }

  #somePods(): string[] {
    return [...this.world.api.pods.keys()].filter(() => this.world.random.chance(0.4));
  }

  protected promised() {
    const { replicas = 1, updateStrategy = {} } = this.spec;
    return { replicas, ...resolveBudgets(updateStrategy, replicas), listed: this.#listed };
  }

  edit(): void {
    const { random } = this.world;
    const type = random.chance(0.2) ? { type: this.type() } : {};
    const updateStrategy = { ...this.spec.updateStrategy, ...type, ...this.budgets() };
    const replicas = random.below(MOST_REPLICAS + 1);
    const podsToDelete = random.chance(0.3) ? this.#somePods() : this.#listed;
    const spec = {
      ...this.spec,
      replicas,
      updateStrategy,
      scaleStrategy: { ...this.spec.scaleStrategy, podsToDelete },
    };
    this.workload = { ...this.workload, spec };
    this.announce();
  }

  newPod(name: string, { name: revision, template }: Revision): Pod {
    const readinessGates = this.spec.disableReadinessGate === true ? [] : [{ conditionType: READINESS_GATE }];
    return {
      metadata: { name, labels: { [REVISION_LABEL]: revision }, annotations: {} },
      spec: { containers: template.spec.containers, readinessGates },
      status: { phase: 'Pending' },
    };
  }

  protected isComplete(active: Pod[]): boolean {
    const isListed = active.some(({ metadata }) => this.#listed.includes(metadata.name));
    return !isListed && active.length === (this.spec.replicas ?? 1) && (!this.isMoving || this.isInOrder(active));
  }

  /** Where indexes are asked for, each pod has one of its own; the twin of one that came back late is replaced. */
  override isInOrder(active: Pod[]): boolean {
    const { annotations } = this.workload.metadata;
    const request = indexRequestOf({ metadata: { name: 'lobby', annotations } }, 0);
    if (request.kind !== 'range') return true;
    const { start, end } = request.range;
    const indexes = active.map(indexOf).filter((index = -1) => index >= start && index < end);
    return new Set(indexes).size === active.length;
  }
}
