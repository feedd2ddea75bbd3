/** What a rollout does to the world outside: tells the workload, creates and ends HookRuns, writes the closing summary. */
import { getExternalWorkflowHandle, log, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { RolloutActivities } from '../activities/rollout-types.ts';
import {
  applyCallEnded,
  applyCancelRequested,
  applyDelivered,
  applyForwarded,
  applyHookRequested,
  applyHookRun,
  applySent,
  applyUndelivered,
} from '../core/rollout/reports.ts';
import type { HumanMessage, RolloutResult } from '../core/rollout/types.ts';
import type { Want } from '../core/rollout/wants.ts';
import { BESIDE, doBeside } from './beside.ts';
import { workloadId } from './ids.ts';
import { allow, humanSignal } from './messages.ts';
import { MOVE_QUEUE } from './queues.ts';
import type { RolloutArgs } from './rollout-args.ts';
import type { RolloutBox } from './rollout-inbox.ts';
import { tellWorkflow } from './tell.ts';

/** Short writes: tried again until they succeed, because a rollout cannot go on without them. */
const OPTIONS = {
  taskQueue: MOVE_QUEUE,
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '30s' },
} as const;

const activities = proxyActivities<RolloutActivities>(OPTIONS);
const beside = proxyLocalActivities<Pick<RolloutActivities, 'closeRollout'>>(BESIDE);

/**
 * Not what follows from an update: that is in the history only when its workflow task is over, and the workload must not hear of it
 * before. Runs of before send all by the server.
 */
function tellsBeside(box: RolloutBox): boolean {
  const isOfUpdate = box.isAnswered === true;
  box.isAnswered = false;
  return box.state.rulesVersion >= 5 && !isOfUpdate;
}

type WantOf<A extends Want['act']> = Extract<Want, { act: A }>;

/** Sends the allowance; where nobody is there to take it, the state says when to try again. */
export async function sendAllow(box: RolloutBox, { key, uid }: RolloutArgs, want: WantOf<'allow'>): Promise<void> {
  const { sequence, allowance, view } = want;
  box.state = applySent(box.state, sequence);
  try {
    const word = { uid, number: box.state.number, sequence, allowance, view };
    await tellWorkflow(workloadId(key), allow, word, { isBeside: tellsBeside(box) });
    box.state = applyDelivered(box.state);
  } catch (error) {
    log.warn('the workload could not be told', { sequence, error: sentence(error) });
    box.state = applyUndelivered(box.state, Date.now());
  }
}

/** A person's word about gates; lost where the workload is not there, as its gates are then. */
export async function forwardWord(box: RolloutBox, { key }: RolloutArgs, want: WantOf<'forward'>): Promise<void> {
  box.state = applyForwarded(box.state);
  try {
    await getExternalWorkflowHandle(workloadId(key)).signal(humanSignal(want.verb), withoutStep(want.message));
  } catch (error) {
    log.warn(`the workload could not be told to ${want.verb}`, { error: sentence(error) });
  }
}

/** Returns at once: the rollout stays open to messages while the API is down. */
export function createHookRun(
  box: RolloutBox,
  { key, uid, start }: RolloutArgs,
  want: WantOf<'create-hook-run'>,
): void {
  const { stepIndex, attempt, stepsHash, template } = want;
  box.state = applyHookRequested(box.state);
  const summary = `step ${stepIndex}: hook ${template}, attempt ${attempt}`;
  void activities.createStepHookRun
    .executeWithOptions({ ...OPTIONS, summary }, [
      { key, uid, revision: start.toRevision, stepIndex, stepsHash, number: start.number, attempt },
    ])
    .catch((error: unknown) => ({ blocked: 'HookRunNotCreated', message: sentence(error) }))
    .then((answer) => {
      box.state = applyHookRun(box.state, { stepIndex, attempt }, answer, Date.now());
    });
}

/** Returns at once, as above. */
export function cancelHookRun(box: RolloutBox, { key }: RolloutArgs, { hookRun }: WantOf<'cancel-hook-run'>): void {
  box.state = applyCancelRequested(box.state, hookRun);
  void activities.cancelStepHookRun
    .executeWithOptions({ ...OPTIONS, summary: `terminate HookRun ${hookRun}` }, [
      { namespace: key.namespace, hookRun },
    ])
    .then(() => undefined)
    .catch((error: unknown) => `HookRun ${hookRun} could not be terminated: ${sentence(error)}`)
    .then((trouble) => {
      box.state = applyCallEnded(box.state, Date.now(), trouble);
    });
}

/** Writes the summary; the result stands in Temporal either way. */
export async function closeRollout({ key, uid, start }: RolloutArgs, result: RolloutResult): Promise<void> {
  const request = { key, uid, result };
  const summary = `close: ${result.outcome}`;
  const remote = () => activities.closeRollout.executeWithOptions({ ...OPTIONS, summary }, [request]);
  const local = () => beside.closeRollout.executeWithOptions({ ...BESIDE, summary }, [request]);
  try {
    await (start.rulesVersion >= 3 ? doBeside(local, remote) : remote());
  } catch (error) {
    log.warn('the summary of the rollout could not be kept', { error: sentence(error) });
  }
}

/** A workload has no steps. */
const withoutStep = ({ step: _, ...word }: HumanMessage): HumanMessage => word;

/** The innermost message: Temporal wraps what an activity threw. */
function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? sentence(error.cause) : error.message;
}
