/**
 * Hooks of the model's pods: a game that answers after a while, and says no at times, and people who say something about that. The
 * HookRuns are those that the product makes, and go as its activities remove them.
 */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookPhase } from '../../crds/hook-phase.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { isTerminal } from '../hooks/phases.ts';
import { POD_UID_LABEL } from '../keys.ts';
import { gateRunOf } from '../plan/gate-runs.ts';
import { wordsOf } from '../plan/gates.ts';
import { gateBeforeUpdate, gateOfMark, hookOf } from '../plan/pod-hooks.ts';
import { markOf, runsNamedBy } from '../plan/pod-view.ts';
import { spends } from '../plan/spending.ts';
import { hasFailed } from '../plan/stray-runs.ts';
import type { GateDecisions, Mark, Move } from '../plan/types.ts';
import { isActive, revisionOf } from '../pods.ts';
import { noteTarget } from '../workload/bookkeeping.ts';
import { GATE_VERBS, type GateVerb, takeGateWord } from '../workload/gate-words.ts';
import { newWorkloadState } from '../workload/state.ts';
import type { Random } from './random.ts';
import { REVISIONS } from './world.ts';

type Strategies = Pick<
  GameWorkload['spec'],
  'preDeleteUpdateStrategy' | 'preInplaceUpdateStrategy' | 'postInplaceUpdateStrategy'
>;

const TEMPLATE = 'ask';
const HOOK = { hook: { templateName: TEMPLATE } };
const LONGEST_MS = 6_000;

const stamp = (ms: number): string => new Date(ms).toISOString();

/** In its status, and what it was told to do. */
const ended = (run: HookRun, phase: HookPhase, nowMs: number): HookRun => ({
  ...run,
  status: { ...run.status, phase, finishedAt: stamp(nowMs) },
});

export const finishedMs = ({ status }: HookRun): number => Date.parse(status?.finishedAt ?? '');

export class Verdicts {
  readonly strategies: Strategies;
  readonly templates: Record<string, HookTemplate> = {
    [TEMPLATE]: { metadata: { name: TEMPLATE }, spec: { metrics: [] } } as unknown as HookTemplate,
  };
  runs: HookRun[] = [];
  /** By name: when the run ends, and how. */
  readonly #ends = new Map<string, { atMs: number; isFailure: boolean }>();
  /** Of the workload's workflow: only what people say about hooks, and where pods move. */
  readonly #state = newWorkloadState();
  readonly #random: Random;
  #mayFail = true;

  /** How many workloads have hooks at all; how many of those have one before a pod is deleted, and one after updates in place. */
  constructor(random: Random, { hooked, before, after } = { hooked: 0.3, before: 0.7, after: 0.4 }) {
    this.#random = random;
    this.strategies = random.chance(hooked)
      ? {
          ...(random.chance(before) ? { preDeleteUpdateStrategy: HOOK } : {}),
          ...(random.chance(0.4) ? { preInplaceUpdateStrategy: HOOK } : {}),
          ...(random.chance(after) ? { postInplaceUpdateStrategy: HOOK } : {}),
        }
      : {};
  }

  get gates(): GateDecisions {
    return this.#state.gates;
  }

