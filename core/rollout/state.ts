/**
 * Everything one rollout remembers: one plain JSON object, passed whole to continue-as-new.
 * Holds the shape and the questions asked of it; how it changes stands in the modules beside.
 */
import type { Allowance } from '../plan/types.ts';
import type { HumanMessage, PauseReason, ResumePoint, RolloutPhase, RolloutView, Step, StepLogEntry } from './types.ts';

/**
 * Behaviour of the step machine. A change of behaviour gets a new number, and old runs keep theirs (design §4).
 * 2: the numbers of allowances follow the clock, see `nextSequence`. 3: the summary is written beside the workflow (docs/adr/0018).
 * 4: sentences name the partition as the kind's spec has it; hooks that cannot be asked stop the progress clock.
 * 5: the workload is told beside the workflow (docs/adr/0018); a sentence within a sentence has no full stop.
 */
export const RULES_VERSION = 5;

/** The parts of one step, in the order in which they are done (decision 14). Past the last step there is only `partition`. */
export type Part = 'partition' | 'hook' | 'pause';

/** The hook of the current step. `wanted`: to be created; `creating`: asked for, its name is not known yet. */
export interface StepHook {
  attempt: number;
  status: 'wanted' | 'creating' | 'running' | 'successful' | 'failed';
  hookRun?: string;
  /** Why it failed, one sentence. */
  message?: string;
}

/** A pause that the rollout itself began. `endsAtMs` absent: waits for a person. */
interface StepPause {
  reason: Extract<PauseReason, 'PausedByCanaryPauseStep' | 'PausedByStepBasedHook'>;
  startedAtMs: number;
  endsAtMs?: number;
}

/** A pause that a person ordered by message, or has to end; it lies above whatever the steps do. */
interface Hold {
  startedAtMs: number;
  /** Nobody ordered it: the run was lost. */
  isLoss?: true;
  by?: string;
  reason?: string;
}

/** Counts the time spent waiting for pods at one step (decision 17). Absent limit: never exceeded. */
interface ProgressClock {
  limitMs?: number;
  spentMs: number;
  runningSinceMs?: number;
  exceededAtMs?: number;
}

export interface RolloutStart {
  rulesVersion: number;
  /** Workload id as people type it, for sentences and commands. */
  workload: string;
  number: number;
  fromRevision: string;
  toRevision: string;
  /** Goes back to the stable revision: no steps, everything at once under the normal budget (decision 12). */
  rolledBack: boolean;
  steps: Step[];
  stepsHash: string;
  pausedByUser: boolean;
  resumeToken?: string;
  progressDeadlineSeconds?: number;
  /** The Temporal namespace of the run; absent: `default`. */
  temporalNamespace?: string;
  /** A rollout that lost its run: continue at this step, paused where it was (decision 18). */
  resumeAt?: ResumePoint;
}

export interface RolloutState {
  rulesVersion: number;
  workload: string;
  /** The Temporal namespace that commands have to name; absent where it is `default`, or a run of before began. */
  temporalNamespace?: string;
  number: number;
  fromRevision: string;
  toRevision: string;
  rolledBack: boolean;
  startedAtMs: number;
  /** Since when this attempt moves pods to the target; absent where its beginning was lost with the run before. */
  movesSinceMs?: number;
  steps: Step[];
  stepsHash: string;
  /** Equals the number of steps once all are done. */
  stepIndex: number;
  part: Part;
  /** When the current part was entered. */
  partSinceMs: number;

  allowance: Allowance;
  view: RolloutView;
  /** Number of the newest allowance; answers to older ones are about something else. */
  sequence: number;
  /** First number that carried the present allowance: later ones changed the view only. */
  allowanceSequence: number;
  sentSequence: number;
  /** Answer of the workload to the present allowance. */
  reached?: { partition: number };
  blocked?: { reason: string; message: string; sinceMs: number };
  /** The workload's workflow could not be told. */
  delivery?: { failures: number; retryAtMs: number };

  pause?: StepPause;
  hold?: Hold;
  /** Since when `spec.updateStrategy.paused` is true: that stops the pods (in the planner), not the clocks of the steps. */
  userPausedSinceMs?: number;
  /** When the last pause was ended: a second resume of the same moment opens nothing. */
  resumedAtMs?: number;
  consumedTokens: string[];

  hook?: StepHook;
  /** Attempts made per step index, over the whole rollout: each names a HookRun of its own. */
  hookAttempts: Record<string, number>;
  /** HookRuns that nobody waits for any more. */
  unwantedHookRuns: string[];
  /** A verdict that arrived before the name of its HookRun was known. */
  earlyVerdict?: { hookRun: string; phase: string; message?: string };
  /** Calls on their way; the rollout does not close and does not continue as new over them. */
  callsInFlight: number;
  /** Words of people that the workload has to hear: retry or skip of its failed gates. */
  forwards: { verb: 'retry' | 'skip'; message: HumanMessage }[];

  clock: ProgressClock;
  /** `because`: one clause, where a failed hook and no person did it. */
  aborted?: { atMs: number; because?: string };
  closed?: { outcome: Extract<RolloutPhase, 'Completed' | 'RolledBack' | 'Superseded' | 'Aborted'>; atMs: number };
  log: StepLogEntry[];
  /** What was ignored and why, newest last: shown in the current details. */
  notices: { atMs: number; text: string }[];
  /** Messages taken by this run; bounds the history. */
  messages: number;
}

/** A deep copy: the state is plain JSON by contract. */
export const copyState = (state: RolloutState): RolloutState => JSON.parse(JSON.stringify(state)) as RolloutState;

/** Undefined once all steps are done. */
export const currentStep = (state: RolloutState): Step | undefined => state.steps[state.stepIndex];

/** Paused by the rollout or by a message; a person's `paused: true` in the spec is not ours to say. */
export const isPaused = (state: RolloutState): boolean => state.hold !== undefined || state.pause !== undefined;

/** No step is carried on: a person holds it, or it is over. */
export const isHalted = (state: RolloutState): boolean =>
  state.hold !== undefined || state.aborted !== undefined || state.closed !== undefined;

/** What `holdfast.dev/resume` must hold to end the pause of this step (decision 7). */
export const resumeToken = (state: RolloutState): string => `${state.toRevision}/${state.stepIndex}`;

/** The field of the spec that keeps pods old. Runs of before name that of a GameDeployment to their end: what is shown is told. */
export const partitionPath = ({ rulesVersion, workload }: Pick<RolloutState, 'rulesVersion' | 'workload'>): string => {
  const isOfSet = rulesVersion >= 4 && workload.startsWith('gamestatefulset/');
  return `spec.updateStrategy.${isOfSet ? 'rollingUpdate.' : ''}partition`;
};

/** ISO 8601 without fractions, for people. */
export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
