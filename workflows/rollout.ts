/**
 * One rollout: the steps from one revision to another (design §4). All decisions stand in core/rollout; this is the loop
 * that carries them out. It must not decide anything, and must not await anything but what it carries out.
 */
import { CancellationScope, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import { begin } from '../core/rollout/begin.ts';
import { applyTick } from '../core/rollout/reports.ts';
import { RULES_VERSION } from '../core/rollout/state.ts';
import type { RolloutResult } from '../core/rollout/types.ts';
import { stepWait, type Wait, wants } from '../core/rollout/wants.ts';
import type { RolloutArgs } from './rollout-args.ts';
import { cancelHookRun, closeRollout, createHookRun, forwardWord, sendAllow } from './rollout-calls.ts';
import { RolloutDisplay } from './rollout-display.ts';
import { listen, type RolloutBox, turnCancelIntoAbort } from './rollout-inbox.ts';
import { StepTimer } from './step-timer.ts';

/** Well under the server's limits, so that a cold replay takes a second (design §4). */
const EVENTS_PER_RUN = 2_000;
const MESSAGES_PER_RUN = 1_000;

/** Workflow `<kind>/<namespace>/<name>/rollout`. Its result is the story of the rollout, readable without a worker. */
export async function rollout(args: RolloutArgs): Promise<RolloutResult> {
  // A plain error, so that the task is tried again until a worker comes that knows these rules.
  if (args.start.rulesVersion > RULES_VERSION) throw new Error(`rules ${args.start.rulesVersion} are not known here`);
  const temporalNamespace = workflowInfo().namespace;
  const box: RolloutBox = { state: args.carried ?? begin({ ...args.start, temporalNamespace }, Date.now()) };
  listen(box);
  turnCancelIntoAbort(box);
  return await CancellationScope.nonCancellable(() => carryOut(box, args));
}

async function carryOut(box: RolloutBox, args: RolloutArgs): Promise<RolloutResult> {
  const timers: Timers = { step: new StepTimer(), alarm: new StepTimer() };
  const display = new RolloutDisplay();
  for (;;) {
    if (isRunFull(box)) await continueAsNew<typeof rollout>({ ...args, carried: { ...box.state, messages: 0 } });
    box.state = applyTick(box.state, Date.now());
    display.show(box.state);
    timers.step.set(stepWait(box.state));
    const want = wants(box.state, Date.now());
    switch (want.act) {
      case 'allow':
        await sendAllow(box, args, want);
        break;
      case 'forward':
        await forwardWord(box, args, want);
        break;
      case 'create-hook-run':
        createHookRun(box, args, want);
        break;
      case 'cancel-hook-run':
        cancelHookRun(box, args, want);
        break;
      case 'wait':
        await waitFor(box, timers, want.alarm);
        break;
      case 'close':
        await closeRollout(args, want.result);
        return want.result;
    }
  }
}

interface Timers {
  /** Runs as long as the rollout stands where it stands: the bars of the Timeline. */
  step: StepTimer;
  alarm: StepTimer;
}

/** Until the state changes or a time has come. */
async function waitFor(box: RolloutBox, { step, alarm }: Timers, until: Wait | undefined): Promise<void> {
  const before = box.state;
  alarm.set(until);
  await condition(() => box.state !== before || step.isDue || alarm.isDue);
  alarm.cancel();
}

/** Never over a call in flight: its answer would be lost. */
function isRunFull({ state }: RolloutBox): boolean {
  if (state.callsInFlight > 0) return false;
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > EVENTS_PER_RUN || state.messages > MESSAGES_PER_RUN;
}
