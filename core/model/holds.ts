/**
 * Hooks after updates in place that have failed hold up further updates (decision 37, docs/adr/0016). Read from what the model
 * knows, not as the planner reads it: a failure holds from the moment it is there until its pod has passed its hook, or, where
 * the pod is gone, until somebody speaks.
 */
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { GATE_RUN_TYPES } from '../hooks/hook-run.ts';
import { HOOK_RUN_TYPE_LABEL, POD_UID_LABEL, WORKLOAD_REVISION_LABEL } from '../keys.ts';
import { wordsOf } from '../plan/gates.ts';
import { owedMarkOf } from '../plan/pod-view.ts';
import { mayHarm } from '../plan/spending.ts';
import type { Move } from '../plan/types.ts';
import { gateOf, isActive, revisionOf } from '../pods.ts';
import type { ModelApi } from './api.ts';
import { finishedMs, type Verdicts } from './verdicts.ts';
import { STABLE_REVISION } from './world.ts';

/** The move takes a pod from its revision to another one; what has begun is finished whatever fails meanwhile. */
export function beginsUpdate(pod: Pod, move: Move): boolean {
  if (!mayHarm(move)) return false;
  switch (move.act) {
    case 'close-gate':
      return true;
    case 'patch-images':
      return revisionOf(pod) !== move.revision && gateOf(pod) !== 'closed';
    case 'delete':
      return move.reason.startsWith(`${revisionOf(pod)} becomes `);
    default:
      return false;
  }
}

export class Holds {
  readonly #api: ModelApi;
  readonly #verdicts: Verdicts;
  #target = { revision: STABLE_REVISION, sinceMs: 0 };

  constructor(api: ModelApi, verdicts: Verdicts) {
    this.#api = api;
    this.#verdicts = verdicts;
  }

  /** Pods move there from now on: what failed before was about something else. */
  noteTarget(revision: string): void {
    if (revision !== this.#target.revision) this.#target = { revision, sinceMs: this.#api.nowMs };
  }

  /** The first failure that holds up updates, and did so at `untilMs` already. */
  since(untilMs: number): HookRun | undefined {
    if (this.#target.revision === STABLE_REVISION) return undefined;
    return this.#verdicts.runs.find((run) => this.#isFailure(run) && finishedMs(run) <= untilMs && this.#holds(run));
  }

  /** A run that we ended ourselves has not failed; one that a person had ended has, as that person knows. */
  #isFailure({ metadata: { labels = {} }, status }: HookRun): boolean {
    const isOfTarget = labels[WORKLOAD_REVISION_LABEL] === this.#target.revision;
    return labels[HOOK_RUN_TYPE_LABEL] === GATE_RUN_TYPES.postinplace && isOfTarget && status?.phase === 'Failed';
  }

  #holds(run: HookRun): boolean {
    const uid = run.metadata.labels?.[POD_UID_LABEL];
    const failedMs = finishedMs(run);
    const words = wordsOf(this.#verdicts.gates, this.#verdicts.podOf(uid));
    if (failedMs <= this.#target.sinceMs || failedMs <= words.skippedAtMs) return false;
    const pod = [...this.#api.pods.values()].find((each) => each.metadata.uid === uid && isActive(each));
    return pod === undefined ? failedMs > words.retriedAtMs : this.#owes(pod, run.metadata.name);
  }

  /** The debt that the run was about, or its retry. */
  #owes(pod: Pod, name: string): boolean {
    const mark = owedMarkOf(pod);
    const isOfNow = mark?.hookRun === name || mark?.isRetry === true;
    if (!isOfNow || revisionOf(pod) !== this.#target.revision) return false;
    return !this.#verdicts.hasPassed(this.#verdicts.runOf(pod, mark), pod.metadata.name);
  }
}
