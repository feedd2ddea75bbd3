/** The planner's words: what it is given and what it answers. Pure data; templates stay on this side of the activities. */
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookTemplate } from '../../crds/hook-template.ts';
import type { IntOrString, Pod, PodTemplateSpec } from '../../crds/kubernetes.ts';
import type { GateType } from '../hooks/names.ts';

/**
 * How far pods may move right now. The rollout sets it, the workload obeys it.
 * `partition: 'spec'` follows `spec.updateStrategy.partition` as it stands (a rollout without steps, decision 12).
 */
export interface Allowance {
  revision: string;
  partition: IntOrString | 'spec';
  paused: boolean;
}

/** One version of the template as the planner sees it. */
export interface Revision {
  name: string;
  /** ControllerRevision.revision. */
  number: number;
  template: PodTemplateSpec;
}

/** What the planner must know of a node. Absent from the record means that the Node object is gone or not seen. */
export interface NodeFacts {
  ready: boolean;
  /** Annotation `io.tencent.bcs.dev/node-deletion-cost`, unparsed. */
  deletionCost?: string;
}

/**
 * Written on a pod before the act it announces (protocol §3): it is chosen to go or to be updated. `updated`: it was given new
 * images, in the write that also left this mark, and is to ask its postInplace hook once they run (docs/adr/0016).
 */
export interface Mark {
  kind: 'scale-in' | 'update' | 'updated';
  /** Unique per mark: the pod's resourceVersion at the time of marking. */
  attempt: string;
  hookRun: string;
  /** Target revision of an update. */
  revision?: string;
  /** The hook that is asked before an update in place, where it is not preDelete. */
  gate?: 'preinplace';
  /** The run before it failed, and somebody asked for another one. */
  isRetry?: true;
}

interface PodItem {
  pod: string;
  uid: string;
  /** The pod's resourceVersion that the plan saw; the write is a compare-and-swap on it. */
  resourceVersion: string;
  /** One clause for people: why this move is made. */
  reason: string;
}

/** What a new pod is told of its number: the index, or that the range had none left for it. Neither where none is asked for. */
export interface Numbering {
  index?: number;
  isUnnumbered?: true;
}

/** One change that the planner wants. Only `spends: true` moves can lower availability. */
export type Move =
  /** `claims` are missing PersistentVolumeClaims, which are made before the pod. */
  | ({ act: 'create'; pod: string; revision: string; reason: string; claims?: string[] } & Numbering)
  /**
   * `spends` is false for a pod that was not available anyway. `force`: without the word of its kubelet (grace period 0). `cause`, where
   * it is no scale-in: it comes back at the target, or it will not run again.
   */
  | (PodItem & { act: 'delete'; spends: boolean; force?: true; cause?: 'update' | 'failed' })
  /** W1: gate False on /status. Spends. With `thenPatch` W2 follows in the same activity (grace 0). */
  | (PodItem & { act: 'close-gate'; revision: string; thenPatch: boolean; spends: boolean })
  /** W2: label, state annotation, images in one write. Spends where no closed gate says so already, as with a hot patch. */
  | (PodItem & { act: 'patch-images'; revision: string; spends: boolean; isHot?: true })
  /** Template metadata and the revision label only; nothing restarts (decision 28). */
  | (PodItem & { act: 'patch-metadata'; revision: string })
  /** W3, the gate of a new pod, or the gate of an update that is no longer wanted. */
  | (PodItem & { act: 'open-gate' })
  /** Writes the mark and creates its HookRun; a repeated one creates the missing HookRun only. */
  | (PodItem & { act: 'mark'; mark: Mark; template: string })
  /** Drops the mark; its HookRun is terminated and deleted. */
  | (PodItem & { act: 'unmark'; hookRun: string; kind?: 'updated' })
  /** Ends a HookRun that a person does not want to wait for; the pod is not written. */
  | (PodItem & { act: 'end-hook'; hookRun: string })
  /** Raises the RV so that an unresolved write of ours cannot land any more. */
  | (PodItem & { act: 'fence' })
  /** Makes the workload the controller of a pod that has none. */
  | (PodItem & { act: 'adopt' })
  /** Lets go of a pod that the selector does not match any more, without a mark of ours. */
  | (PodItem & { act: 'release' });

export type Act = Move['act'];

/** A move whose outcome is not known, or that was refused: it counts as spent until it is settled (protocol §2, rule 4). */
export interface Unresolved {
  act: Act;
  pod: string;
  uid?: string;
  resourceVersion?: string;
  outcome: 'refused' | 'unknown';
  /** Why it was refused: one sentence. */
  message?: string;
  /** Of a create that was refused: how often in a row, and until when its name is left alone. */
  backOff?: BackOff;
}

/** What the planner must know of a PersistentVolumeClaim; one that is absent from the record is not there. */
export interface ClaimFacts {
  isTerminating: boolean;
}

/** A name given to a create and not yet seen, with what goes with it. */
export interface Issued extends Numbering {
  pod: string;
  revision: string;
}

