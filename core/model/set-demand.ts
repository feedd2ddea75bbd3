/** What users ask of the model's GameStatefulSet, and what harm its nodes and claims come to. */
import type { GameStatefulSet, GameStatefulSetSpec } from '../../crds/game-stateful-set.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { claimNames } from '../claims.ts';
import { NODE_LOST_ANNOTATION } from '../keys.ts';
import { newPod } from '../new-pod.ts';
import { firstOrdinals, ordinalPodName } from '../ordinals.ts';
import { planGameStatefulSet } from '../plan/game-stateful-set.ts';
import { isOrdered, resolveSetBudgets } from '../plan/set/numbers.ts';
import type { ClaimFacts, NodeFacts, Plan, Revision } from '../plan/types.ts';
import { isReady } from '../pods.ts';
import { conditionAt, withCondition } from './api.ts';
import { Demand, type Facts, type Surroundings } from './demand.ts';
import { Verdicts } from './verdicts.ts';

/** The node that gets lost and comes back. */
const FRAIL_NODE = 'n2';
/** For so long some worker may still see it as lost. */
const NODE_LAG_MS = 5_000;

export class SetDemand extends Demand<GameStatefulSet> {
  protected workload: GameStatefulSet;
  /** Pods of lost nodes may be given up. */
  readonly #isForceAllowed: boolean;
  /** Claims as an earlier look saw them. */
  #claims: Record<string, ClaimFacts> = {};
  #isNodeGone = false;

  constructor(world: Surroundings, verdicts = new Verdicts(world.random)) {
    super(world);
    const { random } = world;
    this.#isForceAllowed = random.chance(0.7);
    const hooks = this.hook(verdicts);
    const claims = ['data', 'log'].slice(0, random.chance(0.4) ? 1 + random.below(2) : 0);
    const spec = {
      replicas: 1 + random.below(5),
      updateStrategy: { type: this.type(), rollingUpdate: this.budgets(), inPlaceUpdateStrategy: this.inPlace() },
      disableReadinessGate: random.chance(0.2),
      selector: {},
      serviceName: 'lobby',
      volumeClaimTemplates: claims.map((name) => ({ metadata: { name }, spec: {} })),
      reserveOrders: this.#someOrdinals(0.3),
      ...this.#creation(),
      ...hooks,
    };
    const metadata = { name: 'lobby', uid: 'lobby' };
    this.workload = { kind: 'GameStatefulSet', metadata, spec } as unknown as GameStatefulSet;
    this.announce();
  }

  #creation(): Pick<GameStatefulSetSpec, 'podManagementPolicy' | 'scaleStrategy'> {
    const { random } = this.world;
    if (random.chance(0.5)) return { podManagementPolicy: 'OrderedReady' };
    const scaleStrategy = random.chance(0.3) ? { createBatch: 1 + random.below(3) } : {};
    return { podManagementPolicy: 'Parallel', scaleStrategy };
  }

  #someOrdinals(probability: number): number[] {
    const { random } = this.world;
    return random.chance(probability) ? [0, 1, 2, 3, 4, 5].filter(() => random.chance(0.3)) : [];
  }

  protected promised() {
    const { replicas = 1, reserveOrders: reserved = [] } = this.spec;
    const places = { isOrdered: isOrdered(this.spec), reserved, isIncomplete: this.#isIncomplete() };
    return { replicas, ...resolveSetBudgets(this.spec), listed: [], places };
  }

  /** Made in order, and some of its pods never were. */
  #isIncomplete = (): boolean => isOrdered(this.spec) && !this.isCreated();

  edit(): void {
    const { random } = this.world;
    const type = random.chance(0.2) ? { type: this.type() } : {};
    const updateStrategy = { ...this.spec.updateStrategy, ...type, rollingUpdate: this.budgets() };
    const replicas = random.below(6);
    const reserveOrders = random.chance(0.3) ? this.#someOrdinals(0.5) : this.spec.reserveOrders;
    this.workload = { ...this.workload, spec: { ...this.spec, replicas, updateStrategy, reserveOrders } };
    this.announce();
  }

  newPod(name: string, revision: Revision): Pod {
    const pod = newPod(this.workload, revision, name);
    const annotations: Record<string, string> = this.#isForceAllowed ? { [NODE_LOST_ANNOTATION]: 'true' } : {};
    return { ...pod, metadata: { ...pod.metadata, annotations }, status: { phase: 'Pending' } };
  }

  plan(facts: Facts): Plan {
    return planGameStatefulSet({ ...this.planInput(facts), claims: this.#seenClaims(), nodes: this.#nodes() });
  }

  /** A store that lags shows the node as lost that is back. */
  #nodes(): Record<string, NodeFacts> {
    const { api, random } = this.world;
    const nodes: Record<string, NodeFacts> = { n1: { ready: true } };
    const mayLookLost = api.isLostSince(FRAIL_NODE, api.nowMs - NODE_LAG_MS);
    const isLost = api.lostNodes.has(FRAIL_NODE) || (mayLookLost && random.chance(0.5));
    if (!isLost || !this.#isNodeGone) nodes[FRAIL_NODE] = { ready: !isLost };
    return nodes;
  }

  /** A store that lags shows claims that have gone since; those that we made it shows always. */
  #seenClaims(): Record<string, ClaimFacts> {
    const now = Object.fromEntries(this.world.api.claims);
    const seen = this.world.random.chance(0.3) ? { ...now, ...this.#claims } : now;
    this.#claims = now;
    return seen;
  }

  override harm(): void {
    const { random } = this.world;
    const kind = random.below(5);
    if (kind === 3) this.#hitNode();
    else if (kind === 4) this.#deleteClaim();
    else super.harm();
  }

  /** Its pods count as not ready and stay. Its object goes as well, at times, and comes back with it. */
  #hitNode(): void {
    const { api, judge, random } = this.world;
    if (api.findNode(FRAIL_NODE)) return;
    api.lostNodes.add(FRAIL_NODE);
    this.#isNodeGone = random.chance(0.5);
    for (const [name, pod] of api.pods) {
      if (pod.spec.nodeName !== FRAIL_NODE || !isReady(pod)) continue;
      api.put(name, withCondition(pod, conditionAt('Ready', 'False', api.nowMs)));
      judge.harmed(`${name}/${api.version}`);
    }
  }

  #deleteClaim(): void {
    const { api, judge, random } = this.world;
    const name = random.pick([...api.claims.keys()]);
    if (name !== undefined) api.claims.set(name, { isTerminating: true });
    if (name !== undefined) judge.claimsHarmed();
  }

  override calm(): void {
    super.calm();
    this.world.api.findNode(FRAIL_NODE);
  }

  protected isComplete(active: Pod[]): boolean {
    const { replicas = 1, reserveOrders } = this.spec;
    const wanted = firstOrdinals(replicas, new Set(reserveOrders)).map((ordinal) => ordinalPodName('lobby', ordinal));
    const names = active.map(({ metadata }) => metadata.name).sort();
    return names.join() === [...wanted].sort().join() && this.#hasClaims(wanted);
  }

  #hasClaims(pods: string[]): boolean {
    const { claims } = this.world.api;
    return pods.flatMap((pod) => claimNames(this.workload, pod)).every((name) => claims.has(name));
  }
}