  /** Pods move there from now on. */
  noteTarget(revision: string, nowMs: number): void {
    noteTarget(this.#state, revision, nowMs);
  }

  /** A run that is there is found, not made again. Whoever died after the mark has made none. */
  ask(workload: GameWorkload, pod: Pod, mark: Mark, nowMs: number): void {
    const name = mark.hookRun;
    const isThere = this.runs.some(({ metadata }) => metadata.name === name);
    const built = gateRunOf(pod, mark, { workload, template: this.templates[TEMPLATE]!, revisions: REVISIONS });
    if (isThere || built === undefined || 'unresolved' in built || this.#random.chance(0.05)) return;
    const { metadata, ...rest } = built.hookRun;
    this.runs.push({
      ...rest,
      metadata: { ...metadata, creationTimestamp: stamp(nowMs) },
      status: { phase: 'Running' },
    });
    const isFailure = this.#mayFail && this.#random.chance(0.25);
    this.#ends.set(name, { atMs: nowMs + this.#random.below(LONGEST_MS), isFailure });
  }

  /** Runs whose time is over get their verdict; those that were told to end do. */
  pass(nowMs: number): void {
    this.runs = this.runs.map((run) => {
      const { atMs, isFailure } = this.#ends.get(run.metadata.name)!;
      if (isTerminal(run.status?.phase)) return run;
      if (run.spec.terminate === true) return ended(run, 'Terminated', nowMs);
      return atMs > nowMs ? run : ended(run, isFailure && this.#mayFail ? 'Failed' : 'Successful', nowMs);
    });
  }

  /** It is told to end. */
  end(name: string): void {
    this.runs = this.runs.map((run) =>
      run.metadata.name === name ? { ...run, spec: { ...run.spec, terminate: true } } : run,
    );
  }

  /** A write of ours has landed: runs that the pod waited for before are used up or discarded. Whoever died may have left them. */
  drop(before: Pod, after: Pod | undefined): void {
    const awaited = after === undefined ? [] : runsNamedBy(after);
    for (const name of runsNamedBy(before).filter((each) => !awaited.includes(each))) {
      const fate = this.#random.next();
      if (fate < 0.1) continue;
      if (fate < 0.2) this.end(name);
      else this.remove(this.runs.filter((run) => run.metadata.name === name && !hasFailed(run)));
    }
  }

  remove(runs: readonly HookRun[]): void {
    if (runs.length > 0) this.runs = this.runs.filter((run) => !runs.includes(run));
  }

  /** A person says anything, about all pods or one of them. */
  speak(pods: readonly string[], nowMs: number): void {
    const pod = this.#random.chance(0.5) ? undefined : this.#random.pick(pods);
    this.say(this.#random.pick(GATE_VERBS)!, pod, nowMs);
  }

  say(verb: GateVerb, pod: string | undefined, nowMs: number): void {
    takeGateWord(this.#state, verb, { pod }, nowMs);
  }

  /** Somebody has what failed, or was told to end, asked once more, and nothing fails from now on. */
  retry(nowMs: number): void {
    for (const { metadata, spec } of this.runs) {
      const { abortedAtMs } = wordsOf(this.gates, this.podOf(metadata.labels?.[POD_UID_LABEL]));
      if (spec.terminate === true || Date.parse(metadata.creationTimestamp!) <= abortedAtMs) this.end(metadata.name);
    }
    this.say('retry', undefined, nowMs);
    this.#mayFail = false;
    this.pass(nowMs);
  }

  /** Name of the pod with this uid: the model's uids begin with it. */
  podOf = (uid = ''): string => uid.slice(0, uid.indexOf('/'));

  /** It said yes, or a person lets its pod pass all the same. */
  hasPassed(run: HookRun | undefined, pod: string): boolean {
    if (run?.status?.phase === 'Successful') return true;
    return run !== undefined && hasFailed(run) && finishedMs(run) <= wordsOf(this.gates, pod).skippedAtMs;
  }

  /** The run that the mark names, if it is of this very pod. */
  runOf({ metadata: { uid } }: Pod, mark: Mark | undefined): HookRun | undefined {
    const isOwn = ({ metadata }: HookRun) =>
      metadata.name === mark?.hookRun && metadata.labels?.[POD_UID_LABEL] === uid;
    return this.runs.find(isOwn);
  }

  /** The move takes a running pod out of service, and its hook has not said yes to that. */
  isPassedOver(workload: GameWorkload, pod: Pod, move: Move): boolean {
    const isDelete = move.act === 'delete' && move.force !== true;
    const isUpdate = move.act === 'close-gate' || (move.act === 'patch-images' && spends(move) && move.isHot !== true);
    const isBegun = move.act === 'patch-images' && revisionOf(pod) === move.revision;
    if (!(isDelete || isUpdate) || isBegun || !isActive(pod) || pod.status?.phase !== 'Running') return false;
    const gate = isDelete ? 'predelete' : gateBeforeUpdate(workload);
    const mark = markOf(pod);
    const isForThis = mark !== undefined && gateOfMark(mark) === gate;
    const hasPassed = isForThis && this.hasPassed(this.runOf(pod, mark), pod.metadata.name);
    return hookOf(workload, gate) !== undefined && !hasPassed;
  }
}