/** Epoch milliseconds: runs that failed before count as retried or skipped, runs that began before are to be ended. */
export interface GateWord {
  retriedAtMs?: number;
  skippedAtMs?: number;
  abortedAtMs?: number;
}

/** People's words on hooks of pods: on all of them, on those of single pods by name, and on one hook of all pods. */
export interface GateDecisions extends GateWord {
  pods?: Record<string, GateWord>;
  /** `retry: true` in the spec is about the hook that it stands beside (decision 10). */
  hooks?: Partial<Record<GateType, Pick<GateWord, 'retriedAtMs'>>>;
  /** Where pods move, and since when: what failed before was another attempt at it. 0 where that is not known. */
  target?: { revision: string; sinceMs: number };
}

/** Something that goes wrong again and again is tried less and less often (protocol §4). */
export interface BackOff {
  /** Failures in a row. */
  count: number;
  /** It is not tried before; epoch milliseconds. */
  untilMs: number;
}

/** What is observed of one workload; code that both kinds share takes `PlanInput<GameWorkload>`. */
export interface PlanInput<W extends GameWorkload = GameDeployment> {
  workload: W;
  /** All revisions of the workload, any order. */
  revisions: Revision[];
  /** Name of the revision that the spec asks for. */
  updateRevision: string;
  /** The last revision that finished its rollout. */
  stableRevision: string;
  /** null: nothing moves to any other revision than the stable one. */
  allowance: Allowance | null;
  /** Pods whose controller is this workload, terminating ones included, and `orphans`. */
  pods: Pod[];
  /** Those of `pods` that nobody controls yet: they are adopted before anything else is done. */
  orphans?: Pod[];
  /** Controlled by this workload and not selected any more: to be let go. None of `pods`. */
  strays?: Pod[];
  /** Names that a GameStatefulSet needs and that pods have which are not its own. */
  takenNames?: string[];
  nodes: Record<string, NodeFacts>;
  /** Nobody has heard of the nodes lately: on these facts none of them is lost. */
  areNodesStale?: true;
  /** Of a GameStatefulSet's pods, by name. */
  claims?: Record<string, ClaimFacts>;
  hookRuns: HookRun[];
  /** Templates of the namespace by name. */
  hookTemplates: Record<string, HookTemplate>;
  unresolved: Unresolved[];
  issued: Issued[];
  /** Of creates that the API refused; a GameStatefulSet goes by that of each name, which is in `unresolved`. */
  backOff: BackOff;
  /** Of deleting Failed and Succeeded pods; absent where there was none lately. */
  failures?: BackOff;
  gates: GateDecisions;
  /** All of its pods were seen at one time, whether a status says so yet or not; absent where they were not. */
  createdInFull?: true;
  /** A revision that the API refused in a dry run: nothing is created at it or moved to it. */
  invalidRevision?: string;
  nowMs: number;
  /** Varies between plans; new pod names are derived from it. */
  seed: string;
}

/** Counts of one moment, over active pods (decision 43). */
export interface Counts {
  replicas: number;
  ready: number;
  available: number;
  updated: number;
  updatedReady: number;
  updatedAvailable: number;
  /** Pods marked and waiting for a gate. */
  waiting: number;
  /** Pods whose gate is closed or whose restart has no evidence yet. */
  updating: number;
  unavailable: number;
  /** Pods that Failed or Succeeded and are to be replaced; absent where there is none. */
  failed?: number;
  /** Active pods per revision name. */
  perRevision: Record<string, number>;
}

/** Why nothing more moves though something should: one sentence, with the pod it waits for. */
export interface Blocker {
  reason:
    | 'PodsNotReady'
    | 'GateWaiting'
    | 'GateFailed'
    | 'PostInplaceHookFailed'
    | 'HookTemplateMissing'
    | 'HookArgumentUnresolved'
    | 'InPlaceNotPossible'
    | 'PodCreateFailed'
    | 'MoveRefused'
    | 'WaitsForDeletion'
    | 'WaitsForIndex'
    | 'FailedScale'
    | 'PodTerminating'
    | 'ClaimTerminating'
    | 'Suspended'
    | 'NotImplemented'
    | 'RevisionMissing';
  message: string;
  pod?: string;
  sinceMs?: number;
}

export interface Plan {
  moves: Move[];
  /** Issued names that are not needed any more. */
  retired: string[];
  counts: Counts;
  /** Resolved numbers, shown in status (decision 1). */
  resolved: { replicas: number; partition: number; maxUnavailable: number; maxSurge: number };
  /** All that the allowance permits is done: counts fit, updated pods available, nothing in flight. */
  reached: boolean;
  blockers: Blocker[];
  /** Something is on its way without us: pods starting, restarting, terminating, gates running. */
  inTransition: boolean;
  /** Free slots of the update budget after these moves. */
  freeBudget: number;
  /** Pods that may still move under this allowance, including those of this plan. */
  remaining: number;
  /** Terminal pods that this plan deletes: raises the back-off. */
  replacesFailed: number;
  /** Epoch milliseconds at which the plan changes by time alone (grace, minReadySeconds, back-off). */
  lookAgainAtMs?: number;
}
