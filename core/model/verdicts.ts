/** Hooks of the model's pods: a game that answers after a while, and says no at times. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { isTerminal } from '../hooks/phases.ts';
import { ATTEMPT_LABEL, POD_UID_LABEL } from '../keys.ts';
import { gateBeforeUpdate, gateOfMark, hookOf } from '../plan/pod-hooks.ts';
import { markOf } from '../plan/pod-view.ts';
import { spends } from '../plan/spending.ts';
import type { GateDecisions, Mark, Move } from '../plan/types.ts';
import { isActive, revisionOf } from '../pods.ts';
import type { Random } from './random.ts';

type Strategies = Pick<
  GameWorkload['spec'],
  'preDeleteUpdateStrategy' | 'preInplaceUpdateStrategy' | 'postInplaceUpdateStrategy'
>;

const TEMPLATE = 'ask';
const HOOK = { hook: { templateName: TEMPLATE } };
const LONGEST_MS = 6_000;

export class Verdicts {
  readonly strategies: Strategies;
  readonly templates: Record<string, HookTemplate> = {
    [TEMPLATE]: { metadata: { name: TEMPLATE }, spec: { metrics: [] } } as unknown as HookTemplate,
  };
  readonly gates: GateDecisions = {};
  runs: HookRun[] = [];
  /** By name: when the run ends, and how. */
  readonly #ends = new Map<string, { atMs: number; isFailure: boolean }>();
  readonly #random: Random;
  #mayFail = true;

  constructor(random: Random) {
    this.#random = random;
    this.strategies = random.chance(0.3)
      ? {
          ...(random.chance(0.7) ? { preDeleteUpdateStrategy: HOOK } : {}),
          ...(random.chance(0.4) ? { preInplaceUpdateStrategy: HOOK } : {}),
          ...(random.chance(0.4) ? { postInplaceUpdateStrategy: HOOK } : {}),
        }
      : {};
  }

  /** A run that is there is found, not made again. */
  ask(podUid: string, { attempt, hookRun: name }: Mark, nowMs: number): void {
    if (this.#ends.has(name)) return;
    const labels = { [POD_UID_LABEL]: podUid, [ATTEMPT_LABEL]: attempt };
    const metadata = { name, labels, creationTimestamp: new Date(nowMs).toISOString() };
    this.runs.push({ metadata, spec: { metrics: [] }, status: { phase: 'Running' } } as unknown as HookRun);
    const isFailure = this.#mayFail && this.#random.chance(0.25);
    this.#ends.set(name, { atMs: nowMs + this.#random.below(LONGEST_MS), isFailure });
  }

  /** Runs whose time is over get their verdict. */
  pass(nowMs: number): void {
    this.runs = this.runs.map((run) => {
      const { atMs, isFailure } = this.#ends.get(run.metadata.name)!;
      if (isTerminal(run.status?.phase) || atMs > nowMs) return run;
      const phase = isFailure && this.#mayFail ? 'Failed' : 'Successful';
      return { ...run, status: { ...run.status, phase, finishedAt: new Date(nowMs).toISOString() } } as HookRun;
    });
  }

  /** Somebody has what failed asked once more, and nothing fails from now on. */
  retry(nowMs: number): void {
    this.gates.retriedAtMs = nowMs;
    this.#mayFail = false;
    this.pass(nowMs);
  }

  /** The move takes a running pod out of service, and its hook has not said yes to that. */
  isPassedOver(workload: GameWorkload, pod: Pod, move: Move): boolean {
    const isDelete = move.act === 'delete' && move.force !== true;
    const isUpdate = move.act === 'close-gate' || (move.act === 'patch-images' && spends(move) && move.isHot !== true);
    const isBegun = move.act === 'patch-images' && revisionOf(pod) === move.revision;
    if (!(isDelete || isUpdate) || isBegun || !isActive(pod) || pod.status?.phase !== 'Running') return false;
    const gate = isDelete ? 'predelete' : gateBeforeUpdate(workload);
    const mark = markOf(pod);
    const run = this.runs.find(({ metadata }) => metadata.name === mark?.hookRun);
    const isOwn = run?.metadata.labels?.[POD_UID_LABEL] === pod.metadata.uid;
    const hasPassed = isOwn && mark !== undefined && gateOfMark(mark) === gate && run?.status?.phase === 'Successful';
    return hookOf(workload, gate) !== undefined && !hasPassed;
  }
}
