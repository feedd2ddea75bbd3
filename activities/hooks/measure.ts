/** The edge to Temporal of the hook activities: attempt, heartbeats, cancellation and the failure that means "later". */
import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { HookRunStatus } from '../../crds/hook-run.ts';
import { type HookAttempt, type HookPorts, measureRun } from './measuring.ts';
import type { HookActivities } from './types.ts';

/** Type of the failure by which an attempt says that the next measurement is some time away. */
const WAITING_FAILURE = 'HookRunWaiting';

/** The activities of the task queue for hooks. */
export function createHookActivities(ports: HookPorts): HookActivities {
  return {
    async measureHookRun(request) {
      const end = await measureRun(ports, request, currentAttempt());
      if (end.state === 'ended') return end.outcome;
      throw ApplicationFailure.create({
        message: end.message,
        type: WAITING_FAILURE,
        category: ApplicationFailureCategory.BENIGN,
        nextRetryDelay: end.againInMs,
      });
    },
  };
}

function currentAttempt(): HookAttempt {
  const context = Context.current();
  return {
    signal: context.cancellationSignal,
    told: context.info.heartbeatDetails as HookRunStatus | undefined,
    tell: (status) => context.heartbeat(status),
  };
}
