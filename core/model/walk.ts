/**
 * One seeded walk: a workload's workflow, two workers with lagging stores, a kubelet, users and harm, zombies whose writes
 * land late. Runs the real planner and the real bookkeeping; only the servers are models (protocol §7).
 */
import type { Pod } from '../../crds/kubernetes.ts';
import { mayHarm } from '../plan/spending.ts';
import type { Move, Plan, Unresolved } from '../plan/types.ts';
import { settleIssued, settleUnresolved } from '../plan/unresolved.ts';
import { issueNames, raiseFence, takeOutcomes } from '../workload/bookkeeping.ts';
import { newWorkloadState, type WorkloadState } from '../workload/state.ts';
import { EPOCH_MS, ModelApi } from './api.ts';
import type { Demand } from './demand.ts';
import { DEPLOYMENT, type Game } from './game.ts';
import { type Attempt, identity, keyOf, openItem } from './items.ts';
import type { Judge } from './judge.ts';
import { kubeletStep } from './kubelet.ts';
import { Random } from './random.ts';
import { ModelWorker } from './worker.ts';
import { BY_NAME, STABLE_REVISION } from './world.ts';
import { openNewGate, patchAfterGate, type WriteScene, write } from './writes.ts';

const LAG_MS = 500;
/** A spending write leaves its process at most this long after the facts that it was planned on. */
const SPEND_WITHIN_MS = 4_500;
const PLAN_FRESH_MS = 5_000;

interface Late {
  move: Move;
  landsAtMs: number;
  sentMs: number;
}

export class Walk {
  readonly random: Random;
  readonly api = new ModelApi();
  readonly judge: Judge;
  readonly state: WorkloadState = newWorkloadState();
  readonly #workers = [new ModelWorker(this.api), new ModelWorker(this.api)];
  readonly #late: Late[] = [];
  readonly #demand: Demand;
  /** Longest time between two steps. In a hurried walk more happens within the lag of a store. */
  readonly #paceMs: number;
  /** How likely the rollout is to say something new in a step. */
  #speaks = 0.12;

  constructor(seed: number, game: Game = DEPLOYMENT) {
    this.random = new Random(seed);
    this.judge = game.judge(this.api, () => this.state.issued);
    this.#paceMs = this.random.chance(0.3) ? 250 : 2_000;
    this.#demand = game.demand(this);
    this.state.stableRevision = STABLE_REVISION;
  }

  /** Time passes; what was held lands, stores follow, the world moves. */
  #pass(ms: number): void {
    this.api.nowMs += ms;
    for (const worker of this.#workers) worker.catchUp(this.api.nowMs - LAG_MS);
    for (const late of this.#late.splice(0)) {
      if (late.landsAtMs > this.api.nowMs) this.#late.push(late);
      else write(this.#scene(late.sentMs), late.move, true);
    }
    if (this.random.chance(0.6)) kubeletStep(this.api, this.random);
    if (this.random.chance(0.02)) this.#demand.harm();
    if (this.random.chance(0.02)) this.#demand.edit();
    if (this.random.chance(0.02)) this.#demand.speakOfHooks();
    if (this.random.chance(0.02)) this.#cutOff();
    if (this.random.chance(0.1)) for (const name of [...this.api.pods.keys()]) openNewGate(this.api, name);
  }

  #scene = (sentMs: number): WriteScene => {
    const { api, judge } = this;
    return { api, judge, revisions: BY_NAME, demand: this.#demand, sentMs };
  };

  #cutOff(): void {
    const worker = this.random.pick(this.#workers)!;
    worker.isCutOff = !worker.isCutOff;
  }

  /** A fenced store, or a quorum LIST. */
  #look(worker: ModelWorker, isQuorum: boolean): Pod[] {
    const fence = Number(this.state.fence.written.pods ?? '0');
    worker.follow(this.random.below(4));
    if (!isQuorum && !worker.isCutOff && worker.reach(fence)) return this.#seen(worker.pods(), worker.highest);
    const pods = [...this.api.pods.values()];
    return this.#seen(pods, Math.max(0, ...pods.map(({ metadata }) => Number(metadata.resourceVersion))));
  }

