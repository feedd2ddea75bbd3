/** What crosses between workflows and activities: names, uids, counts and revisions; never a template, a pod or a spec. */
import type {
  Allowance,
  BackOff,
  Blocker,
  Counts,
  GateDecisions,
  Issued,
  Move,
  Unresolved,
} from '../core/plan/types.ts';
import type { ResumePoint, RolloutView, Step } from '../core/rollout/types.ts';
import type { FirstMoments } from '../core/status/since.ts';
import type { PauseWrite } from '../core/workload/spec-pause.ts';

export interface WorkloadKey {
  kind: 'GameDeployment' | 'GameStatefulSet';
  namespace: string;
  name: string;
}

/** What an activity must have seen before it may plan (protocol §2, rule 6). RVs are decimal strings. */
export interface Fence {
  /** Highest resourceVersion of an object that we wrote, by resource plural. */
  written: Record<string, string>;
  /** Uids of pods that must be gone from the store, or terminating in it. */
  gone: string[];
  /** Versions of before are void: etcd was put back to a state in which there were none of them. */
  isReset?: true;
}

/** What the workflow knows and the planner needs; carried to observe, moves and report alike. */
export interface PlanContext {
  /** Absent at the first observation of a workload: recovered from the object (decision 18). */
  stableRevision?: string;
  allowance: Allowance | null;
  /** A revision that the API refused in a dry run: nothing is created at it or moved to it (protocol §5). */
  invalid?: { revision: string; message: string; sinceMs?: number };
  unresolved: Unresolved[];
  issued: Issued[];
  backOff: BackOff;
  failures?: BackOff;
  gates: GateDecisions;
  /** All of its pods were seen at one time. */
  createdInFull?: true;
}

export interface ObserveRequest {
  key: WorkloadKey;
  /** Absent at first: the live one is taken. Another live uid is answered at once, with no moves. */
  uid?: string;
  context: PlanContext;
  fence: Fence;
  /** Take a quorum LIST: a run's first observe, or after an unknown outcome. */
  quorum: boolean;
  /** Generation and annotations that the workflow has dealt with; a difference returns at once. */
  handled: { generation: number; triggers: string };
  /** True where `reached` (or the blockers) was already told to the rollout: it does not end the wait again. */
  toldReached: boolean;
  toldBlocked: string;
  /** `shownKey` of what the status says, and when it may be written again; absent where it does not matter. */
  shown?: { key: string; againAtMs: number };
}

/** Spec facts that the rollout needs; no hook arguments. */
export interface RolloutSpec {
  steps: Step[];
  stepsHash: string;
  pausedByUser: boolean;
  /** Annotation `holdfast.dev/write-paused`; absent where it is not `"true"`. */
  writePaused?: boolean;
  /** Annotation `holdfast.dev/paused-at`. */
  pausedAt?: string;
  /** Annotation `holdfast.dev/resume`. */
  resumeToken?: string;
  progressDeadlineSeconds?: number;
  /** `retry: true` on a gate of the spec. */
  retryGates: boolean;
  /** Which ones, by the names of their fields; absent in observations of releases that told no more than the above. */
  retried?: string[];
}

export interface Observation {
  /** A quorum GET says that the object does not exist. */
  gone: boolean;
  deleting: boolean;
  uid: string;
  generation: number;
  /** Digest of the annotations that matter (resume, suspend); compare with `handled.triggers`. */
  triggers: string;
  /** null: no recorded revision equals the spec's template, or not the newest does; `recordRevision` must run first. */
  updateRevision: string | null;
  stableRevision: string;
  /** No pods, no stable revision recorded, or replicas 0: a first creation runs no steps (decision 12). */
  firstCreation: boolean;
  /** Step index and pause found on the object for a workflow that lost its state (decision 18). */
  recovered?: ResumePoint & { partial: boolean };
  spec: RolloutSpec;
  moves: Move[];
  counts: Counts;
  partition: number;
  reached: boolean;
  blockers: Blocker[];
  inTransition: boolean;
  /** All pods that were asked for are there, or were at one time; absent where they were not, or where nothing is planned. */
  createdInFull?: true;
  /** Nothing is to be expected soon: nothing moves, or nothing changed for a minute. Only then is sleeping right. */
  isQuiet: boolean;
  lookAgainAtMs?: number;
  replacesFailed: number;
  /** What is left of the request's unresolved items and issued names after looking. */
  unresolved: Unresolved[];
  issued: Issued[];
  /** Pods that people spoke of and of which nothing is left; absent where there are none. */
  idleWords?: string[];
  /** The request's fence raised by what was seen: no later observation may be older, whichever process makes it. */
  fence: Fence;
  /** When the observation was made, epoch milliseconds of that process. */
  asOfMs: number;
}

export interface MoveRequest {
  key: WorkloadKey;
  uid: string;
  context: PlanContext;
  fence: Fence;
  updateRevision: string;
  stableRevision: string;
  /** At most 200. */
  items: Move[];
  /**
   * Spending moves that other activities of the same wave carry out now: a plan that is made again meanwhile counts them as
   * spent until they are seen.
   */
  siblings?: Unresolved[];
  asOfMs: number;
}

