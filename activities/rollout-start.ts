/**
 * The activity `startRollout`: one rollout at a time, each with a number of its own. All steps may be repeated, by a retry
 * or by another process; who loses a race looks again.
 */
import type { Attempt } from './attempt.ts';
import type { StartedRollout, StartRolloutRequest, WorkloadKey } from './types.ts';

/** Kept in the memo of each run: it survives continue-as-new, and is read without a worker. */
export interface RolloutMemo {
  number: number;
  uid: string;
  toRevision: string;
}

/** The newest run of a workload's rollout id. */
export interface RolloutRun {
  runId: string;
  /** `lost`: terminated, failed or timed out; it left no result. */
  state: 'running' | 'completed' | 'lost';
  /** Absent on a run that somebody else started. */
  memo?: RolloutMemo;
}

/** What starting a rollout needs of Temporal. */
export interface RolloutRuns {
  /** null: there is no run that is still kept. */
  newest(key: WorkloadKey): Promise<RolloutRun | null>;
  /** A run that has ended meanwhile is left alone. */
  supersede(
    key: WorkloadKey,
    runId: string,
    message: { number: number; revision: string; rolledBack: boolean },
  ): Promise<void>;
  /** Returns when the run has ended, however. @throws the signal's reason. */
  waitForEnd(key: WorkloadKey, runId: string, signal: AbortSignal): Promise<void>;
  /** For a run that was superseded and does not end by itself. One that has ended is left alone. */
  terminate(key: WorkloadKey, runId: string, reason: string): Promise<void>;
  /** False: a run is running. */
  start(request: StartRolloutRequest): Promise<boolean>;
}

/** A superseded run closes within seconds; one whose worker or hooks are broken must not keep the workload waiting. */
const ENDS_WITHIN_MS = 30_000;

/** What to do about the run that is there. */
type Choice =
  | { act: 'keep'; number: number; isOver: boolean }
  | { act: 'supersede'; runId: string; number: number }
  | { act: 'start'; number: number; restarted: boolean };

/** @throws the signal's reason; errors of the Temporal client, and `isBeside` of a run that is over: to be tried again. */
export async function startRollout(
  runs: RolloutRuns,
  request: StartRolloutRequest,
  { signal, isBeside = false }: Attempt,
): Promise<StartedRollout> {
  const { key, toRevision: revision, rolledBack } = request;
  for (;;) {
    signal.throwIfAborted();
    const choice = choose(request, await runs.newest(key));
    if (isBeside && isOfEnded(choice))
      throw new Error(`rollout ${choice.number} is over, and its last word may be waiting for this task's end`);
    if (choice.act === 'keep') return { number: choice.number, restarted: false, isOver: choice.isOver, isNew: false };
    if (choice.act === 'start') {
      const { number, restarted } = choice;
      if (await runs.start({ ...request, number })) return { number, restarted, isOver: false, isNew: true };
    } else {
      await runs.supersede(key, choice.runId, { number: choice.number, revision, rolledBack });
      await endOf(runs, key, choice.runId, signal);
    }
  }
}

/**
 * A workload hears nothing while something runs beside it: that a run is over would be answered there before its last word is
 * heard, and a rollout that has ended well be taken for one that was never heard to its end. By the server the word comes first.
 */
const isOfEnded = (choice: Choice): boolean =>
  (choice.act === 'keep' && choice.isOver) || (choice.act === 'start' && choice.restarted);

async function endOf(runs: RolloutRuns, key: WorkloadKey, runId: string, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.timeout(ENDS_WITHIN_MS);
  try {
    await runs.waitForEnd(key, runId, AbortSignal.any([signal, patience]));
  } catch (error) {
    signal.throwIfAborted();
    if (!patience.aborted) throw error;
    await runs.terminate(key, runId, 'superseded, and did not end by itself');
  }
}

function choose(request: StartRolloutRequest, run: RolloutRun | null): Choice {
  const memo = run?.memo;
  const next = Math.max(request.number, (memo?.number ?? 0) + 1);
  if (run === null) return { act: 'start', number: Math.max(request.number, 1), restarted: false };
  if (memo !== undefined && isAnswer(request, run, memo)) return answerOf(run, memo);
  if (run.state === 'running') return { act: 'supersede', runId: run.runId, number: next };
  return { act: 'start', number: next, restarted: false };
}

/**
 * The run is the one that is asked for, or one that does the same. A run of another object under the same name never is, nor
 * one to another revision: a workload that was reset may count from where it once was.
 */
function isAnswer({ uid, number, toRevision }: StartRolloutRequest, { state }: RolloutRun, memo: RolloutMemo): boolean {
  if (memo.uid !== uid || memo.toRevision !== toRevision) return false;
  return memo.number === number || (memo.number > number && state === 'running');
}

/** A run without a result was lost: it is started again under its own number (decision 18). */
const answerOf = ({ state }: RolloutRun, { number }: RolloutMemo): Choice =>
  state === 'lost' ? { act: 'start', number, restarted: true } : { act: 'keep', number, isOver: state === 'completed' };
