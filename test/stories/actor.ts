/**
 * The workload of a story: what its users ask for, its rollouts, hooks and nodes. The model plays it (core/model); the
 * planner, the step machine and the rules between them are the real ones.
 */
import { isGameStatefulSet } from '../../core/kinds.ts';
import { claimsOf, conditionAt, EPOCH_MS, type ModelApi, withCondition } from '../../core/model/api.ts';
import { Demand, type Facts, type Surroundings } from '../../core/model/demand.ts';
import { stepOf } from '../../core/model/kubelet.ts';
import type { Random } from '../../core/model/random.ts';
import { NODES, STABLE_REVISION } from '../../core/model/world.ts';
import { openNewGate } from '../../core/model/writes.ts';
import { newPod } from '../../core/new-pod.ts';
import { firstOrdinals, ordinalPodName } from '../../core/ordinals.ts';
import { planGameDeployment } from '../../core/plan/game-deployment.ts';
import { planGameStatefulSet } from '../../core/plan/game-stateful-set.ts';
import { resolveBudgets, resolvePartition } from '../../core/plan/numbers.ts';
import { isOrdered, resolveSetBudgets } from '../../core/plan/set/numbers.ts';
import type { Allowance, ClaimFacts, Move, NodeFacts, Plan, PlanInput, Revision } from '../../core/plan/types.ts';
import { isActive, isReady, revisionOf } from '../../core/pods.ts';
import { computeStatus } from '../../core/status/status.ts';
import { API_VERSION } from '../../crds/api.ts';
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { GameStatefulSet } from '../../crds/game-stateful-set.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { deepFreeze } from '../support/deep-freeze.ts';
import { HookDesk } from './hook-desk.ts';
import { InTurn } from './in-turn.ts';
import { RolloutDesk } from './rollout-desk.ts';
import type { Story } from './story.ts';

function workloadOf({ kind, spec, annotations = {}, pods }: Story): GameWorkload {
  const metadata = { name: 'lobby', uid: 'lobby', namespace: 'default', annotations };
  const given = { selector: { matchLabels: { app: 'lobby' } }, serviceName: 'lobby', ...spec };
  const status = pods === 0 ? {} : { status: { createdInFull: true } };
  return { kind, metadata, spec: given, ...status } as unknown as GameWorkload;
}

export class Actor extends Demand<GameWorkload> {
  readonly desk = new RolloutDesk(STABLE_REVISION);
  readonly hooks: HookDesk;
  protected workload: GameWorkload;
  readonly #gone = new Set<string>();
  readonly #story: Story;
  readonly #strikes = new Set<number>();
  #template = STABLE_REVISION;
  #seen: { facts: PlanInput<GameWorkload>; plan: Plan } | undefined;
  /** Harm that the model may do by chance. */
  #harmLeft: number;

  constructor(world: Surroundings, story: Story) {
    super(world);
    this.#story = story;
    this.hooks = new HookDesk(story);
    this.workload = workloadOf(story);
    this.#harmLeft = story.isUndisturbed ? 0 : 1;
    this.announce();
    this.#placePods(story.pods ?? this.spec.replicas ?? 1);
  }

  get api(): ModelApi {
    return this.world.api;
  }

  get nowMs(): number {
    return this.api.nowMs;
  }

  get kind(): GameWorkload['kind'] {
    return this.workload.kind;
  }