export interface MoveResult {
  done: number;
  /** Items that somebody else changed first, or that the attempt did not want any more. */
  moved: number;
  unresolved: Unresolved[];
  written: Record<string, string>;
  gone: string[];
  /**
   * The next observe must read a quorum LIST: this was not the first attempt, an outcome is unknown, or a name given to a
   * create stands for no pod of ours (protocol §2, rule 6).
   */
  quorum: boolean;
  /** One sentence of the first refusal, for conditions and events. */
  refusal?: string;
}

export interface RecordRevisionRequest {
  key: WorkloadKey;
  uid: string;
  stableRevision?: string;
  fence: Fence;
  /** What is to be seen right after; absent in runs of before. */
  look?: ObserveRequest;
}

export interface RecordRevisionResult {
  updateRevision: string;
  /** The API refused the template in a dry run: one sentence. */
  invalid?: string;
  /** How many names were found taken, where any was; to be handed to report. */
  collisionCount?: number;
  written: Record<string, string>;
  /** Of the look that was asked for; absent where the object is gone or another one. */
  seen?: Observation;
}

export interface ReportRequest {
  key: WorkloadKey;
  uid: string;
  context: PlanContext;
  fence: Fence;
  updateRevision: string;
  stableRevision: string;
  view: RolloutView | null;
  /** Target of the last rollout, open or not; absent where there was none. */
  rolledTo?: string;
  /** Pods are on the move: the doorbell holds pod bells back. */
  moving: boolean;
  /** Consumed values of `holdfast.dev/resume`. */
  consumedResume: string[];
  collisionCount?: number;
  /** The pause could not be written into the spec, or not be taken back: one sentence. */
  pauseTrouble?: string;
  /** Since when it is blocked, by reason; epoch milliseconds. */
  since?: FirstMoments;
  events: EventNote[];
}

/** Pods may have changed since the look after which it was asked for. */
export interface ReportResult {
  /** `shownKey` of what the status says now. */
  shown: string;
}

export interface WritePausedRequest {
  key: WorkloadKey;
  uid: string;
  /** Of the spec that was seen: a pause is set in no other one, and taken back from no other one. */
  generation: number;
  write: PauseWrite;
}

export interface WritePausedResult {
  /** The mark that the object has now. */
  pausedAt?: string;
  written: Record<string, string>;
  /** The API does not let us: one sentence. */
  refused?: string;
}

/** An event on the workload, named as the existing operators do where they have one. */
export interface EventNote {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

export interface StartRolloutRequest {
  key: WorkloadKey;
  uid: string;
  /**
   * 0 asks for whatever follows: a running rollout of this uid to this revision is taken over under its own number, else
   * the number after the newest run's is used. Above 0 the call is idempotent: a run to this revision with this number, or
   * a later one that runs, is left alone, unless it was terminated from outside; then it is started again at `resumeAt`
   * (decision 18). A run to another revision is superseded, whatever its number.
   */
  number: number;
  fromRevision: string;
  toRevision: string;
  rolledBack: boolean;
  spec: RolloutSpec;
  /** A rollout that lost its run: continue at this step, paused where it was (decision 18). */
  resumeAt?: ResumePoint;
}

/** The run that is there now. */
export interface StartedRollout {
  number: number;
  /** A run that was lost was started again. */
  restarted: boolean;
  /** The run with this number has its result already: nothing more is to be heard of it. */
  isOver: boolean;
  /** It was started just now, with the spec of the request; absent in answers of before. */
  isNew?: boolean;
}

/** The activities that workflows call; each is implemented in a module of its own. */
export interface WorkloadActivities {
  observe(request: ObserveRequest): Promise<Observation>;
  /** Beside the workflow (docs/adr/0018). Undefined: nothing is to be done or told yet, `observe` waits for it. */
  lookNow(request: ObserveRequest): Promise<Observation | undefined>;
  createPods(request: MoveRequest): Promise<MoveResult>;
  deletePods(request: MoveRequest): Promise<MoveResult>;
  updatePodsInPlace(request: MoveRequest): Promise<MoveResult>;
  markPods(request: MoveRequest): Promise<MoveResult>;
  /** Adopts pods that nobody controls, and lets go of those that are not selected any more. */
  adoptPods(request: MoveRequest): Promise<MoveResult>;
  recordRevision(request: RecordRevisionRequest): Promise<RecordRevisionResult>;
  /** Undefined: the object is gone, or has a spec that the workflow has yet to see. */
  report(request: ReportRequest): Promise<ReportResult | undefined>;
  /** The one write of a spec (decision 9). */
  writePaused(request: WritePausedRequest): Promise<WritePausedResult>;
  startRollout(request: StartRolloutRequest): Promise<StartedRollout>;
  /** After an orphan delete: removes marks and opens gates of half-updated pods (decision 45). */
  releasePods(request: { key: WorkloadKey; uid: string }): Promise<void>;
}
