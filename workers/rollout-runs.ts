/** The runs of a rollout's workflow id, as Temporal has them: what the activity `startRollout` is given. Decides nothing. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/common';
import type { RolloutMemo, RolloutRun, RolloutRuns } from '../activities/rollout-start.ts';
import { rolloutId } from '../workflows/ids.ts';
import { supersede } from '../workflows/messages.ts';
import { WORKFLOW_QUEUE } from '../workflows/queues.ts';
import { type RolloutArgs, rolloutArgs, rolloutSummary } from '../workflows/rollout-args.ts';

export function createRolloutRuns({ workflow }: Pick<Client, 'workflow'>): RolloutRuns {
  return {
    async newest(key) {
      const description = await unlessGone(workflow.getHandle(rolloutId(key)).describe());
      if (description === null) return null;
      const { runId, status, memo } = description;
      return { runId, state: stateOf(status.name), memo: memoOf(memo) };
    },
    async supersede(key, runId, message) {
      await unlessGone(workflow.getHandle(rolloutId(key), runId).signal(supersede, message));
    },
    async waitForEnd(key, runId, signal) {
      await endOf(workflow, workflow.getHandle(rolloutId(key), runId, { followRuns: false }), signal);
    },
    async terminate(key, runId, reason) {
      await unlessGone(workflow.getHandle(rolloutId(key), runId).terminate(reason));
    },
    async start(request) {
      try {
        await workflow.start('rollout', startOptions(rolloutArgs(request)));
        return true;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
        throw error;
      }
    },
  };
}

function startOptions(args: RolloutArgs) {
  const { number, toRevision } = args.start;
  const memo: RolloutMemo = { number, uid: args.uid, toRevision };
  return {
    workflowId: rolloutId(args.key),
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
async function endOf(workflow: Client['workflow'], handle: WorkflowHandle, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await workflow.withAbortSignal(signal, () => handle.result()).catch(() => undefined);
  signal.throwIfAborted();
}