  #placePods(count: number): void {
    const reserved = isGameStatefulSet(this.workload) ? this.workload.spec.reserveOrders : [];
    const names = isGameStatefulSet(this.workload)
      ? firstOrdinals(count, new Set(reserved)).map((ordinal) => ordinalPodName('lobby', ordinal))
      : Array.from({ length: count }, (_, index) => `lobby-old${index + 1}`);
    const kubelets = new InTurn(1);
    for (const [index, name] of names.entries()) this.placePod(name, index, kubelets);
  }

  /** A ready pod of the stable revision, made by nobody of us. */
  placePod(name: string, index = 0, kubelets: Random = new InTurn(1)): void {
    const pod = this.newPod(name, this.revision(STABLE_REVISION));
    this.api.makeClaims(claimsOf(pod));
    this.api.create({ ...pod, spec: { ...pod.spec, nodeName: Object.keys(NODES)[index % 2] } });
    openNewGate(this.api, name);
    for (let step = 0; step < 12; step += 1) stepOf(this.api, this.api.pods.get(name)!, kubelets);
  }

  /** A create whose name was given up lands after all: one pod too many at first, which nobody promised not to be (protocol §2, rule 9). */
  placeLatePod(name: string): void {
    this.world.judge.retired([name]);
    this.placePod(name);
  }

  revision(name: string): Revision {
    return this.planInput({ pods: [], unresolved: [], issued: [] }).revisions.find((item) => item.name === name)!;
  }

  newPod(name: string, revision: Revision): Pod {
    return { ...newPod(this.workload, revision, name), status: { phase: 'Pending' } };
  }

  /** Nodes as the planner hears of them. */
  #nodes(): Record<string, NodeFacts> {
    const known = Object.keys(NODES).filter((name) => !this.#gone.has(name));
    return Object.fromEntries(known.map((name) => [name, { ready: !this.api.lostNodes.has(name) }]));
  }

  plan(facts: Facts): Plan {
    const { stableRevision, backOff, failures, gates } = this.desk.state;
    const own = { stableRevision, updateRevision: this.#template, backOff, failures, gates };
    const hooks = { hookRuns: this.hooks.runs, hookTemplates: this.hooks.templates };
    const claims: Record<string, ClaimFacts> = Object.fromEntries(this.api.claims);
    const input = { ...this.planInput(facts), ...own, ...hooks, claims, nodes: this.#nodes() };
    // What is planned on is what a store holds: a planner that changes it throws (game-workloads §5, 31).
    deepFreeze(facts.pods);
    const plan = isGameStatefulSet(this.workload)
      ? planGameStatefulSet(input as PlanInput<GameStatefulSet>)
      : planGameDeployment(input as PlanInput<GameDeployment>);
    this.#seen = { facts: input, plan };
    return plan;
  }

  /** The object as it is read after the last look, its status written. */
  reported(): GameWorkload {
    if (this.#seen === undefined) throw new Error('nobody has looked yet');
    const view = this.desk.state.rollout?.view ?? null;
    const moving = this.#seen.plan.moves.length > 0 || this.#seen.plan.inTransition;
    const status = computeStatus({ ...this.#seen, view, moving, consumedResume: [] });
    return { ...this.workload, apiVersion: API_VERSION, status } as GameWorkload;
  }

  /** What would be done if everything was known. */
  truth(): Plan {
    return this.plan({ pods: [...this.api.pods.values()], unresolved: [], issued: [] });
  }

  protected promised() {
    const { replicas = 1 } = this.spec;
    if (!isGameStatefulSet(this.workload)) {
      const { updateStrategy = {}, scaleStrategy: { podsToDelete = [] } = {} } = (this.workload as GameDeployment).spec;
      return { replicas, ...resolveBudgets(updateStrategy, replicas), listed: podsToDelete };
    }
    const { spec } = this.workload;
    const order = { isOrdered: isOrdered(spec), isIncomplete: isOrdered(spec) && !this.isCreated() };
    const places = { ...order, reserved: spec.reserveOrders ?? [] };
    return { replicas, ...resolveSetBudgets(spec), listed: [], places };
  }

  /** Also while a template is new and its rollout has not spoken yet. */
  protected override isPaused(): boolean {
    const target = this.allowance?.revision;
    const isOutdated = target !== undefined && target !== this.#template && target !== this.desk.state.stableRevision;
    return isOutdated || super.isPaused();
  }

  protected override keptOld(partition: Allowance['partition']): number {
    return resolvePartition(partition === 'spec' ? this.#specPartition() : partition, this.spec.replicas ?? 1);
  }

  #specPartition() {
    const { workload } = this;
    if (isGameStatefulSet(workload)) return workload.spec.updateStrategy?.rollingUpdate?.partition;
    return (workload as GameDeployment).spec.updateStrategy?.partition;
  }

  override report(plan: Plan): void {
    super.report(plan);
    const active = [...this.api.pods.values()].some(isActive);
    const { spec, nowMs } = this;
    const isFirstCreation = spec.replicas === 0 || !active;
    this.desk.hear(plan, { spec, updateRevision: this.#template, isFirstCreation, nowMs });
    this.#followRollout();
  }

  override hookAsked(pod: Pod, { mark }: Extract<Move, { act: 'mark' }>): void {
    this.hooks.ask(pod, mark, { workload: this.workload, nowMs: this.nowMs });
  }

  /** The rollout is heard, hooks answer. */
  override speak(): void {
    this.hooks.pass(this.nowMs, this.desk.rollout);
    this.desk.deliver(this.nowMs);
    this.#followRollout();
  }

  #followRollout(): void {
    const allowance = this.desk.state.rollout?.allowance ?? null;
    if (JSON.stringify(allowance) === JSON.stringify(this.allowance)) return;
    this.allowance = allowance;
    this.announce();
  }

  /** Only the script edits the spec. */
  override edit(): void {}

  override harm(): void {
    if (this.#harmLeft === 0) return;
    this.#harmLeft -= 1;
    super.harm();
    this.#strikes.add(this.api.version);
  }

  protected isComplete(): boolean {
    return true;
  }

  rewrite(change: (spec: GameWorkload['spec']) => object): void {
    this.workload = { ...this.workload, spec: { ...this.spec, ...change(this.spec) } } as GameWorkload;
    this.announce();
  }

  annotate(annotations: Record<string, string>): void {
    const { metadata } = this.workload;
    this.workload = { ...this.workload, metadata: { ...metadata, annotations } } as GameWorkload;
  }

  setTemplate(revision: string): void {
    this.#template = revision;
    this.announce();
  }

  get template(): string {
    return this.#template;
  }

  /** Somebody else changes a pod; undefined takes it away. */
  strike(name: string, change: (pod: Pod) => Pod | undefined): void {
    const pod = this.api.pods.get(name);
    if (pod === undefined) return;
    this.world.judge.harmed(pod.metadata.uid ?? name);
    this.api.put(name, change(pod));
    this.#strikes.add(this.api.version);
  }

  /** This change of a pod was somebody else's. */
  isStrike(version: number): boolean {
    return this.#strikes.has(version);
  }

  /** `isGone`: the Node object is deleted as well. */
  loseNode(node: string, isGone: boolean): void {
    this.api.lostNodes.add(node);
    if (isGone) this.#gone.add(node);
    for (const { metadata, spec } of [...this.api.pods.values()]) {
      if (spec.nodeName !== node) continue;
      this.strike(metadata.name, (pod) => withCondition(pod, conditionAt('Ready', 'False', this.nowMs)));
    }
  }

  findNode(node: string): void {
    this.api.findNode(node);
    this.#gone.delete(node);
  }

  /** Every replica is there, serves and runs what the template asks for, and no rollout is open. */
  get isDone(): boolean {
    const active = this.active();
    const { rollout } = this.desk.state;
    const serves = active.every((pod) => isReady(pod) && revisionOf(pod) === this.#template);
    return serves && active.length === (this.spec.replicas ?? 1) && rollout?.isOpen !== true;
  }

  /** Active pods from the oldest on. */
  active(): Pod[] {
    return [...this.api.pods.values()].filter(isActive);
  }

  /** Nothing is to be done, nothing is on its way, and the rollout waits for nothing but people. */
  isCalm(): boolean {
    const { isHeard, state } = this.desk;
    if (!isHeard || state.updateRevision !== this.#template) return false;
    const { moves, inTransition, lookAgainAtMs, blockers } = this.truth();
    const isStill = moves.length === 0 && !inTransition && lookAgainAtMs === undefined;
    return isStill && !this.#mayGoOn(blockers.length > 0);
  }

  /** The rollout is open and is about to do something by itself. */
  #mayGoOn(isBlocked: boolean): boolean {
    const { state } = this.desk.rollout ?? {};
    if (state === undefined || state.closed !== undefined) return false;
    const { reached, blocked, pause, userPausedSinceMs } = state;
    return [reached, pause, userPausedSinceMs, isBlocked ? blocked : undefined].every((reason) => reason === undefined);
  }

  get seconds(): number {
    return (this.nowMs - EPOCH_MS) / 1000;
  }

  get story(): Story {
    return this.#story;
  }
}
