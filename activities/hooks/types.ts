/** What crosses between the hook-run workflow and its activity: names, phases and messages; never arguments or values. */
import type { HookPhase } from '../../crds/hook-phase.ts';

export interface HookRunRequest {
  namespace: string;
  name: string;
  /** Another object under the same name is somebody else's. */
  uid: string;
}

/** What a workflow asks to be measured. */
export interface MeasureRequest extends HookRunRequest {
  /** What the workflow shows of the run. Absent: it shows nothing, and only a verdict is of interest. */
  shown?: ShownProgress;
}

/** Which state of the run is shown, and until when it is fresh enough. */
export interface ShownProgress {
  state: string;
  untilMs: number;
}

/** `Gone`: this object does not exist (any more); `liveUid` is another one that has its name now. */
export type HookRunOutcome = HookRunGone | HookRunProgress | HookRunVerdict;

export interface HookRunGone {
  phase: 'Gone';
  liveUid?: string;
}

/** The run goes on, and there is something new to show. */
export interface HookRunProgress {
  phase: 'Running';
  metrics: MetricProgress[];
  shown: ShownProgress;
}

/** One metric, as people see it in the workflow. */
export interface MetricProgress {
  name: string;
  phase: HookPhase;
  /** Measurements in all, errors included. */
  measured: number;
  /** The last one. */
  last?: { phase: HookPhase; at?: string; message?: string };
}

export interface HookRunVerdict {
  /** One of the phases that end a run. */
  phase: Exclude<HookPhase, 'Pending' | 'Running'>;
  message: string;
  name: string;
  /** Label `hookrun-type`. */
  type?: string;
  /** Of a canary step. */
  stepIndex?: number;
  revision?: string;
  /** The controller of the run. */
  workload?: { kind: string; name: string };
  metrics?: MetricProgress[];
  /** When the object is to be deleted, ISO 8601. */
  deleteAt?: string;
}

export interface HookActivities {
  /**
   * Measures until the run has its verdict. Between measurements that are far apart the attempt ends with a benign
   * failure that says when the next one begins; its message is what people see meanwhile.
   */
  measureHookRun(request: MeasureRequest): Promise<HookRunOutcome>;
  /**
   * Deletes a run that has ended once its time has come and no gate waits for it any more; until then an attempt ends with a
   * benign failure that says what is waited for. A run without such a time is left.
   */
  expireHookRun(request: HookRunRequest): Promise<HookRunGone | { phase: 'Kept' }>;
}