  /** What one look saw, no later one may miss, whoever looks. */
  #seen(pods: Pod[], version: number): Pod[] {
    raiseFence(this.state, { pods: String(version) });
    return pods;
  }

  #wave(): void {
    const { state } = this;
    const worker = this.random.pick(this.#workers)!;
    const pods = this.#look(worker, state.needsQuorum);
    state.needsQuorum = false;
    const unresolved = settleUnresolved(state.unresolved, pods);
    const issued = settleIssued(state.issued, pods, { unresolved, isQuorum: true });
    const asOfMs = this.api.nowMs;
    const plan: Plan = this.#demand.plan({ pods, unresolved, issued });
    state.unresolved = settleUnresolved(unresolved, pods, plan.retired);
    state.issued = settleIssued(issued, pods, { unresolved: state.unresolved, isQuorum: true, retired: plan.retired });
    this.judge.retired(plan.retired);
    this.#demand.report(plan);
    if (plan.moves.length === 0) return;
    const open = state.unresolved;
    issueNames(state, plan.moves);
    if (this.random.chance(0.2)) this.#pass(this.random.below(8_000));
    takeOutcomes(state, plan.moves, [this.#attempts(plan.moves, open, asOfMs)]);
  }

  #attempts(planned: Move[], open: Unresolved[], asOfMs: number) {
    let attempt: Attempt = { number: 1, items: planned, unresolved: [], asOfMs };
    for (;;) {
      const worker = this.random.pick(this.#workers)!;
      if (attempt.number > 1 || this.api.nowMs - asOfMs > PLAN_FRESH_MS)
        attempt = this.#planAgain(worker, planned, open, attempt);
      const ledger = this.#send(worker, open, attempt);
      if (ledger !== 'died') {
        const written = { pods: String(ledger.version) };
        const unresolved = [...attempt.unresolved, ...ledger.unresolved];
        return { unresolved, written, gone: [], quorum: attempt.number > 1 || ledger.isUnsure };
      }
      this.#pass(1_000);
      this.#pass(10_000);
      attempt = { ...attempt, number: attempt.number + 1 };
    }
  }

  /** The intersection of the planned items with a new plan on newer facts (protocol §2, rule 7). */
  #planAgain(worker: ModelWorker, planned: Move[], open: Unresolved[], { number }: Attempt): Attempt {
    const isRetry = number > 1;
    const pods = this.#look(worker, isRetry);
    const sent = isRetry ? planned : planned.filter(({ act }) => act === 'create');
    const names = new Set(sent.map(({ pod }) => pod));
    const spent = [...open.filter(({ pod }) => !names.has(pod)), ...sent.map((move) => openItem(move))];
    const unresolved = settleUnresolved(spent, pods);
    const issued = settleIssued(this.state.issued, pods, { unresolved, isQuorum: false });
    const { moves } = this.#demand.plan({ pods, unresolved, issued });
    const fresh = new Map(moves.map((move) => [identity(move), move]));
    const items = planned.flatMap((move) => fresh.get(identity(move)) ?? []);
    const rest = planned.filter((move) => !fresh.has(identity(move)));
    const wasOpen = new Set(open.map(keyOf));
    const mayLand = rest.filter((move) => isRetry || wasOpen.has(keyOf(move)));
    const left = settleUnresolved(mayLand.map(openItem), pods);
    return { number, items, unresolved: left, asOfMs: this.api.nowMs };
  }

  #send(
    worker: ModelWorker,
    open: Unresolved[],
    { number, items, asOfMs }: Attempt,
  ): { unresolved: Unresolved[]; version: number; isUnsure: boolean } | 'died' {
    const unresolved: Unresolved[] = [];
    let version = 0;
    let isUnsure = false;
    const wasOpen = new Set(open.map(keyOf));
    for (const move of items) {
      if (this.random.chance(0.3)) this.#pass(this.random.below(400));
      const isForced = move.act === 'delete' && move.force === true;
      const isTooOld = worker.isCutOff || this.api.nowMs - asOfMs > SPEND_WITHIN_MS;
      if ((mayHarm(move) && isTooOld) || (isForced && !this.#isOnLostNode(move))) {
        isUnsure ||= move.act === 'create';
        // What an attempt before this one sent may still land.
        if (number > 1 || wasOpen.has(keyOf(move))) unresolved.push(openItem(move));
        continue;
      }
      const fate = this.random.next();
      if (fate < 0.03) {
        this.#late.push({
          move,
          sentMs: this.api.nowMs,
          landsAtMs: this.api.nowMs + this.random.below(30 * this.#paceMs),
        });
        if (fate < 0.01) return 'died';
        unresolved.push(openItem(move));
        continue;
      }
      const scene = this.#scene(this.api.nowMs);
      const answer = write(scene, move, fate < 0.06);
      if (answer === 'ok') version = this.api.version;
      // A refusal is followed by a look at the pod.
      else version = Math.max(version, Number(this.api.pods.get(move.pod)?.metadata.resourceVersion ?? 0));
      if (fate < 0.05) return 'died';
      if (this.random.chance(0.2)) kubeletStep(this.api, this.random);
      if (answer === 'ok' && move.act === 'close-gate' && move.thenPatch && fate >= 0.06) {
        if (patchAfterGate(scene, move) === 'ok') version = this.api.version;
      }
    }
    return { unresolved, version, isUnsure };
  }

  /** The quorum read of a Node right before a delete by force. */
  #isOnLostNode({ pod }: Move): boolean {
    return this.api.lostNodes.has(this.api.pods.get(pod)?.spec.nodeName ?? '');
  }

  /** Walks, then lets the world come to rest and says what was promised and not kept. */
  run(steps: number): string[] {
    for (let step = 0; step < steps; step += 1) this.stormyStep();
    const unrest = this.#comeToRest();
    return [...this.judge.violations, ...unrest];
  }

  /** Before anything else all pods are made, and a rollout begins: what follows has more to do with updates. */
  begin(): this {
    const kubelets = new Random(this.random.below(1_000_000));
    for (let turn = 0; turn < 20; turn += 1) this.quietStep(kubelets, true);
    this.#demand.speakLast();
    this.#speaks = 0.02;
    return this;
  }

  /** A while passes, with all the trouble that it may bring. */
  stormyStep(): void {
    this.#pass(this.random.below(this.#paceMs));
    if (this.random.chance(this.#speaks)) this.#demand.speak();
    if (this.random.chance(0.5)) this.#wave();
  }

  /** Without further trouble everything reaches what was asked for: nothing waits for ever. */
  #comeToRest(): string[] {
    this.#demand.calm();
    this.#demand.speakLast();
    const quiet = new Random(this.random.below(1_000_000));
    for (let turn = 0; turn < 400 && !this.#demand.isAtRest(); turn += 1) {
      this.quietStep(quiet, turn % 2 === 0);
      this.#demand.deleteByHand();
    }
    return this.#demand.isAtRest()
      ? []
      : [`not at rest after ${(this.api.nowMs - EPOCH_MS) / 1000} s: ${this.#describe()}`];
  }

  /** A second without trouble: what was held has landed, stores are there, kubelets work. */
  quietStep(kubelets: Random, hasWave: boolean): void {
    for (const worker of this.#workers) worker.isCutOff = false;
    this.api.nowMs += 1_000;
    for (const late of this.#late.splice(0)) write(this.#scene(late.sentMs), late.move, true);
    for (const name of [...this.api.pods.keys()]) openNewGate(this.api, name);
    for (let step = 0; step < 4; step += 1) kubeletStep(this.api, kubelets);
    for (const worker of this.#workers) worker.catchUp(this.api.nowMs);
    if (hasWave) this.#quietWave();
  }

  #quietWave(): void {
    const chance = this.random.chance;
    this.random.chance = () => false;
    const next = this.random.next;
    this.random.next = () => 0.5;
    this.#wave();
    this.random.next = next;
    this.random.chance = chance;
  }

  #describe(): string {
    const { replicas, updateStrategy } = this.#demand.spec;
    const pods = [...this.api.pods.values()].map(({ metadata, status }) => ({
      n: metadata.name,
      r: metadata.labels,
      a: metadata.annotations,
      s: status,
    }));
    return JSON.stringify({
      replicas,
      updateStrategy,
      unresolved: this.state.unresolved,
      issued: this.state.issued,
      pods,
    });
  }
}
