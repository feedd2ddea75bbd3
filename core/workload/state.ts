/** What one workload's workflow knows: plain JSON, passed whole to continue-as-new. Every flag a handler sets is in here. */
import type { Allowance, BackOff, GateDecisions, Issued, Unresolved } from '../plan/types.ts';
import type { RolloutView } from '../rollout/types.ts';
import type { FirstMoments } from '../status/since.ts';
import type { OwnPause } from './spec-pause.ts';

/** The rollout that this workload listens to. */
export interface RolloutLink {
  number: number;
  fromRevision: string;
  toRevision: string;
  rolledBack: boolean;
  /** False once it said that it is completed. */
  isOpen: boolean;
  /** Highest sequence of its `allow` messages. */
  sequence: number;
  allowance: Allowance | null;
  view: RolloutView | null;
}

export interface EventNote {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

export interface WorkloadState {
  uid: string;
  stableRevision: string;
  updateRevision: string;
  /** `sinceMs`: when it was refused first; absent where an earlier release was told so. */
  invalid?: { revision: string; message: string; sinceMs?: number };
  /** The revision that the API was asked about last (protocol §5), and at which generation. `isOutdated`: a resync came since. */
  proof: { revision: string; generation: number; isOutdated?: true };
  rollout: RolloutLink | null;
  unresolved: Unresolved[];
  issued: Issued[];
  /** Of creates that the API refused. */
  backOff: BackOff;
  /** Of deleting Failed pods. */
  failures: BackOff;
  /** Waves in a row that brought nothing about. */
  fruitless: number;
  gates: GateDecisions;
  /** All of its pods were seen at one time; a status that says so may have been left out (docs/adr/0018). */
  createdInFull?: true;
  fence: { written: Record<string, string>; gone: string[] };
  /** The next observation must be a quorum read. */
  needsQuorum: boolean;
  handled: { generation: number; triggers: string };
  /**
   * What was told last, so that it is told once: the allowance whose end was told with its resolved partition, the
   * blockers that were dealt with, the one the rollout knows of, the spec as it knows it, and the last report.
   */
  told: {
    reached: string;
    partition: number;
    blockers: string;
    blocked: string;
    spec: string;
    report: string;
    shown: string;
    /** Since when there is a blocker of each reason that dates none itself; absent until there was one. */
    since?: FirstMoments;
    /** The allowance and partition of which the rollout heard that they are reached; absent until there was one. */
    answered?: string;
    /** Mark of the pause whose lifting was told; absent until there was one. */
    lifted?: string;
  };
  /** Of revision names (game-workloads §1.3); absent until there was one. */
  collisionCount?: number;
  /** The user's `paused: true`; one of the engine's own is none. */
  pausedByUser: boolean;
  /** Of a workload that asks for it (decision 9). */
  ownPause?: OwnPause;
  /** The pause could not be written into the spec: why, for which write, and when it is tried again. */
  pauseTrouble?: { write: string; message: string; tries: number; retryAtMs: number };
  retryGates: boolean;
  /** Hooks whose `retry` is true in the spec, as it was seen last; absent where an earlier release saw it. */
  retried?: string[];
  /** Events that the next report carries. */
  events: EventNote[];
  /** A bell rang or a person spoke since the last look. */
  isRung: boolean;
  /** The bell's reason was the resync: whether the rollout's run is there is looked up too. */
  isResync: boolean;
  /** Signals of this run; continue-as-new starts again at 0. */
  signals: number;
  /** Unknown signals and no-ops, shown in the current details; the last few. */
  notices: string[];
}

export const newWorkloadState = (): WorkloadState => ({
  uid: '',
  stableRevision: '',
  updateRevision: '',
  proof: { revision: '', generation: 0 },
  rollout: null,
  unresolved: [],
  issued: [],
  backOff: { count: 0, untilMs: 0 },
  failures: { count: 0, untilMs: 0 },
  fruitless: 0,
  gates: {},
  fence: { written: {}, gone: [] },
  needsQuorum: true,
  handled: { generation: 0, triggers: '' },
  told: { reached: '', partition: 0, blockers: '', blocked: '', spec: '', report: '', shown: '' },
  pausedByUser: false,
  retryGates: false,
  events: [],
  isRung: false,
  isResync: false,
  signals: 0,
  notices: [],
});

const MAX_NOTICES = 5;

export function notice(state: WorkloadState, text: string): void {
  state.notices = [...state.notices, text].slice(-MAX_NOTICES);
}
