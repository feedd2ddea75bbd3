/**
 * What is asked of the model's workload: the spec, which users edit, and what the rollout allows. The judge hears of each
 * change. Each kind says what its users write.
 */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { isCreatedInFull } from '../plan/create-batch.ts';
import { strayRuns } from '../plan/stray-runs.ts';
import type { Allowance, Move, Plan, PlanInput, Revision } from '../plan/types.ts';
import { isActive, isReady, revisionOf } from '../pods.ts';
import type { ModelApi } from './api.ts';
import { beginsUpdate, Holds } from './holds.ts';
import { GRACE_MS, type Judge, type SpecAt } from './judge.ts';
import { disturb } from './kubelet.ts';
import type { Random } from './random.ts';
import type { Verdicts } from './verdicts.ts';
import { LAST_REVISION, NODES, REVISIONS, STABLE_REVISION } from './world.ts';

export interface Surroundings {
  api: ModelApi;
  judge: Judge;
  random: Random;
}

export type UpdateType = NonNullable<NonNullable<GameWorkload['spec']['updateStrategy']>['type']>;
/** As often as they stand here. */
const TYPES: UpdateType[] = [
  ...Array<UpdateType>(5).fill('InplaceUpdate'),
  ...Array<UpdateType>(3).fill('RollingUpdate'),
  'HotPatchUpdate',
  'OnDelete',
];

/** What one look saw, apart from what the demand knows itself. */
export type Facts = Pick<PlanInput, 'pods' | 'unresolved' | 'issued'>;

export abstract class Demand<W extends GameWorkload = GameWorkload> {
  protected readonly world: Surroundings;
  protected abstract workload: W;
  protected allowance: Allowance | null = null;
  /** What pods' hooks say; absent where others play them. */
  protected verdicts?: Verdicts;
  #holds?: Holds;
  /** What was planned on last. */
  #seen?: PlanInput<W>;

  constructor(world: Surroundings) {
    this.world = world;
  }

  /** The real planner of the kind. */
  abstract plan(facts: Facts): Plan;
  /** A user writes the spec. */
  abstract edit(): void;
  /** The pod as its POST brings it. */
  abstract newPod(name: string, revision: Revision): Pod;
  /** Beside what is true of every kind: each replica is there, and nothing that is not wanted. */
  protected abstract isComplete(active: Pod[]): boolean;
  /** What only some kinds ask of the pods that are there in the end. */
  isInOrder(_active: Pod[]): boolean {
    return true;
  }

  /** What the judge must know of the spec. */
  protected abstract promised(): Omit<
    SpecAt,
    'sinceMs' | 'partition' | 'target' | 'isByHand' | 'isPaused' | 'createBatch'
  >;

  get spec(): W['spec'] {
    return this.workload.spec;
  }

  /** Pods are updated by us, and may be now. */
  get isMoving(): boolean {
    return this.allowance !== null && !this.isPaused() && this.spec.updateStrategy?.type !== 'OnDelete';
  }

  get target(): string {
    return this.allowance?.revision ?? STABLE_REVISION;
  }

  /** For people. */
  get asked(): object {
    return { ...this.allowance, spec: this.spec, annotations: this.workload.metadata.annotations };
  }

  /** Who has a hook after updates in place has such updates, mostly. */
  protected type(): UpdateType {
    const { random } = this.world;
    const isHooked = this.verdicts?.strategies.postInplaceUpdateStrategy !== undefined;
    return isHooked && random.chance(0.7) ? 'InplaceUpdate' : random.pick(TYPES)!;
  }

  protected inPlace() {
    const { random } = this.world;
    const policy = random.pick(['DisOrdered', 'OrderedReady', 'OrderedUpdated'] as const);
    return { policy, gracePeriodSeconds: random.chance(0.3) ? 5 : 0 };
  }

  protected budgets() {
    const { random } = this.world;
    const maxSurge = random.below(3);
    return { maxSurge, maxUnavailable: maxSurge > 0 && random.chance(0.5) ? 0 : 1 + random.below(2) };
  }

