/** The edge to Temporal of the hook activities: attempts, heartbeats, cancellation and the failure that means "later". */
import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { HookRunStatus } from '../../crds/hook-run.ts';
import { type ExpiryPorts, expireRun } from './expiry.ts';
import { type HookAttempt, type HookPorts, measureRun } from './measuring.ts';
import { notBehind } from './server-clock.ts';
import type { HookActivities } from './types.ts';

/** Type of the failure by which an attempt says that there is nothing to do for some time. It leaves no trace in the history. */
const WAITING_FAILURE = 'HookRunWaiting';

/** The activities of the task queue for hooks. */
export function createHookActivities(ports: HookPorts & ExpiryPorts): HookActivities {
  return {
    async measureHookRun(request) {
      const nowMs = notBehind(ports.nowMs, Context.current().info.currentAttemptScheduledTimestampMs);
      return outcomeOf(await measureRun({ ...ports, nowMs }, request, currentAttempt()));
    },
    async expireHookRun(request) {
      return outcomeOf(await expireRun(ports, request, Context.current().cancellationSignal));
    },
  };
}

type End<Outcome> = { state: 'ended'; outcome: Outcome } | { state: 'waiting'; againInMs: number; message: string };

/** @throws ApplicationFailure, benign, when the attempt is to be made again later. */
function outcomeOf<Outcome>(end: End<Outcome>): Outcome {
  if (end.state === 'ended') return end.outcome;
  throw ApplicationFailure.create({
    message: end.message,
    type: WAITING_FAILURE,
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: end.againInMs,
  });
}

function currentAttempt(): HookAttempt {
  const context = Context.current();
  return {
    signal: context.cancellationSignal,
    told: context.info.heartbeatDetails as HookRunStatus | undefined,
    tell: (status) => context.heartbeat(status),
  };
}
