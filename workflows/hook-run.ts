/**
 * One HookRun from its first measurement to its verdict, and to its deletion where it has a time for that: a single activity
 * measures, writes the object's status and resumes from it. The workflow decides only whether to look again, shows how far it is,
 * and tells a rollout that waits for the step.
 */
import {
  CancellationScope,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  HookActivities,
  HookRunGone,
  HookRunOutcome,
  HookRunProgress,
  HookRunVerdict,
  ShownProgress,
} from '../activities/hooks/types.ts';
import { describeGone, describeMeasuring, describeVerdict } from './hook-run-details.ts';
import type { HookRunInput } from './hook-run-start.ts';
import { type ObjectKey, rolloutId } from './ids.ts';
import { type Finished, finished, type Wake, wake } from './messages.ts';
import { HOOK_QUEUE } from './queues.ts';

/** An attempt lasts half an hour at most, for slow measurements beside others; a dead worker is noticed by its heartbeat. */
const OPTIONS = {
  taskQueue: HOOK_QUEUE,
  startToCloseTimeout: '35m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
} as const;

/** It has no heartbeat: between its short attempts it is nowhere. */
const EXPIRY_OPTIONS = { ...OPTIONS, startToCloseTimeout: '1m', heartbeatTimeout: undefined } as const;

/** Bells, and news to show, are what makes this history grow. */
const MAX_HISTORY_EVENTS = 2_000;

const { measureHookRun } = proxyActivities<HookActivities>(OPTIONS);
const { expireHookRun } = proxyActivities<HookActivities>(EXPIRY_OPTIONS);

/** Answers with the verdict; `Gone` where the object was deleted before it had one. */
export async function hookRun(input: HookRunInput): Promise<HookRunGone | HookRunVerdict> {
  const box = new HookRunBox(input);
  setHandler(wake, (bell) => box.ring(bell), { description: 'The HookRun changed: look at it again.' });
  setCurrentDetails(describeMeasuring(input));
  for (;;) {
    if (box.next !== undefined) await continueAsNew<typeof hookRun>(box.next);
    const outcome = await box.measure();
    if (outcome === undefined) continue;
    if (outcome.phase === 'Running') box.show(outcome);
    else if (outcome.phase === 'Gone') {
      await goOnWithAnother(input, outcome);
      if (box.verdict === undefined) await tellStepGone(input, 'it was deleted before it had a verdict');
      setCurrentDetails(describeGone(input));
      if (!box.hasNews) return box.verdict ?? outcome;
    } else {
      await tellRollout(input, outcome);
      setCurrentDetails(describeVerdict(input, outcome));
      box.verdict = outcome;
      if (!box.hasNews && outcome.deleteAt !== undefined) await expire(input, box);
      if (!box.hasNews) return outcome;
    }
  }
}

async function expire(input: HookRunInput, box: HookRunBox): Promise<void> {
  const end = await box.expire();
  if (end?.phase === 'Gone') await goOnWithAnother(input, end);
}

/** Another object under the name of this one is the next run of this workflow. */
async function goOnWithAnother(input: HookRunInput, { liveUid }: HookRunGone): Promise<void> {
  if (liveUid !== undefined) await continueAsNew<typeof hookRun>({ ...input, uid: liveUid, generation: undefined });
}

/** The state of one run: what was seen of the object, and the measuring that goes on. */
class HookRunBox {
  readonly #input: HookRunInput;
  readonly #maxLength: number;
  #generation: number;
  #scope: CancellationScope | undefined;
  #shown: ShownProgress = { state: '', untilMs: 0 };
  verdict: HookRunVerdict | undefined;
  /** A bell that the measuring has not seen. */
  hasNews = false;
  /** Set when the history has grown long: the next run goes on from the object. */
  next: HookRunInput | undefined;

  constructor(input: HookRunInput) {
    this.#input = input;
    this.#maxLength = input.maxHistoryEvents ?? MAX_HISTORY_EVENTS;
    this.#generation = input.generation ?? 1;
  }

  /** A changed, deleted or other object ends the measuring, which then looks again; every other bell is nothing new. */
  ring(bell: Wake): void {
    const { uid } = this.#input;
    if (typeof bell?.uid !== 'string') return;
    const generation = bell.uid === uid ? (bell.generation ?? 0) : 0;
    const isNews = bell.uid !== uid || generation > this.#generation || bell.reason === 'deleted';
    this.#generation = Math.max(this.#generation, generation);
    const length = this.#lookAtLength();
    // A measuring that is cut short makes again what it has not written: only for news, or where bells alone would not end.
    if (!isNews && length <= 2 * this.#maxLength) return;
    this.hasNews = true;
    this.#scope?.cancel();
  }

  /** What the details show, and what the next measuring need not tell again. */
  show({ metrics, shown }: HookRunProgress): void {
    this.#shown = shown;
    setCurrentDetails(describeMeasuring(this.#input, metrics));
    this.#lookAtLength();
  }

  /** How long the history is; too long, and the next run goes on once the measuring has come to an end of its own. */
  #lookAtLength(): number {
    const { historyLength } = workflowInfo();
    if (historyLength > this.#maxLength) this.next = { ...this.#input, generation: this.#generation };
    return historyLength;
  }

  measure(): Promise<HookRunOutcome | undefined> {
    const { namespace, name, uid } = this.#input;
    const request = { namespace, name, uid, shown: this.#shown };
    const summary = `measure HookRun ${name}`;
    return this.#untilNews(() => measureHookRun.executeWithOptions({ ...OPTIONS, summary }, [request]));
  }

  expire(): Promise<HookRunGone | { phase: 'Kept' } | undefined> {
    const { namespace, name, uid } = this.#input;
    const summary = `delete HookRun ${name} when its time has come`;
    const options = { ...EXPIRY_OPTIONS, summary };
    return this.#untilNews(() => expireHookRun.executeWithOptions(options, [{ namespace, name, uid }]));
  }

  /** undefined when a bell ended it: there is something new to look at. */
  async #untilNews<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    const scope = new CancellationScope();
    this.#scope = scope;
    this.hasNews = false;
    try {
      return await scope.run(work);
    } catch (error) {
      if (isCancellation(error) && scope.consideredCancelled && !CancellationScope.current().consideredCancelled) {
        return undefined;
      }
      throw error;
    } finally {
      this.#scope = undefined;
    }
  }
}

/** Only a rollout's hook step waits for the message; gates read the HookRun's status. */
async function tellRollout(input: HookRunInput, verdict: HookRunVerdict): Promise<void> {
  const { type, name, phase, message, workload } = verdict;
  if (type !== 'canary-step' || workload === undefined) await tellStepGone(input, 'another HookRun has its name now');
  else await tell({ ...workload, namespace: input.namespace }, { hookRun: name, phase, message });
}

/** The run that a step waits for will have no verdict: without this word its rollout would wait for ever. */
async function tellStepGone({ namespace, name, step }: HookRunInput, message: string): Promise<void> {
  if (step !== undefined) await tell({ ...step, namespace }, { hookRun: name, phase: 'Gone', message });
}

async function tell(workload: ObjectKey, news: Finished): Promise<void> {
  try {
    await getExternalWorkflowHandle(rolloutId(workload)).signal(finished, news);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.info('no rollout waits for this hook run', { hookRun: news.hookRun });
  }
}