  protected announce(): void {
    const { api, judge } = this.world;
    const { partition, revision: target } = this.allowance ?? { partition: 0, revision: STABLE_REVISION };
    const isByHand = this.spec.updateStrategy?.type === 'OnDelete';
    const rollout = { partition: this.keptOld(partition), target, isByHand, isPaused: this.isPaused() };
    judge.specChanged({ sinceMs: api.nowMs, ...this.promised(), ...rollout, ...this.#batch() });
  }

  /** No pod is updated. */
  protected isPaused(): boolean {
    return this.allowance?.paused === true || this.spec.updateStrategy?.paused === true;
  }

  /** How many pods stay old under this partition. */
  protected keptOld(partition: Allowance['partition']): number {
    return Number(partition);
  }

  #batch(): { createBatch?: number } {
    const createBatch = this.spec.scaleStrategy?.createBatch;
    return createBatch === undefined || this.isCreated() ? {} : { createBatch: Number(createBatch) };
  }

  /** All pods were there at one time. */
  protected isCreated = (): boolean => this.workload.status?.createdInFull === true;

  /** Whether pods have hooks. */
  protected hook(verdicts: Verdicts): Verdicts['strategies'] {
    this.verdicts = verdicts;
    this.#holds = new Holds(this.world.api, verdicts);
    return verdicts.strategies;
  }

  /** The status is written, and what nobody waits for is removed. */
  report({ counts, reached }: Plan): void {
    const held = reached ? this.#holds?.since(this.world.api.nowMs - GRACE_MS) : undefined;
    if (held !== undefined) this.world.judge.held('the end', held.metadata.name);
    if (this.#seen !== undefined) this.verdicts?.remove(strayRuns(this.#seen));
    if (this.isCreated() || !isCreatedInFull({ workload: this.workload }, counts)) return;
    this.workload = { ...this.workload, status: { createdInFull: true } };
    this.announce();
  }

  /** Somebody else does harm. */
  harm(): void {
    const { api, judge, random } = this.world;
    const name = disturb(api, random);
    if (name !== undefined) judge.harmed(`${name}/${api.version}`);
  }

  /** A write on the pod is about to land: no hook is passed over, and none that failed after an update. */
  writing(pod: Pod, move: Move, sentMs: number): void {
    const { judge } = this.world;
    if (this.verdicts?.isPassedOver(this.workload, pod, move)) judge.passedOver(pod, move.act);
    const held = beginsUpdate(pod, move) ? this.#holds?.since(sentMs - GRACE_MS) : undefined;
    if (held !== undefined) judge.held(`${move.act} of ${pod.metadata.name}`, held.metadata.name);
  }

  /** Our mark is on the pod, and its hook is asked. */
  hookAsked(pod: Pod, { mark }: Extract<Move, { act: 'mark' }>): void {
    this.verdicts?.ask(this.workload, pod, mark, this.world.api.nowMs);
  }

  /** It has landed; without `after` the pod is on its way out. */
  written(before: Pod, after?: Pod): void {
    this.verdicts?.drop(before, after);
  }

  /** A hook is told to end. */
  hookEnded({ hookRun }: Extract<Move, { act: 'end-hook' }>): void {
    this.verdicts?.end(hookRun);
  }

  /** Somebody says something about hooks. */
  speakOfHooks(): void {
    const { api } = this.world;
    this.verdicts?.speak([...api.pods.keys()], api.nowMs);
  }

  /** No more harm is done, and what was broken from outside is mended. */
  calm(): void {
    this.verdicts?.retry(this.world.api.nowMs);
  }

  /** The rollout says something new. */
  speak(): void {
    const { random } = this.world;
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
    const { api, judge } = this.world;
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
    this.allowance = allowance;
    this.verdicts?.noteTarget(allowance.revision, this.world.api.nowMs);
    this.#holds?.noteTarget(allowance.revision);
    this.announce();
  }

  isAtRest(): boolean {
    const active = [...this.world.api.pods.values()].filter(isActive);
    const isDone = active.every((pod) => revisionOf(pod) === LAST_REVISION && isReady(pod));
    return isDone && this.isComplete(active);
  }

  /** What the planner is asked, with the facts of one look. */
  protected planInput(facts: Facts): PlanInput<W> {
    this.verdicts?.pass(this.world.api.nowMs);
    this.#seen = {
      ...facts,
      workload: this.workload,
      revisions: REVISIONS,
      updateRevision: this.allowance?.revision ?? STABLE_REVISION,
      stableRevision: STABLE_REVISION,
      allowance: this.allowance,
      nodes: NODES,
      hookRuns: this.verdicts?.runs ?? [],
      hookTemplates: this.verdicts?.templates ?? {},
      backOff: { count: 0, untilMs: 0 },
      gates: this.verdicts?.gates ?? {},
      nowMs: this.world.api.nowMs,
      seed: String(this.world.random.next()),
    };
    return this.#seen;
  }
}
