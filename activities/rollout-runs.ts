/** The runs of a rollout's workflow id, as Temporal has them. The only place where activities talk to a Temporal client. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/common';
import { type Supersede, supersede } from '../workflows/messages.ts';
import { WORKFLOW_QUEUE } from '../workflows/queues.ts';
import { type RolloutArgs, rolloutSummary } from '../workflows/rollout-args.ts';

/** Kept in the memo of each run: it survives continue-as-new, and is read without a worker. */
export interface RolloutMemo {
  number: number;
  uid: string;
  toRevision: string;
}

/** The newest run of an id. */
export interface RolloutRun {
  runId: string;
  /** `lost`: terminated, failed or timed out; it left no result. */
  state: 'running' | 'completed' | 'lost';
  /** Absent on a run that somebody else started. */
  memo?: RolloutMemo;
}

/** What starting a rollout needs of Temporal. */
export interface RolloutRuns {
  /** null: the id has no run that is still kept. */
  newest(id: string): Promise<RolloutRun | null>;
  /** A run that has ended meanwhile is left alone. */
  supersede(id: string, runId: string, message: Supersede): Promise<void>;
  /** Returns when the run has ended, however. @throws the signal's reason. */
  waitForEnd(id: string, runId: string, signal: AbortSignal): Promise<void>;
  /** False: a run with this id is running. */
  start(id: string, args: RolloutArgs): Promise<boolean>;
}

export function createRolloutRuns({ workflow }: Pick<Client, 'workflow'>): RolloutRuns {
  return {
    async newest(id) {
      const description = await unlessGone(workflow.getHandle(id).describe());
      if (description === null) return null;
      const { runId, status, memo } = description;
      return { runId, state: stateOf(status.name), memo: memoOf(memo) };
    },
    async supersede(id, runId, message) {
      await unlessGone(workflow.getHandle(id, runId).signal(supersede, message));
    },
    async waitForEnd(id, runId, signal) {
      await endOf(workflow.getHandle(id, runId, { followRuns: false }), signal);
    },
    async start(id, args) {
      try {
        await workflow.start('rollout', startOptions(id, args));
        return true;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
        throw error;
      }
    },
  };
}

function startOptions(workflowId: string, args: RolloutArgs) {
  const { number, toRevision } = args.start;
  const memo: RolloutMemo = { number, uid: args.uid, toRevision };
  return {
    workflowId,
    taskQueue: WORKFLOW_QUEUE,
    args: [args],
    memo: { ...memo },
    workflowIdConflictPolicy: 'FAIL' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    staticSummary: rolloutSummary(args),
  };
}

function stateOf(status: string): RolloutRun['state'] {
  if (status === 'RUNNING') return 'running';
  return status === 'COMPLETED' ? 'completed' : 'lost';
}

function memoOf(memo: Record<string, unknown> | undefined): RolloutMemo | undefined {
  const { number, uid, toRevision } = memo ?? {};
  const isOurs = typeof number === 'number' && typeof uid === 'string' && typeof toRevision === 'string';
  return isOurs ? { number, uid, toRevision } : undefined;
}

async function unlessGone<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** How it ended is not asked: a failed run has ended, too. What cannot be reached is found by the next look. */
async function endOf(handle: WorkflowHandle, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([handle.result().catch(() => undefined), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
