/** What crosses between the hook-run workflow and its activity: names, phases and messages; never arguments or values. */
import type { HookPhase } from '../../crds/hook-phase.ts';

export interface HookRunRequest {
  namespace: string;
  name: string;
  /** Another object under the same name is somebody else's. */
  uid: string;
}

/** `Gone`: this object does not exist (any more); `liveUid` is another one that has its name now. */
export type HookRunOutcome = { phase: 'Gone'; liveUid?: string } | HookRunVerdict;

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
}

export interface HookActivities {
  /**
   * Measures until the run has its verdict. Between measurements that are far apart the attempt ends with a benign
   * failure that says when the next one begins; its message is what people see meanwhile.
   */
  measureHookRun(request: HookRunRequest): Promise<HookRunOutcome>;
}
