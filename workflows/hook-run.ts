/**
 * One HookRun from its first measurement to its verdict: a single activity measures, writes the object's status and
 * resumes from it. The workflow decides only whether to look again, and tells a rollout that waits for the step.
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
import type { HookActivities, HookRunOutcome, HookRunVerdict } from '../activities/hooks/types.ts';
import type { HookRunInput } from './hook-run-start.ts';
import { rolloutId } from './ids.ts';
import { finished, type Wake, wake } from './messages.ts';
import { HOOK_QUEUE } from './queues.ts';

/** A measurement may take the 600 s that a provider is allowed; a dead worker is noticed by its heartbeat. */
const OPTIONS = {
  taskQueue: HOOK_QUEUE,
  startToCloseTimeout: '15m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
} as const;

/** Bells are the only thing that makes this history grow. */
const MAX_HISTORY_EVENTS = 2_000;

const { measureHookRun } = proxyActivities<HookActivities>(OPTIONS);

export async function hookRun(input: HookRunInput): Promise<HookRunOutcome> {
  const box = new HookRunBox(input);
  setHandler(wake, (bell) => box.ring(bell), { description: 'The HookRun changed: look at it again.' });
  setCurrentDetails(describeWaiting(input));
  for (;;) {
    const outcome = await box.measure();
    if (box.next !== undefined) await continueAsNew<typeof hookRun>(box.next);
    if (outcome === undefined) continue;
    if (outcome.phase === 'Gone') {
      const { liveUid } = outcome;
      if (liveUid !== undefined) await continueAsNew<typeof hookRun>({ ...input, uid: liveUid, generation: undefined });
    } else await tellRollout(input.namespace, outcome);
    setCurrentDetails(describeOutcome(input, outcome));
    if (!box.hasNews) return outcome;
  }
}

/** The state of one run: what was seen of the object, and the measuring that goes on. */
class HookRunBox {
  readonly #input: HookRunInput;
  #generation: number;
  #scope: CancellationScope | undefined;
  /** A bell that the measuring has not seen. */
  hasNews = false;
  /** Set when the history has grown long: the next run goes on from the object. */
  next: HookRunInput | undefined;

  constructor(input: HookRunInput) {
    this.#input = input;
    this.#generation = input.generation ?? 1;
  }

  /** A changed, deleted or other object ends the measuring, which then looks again; every other bell is nothing new. */
  ring(bell: Wake): void {
    const { uid } = this.#input;
    if (typeof bell?.uid !== 'string') return;
    const generation = bell.uid === uid ? (bell.generation ?? 0) : 0;
    const isNews = bell.uid !== uid || generation > this.#generation || bell.reason === 'deleted';
    this.#generation = Math.max(this.#generation, generation);
    if (workflowInfo().historyLength > MAX_HISTORY_EVENTS) this.next = { ...this.#input, generation: this.#generation };
    else if (!isNews) return;
    this.hasNews = true;
    this.#scope?.cancel();
  }

  /** undefined when a bell ended it: there is something new to look at. */
  async measure(): Promise<HookRunOutcome | undefined> {
    const { namespace, name, uid } = this.#input;
    const scope = new CancellationScope();
    this.#scope = scope;
    this.hasNews = false;
    try {
      return await scope.run(() =>
        measureHookRun.executeWithOptions({ ...OPTIONS, summary: `measure HookRun ${name}` }, [
          { namespace, name, uid },
        ]),
      );
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
async function tellRollout(namespace: string, { type, name, phase, message, workload }: HookRunVerdict): Promise<void> {
  if (type !== 'canary-step' || workload === undefined) return;
  try {
    const rollout = getExternalWorkflowHandle(rolloutId({ ...workload, namespace }));
    await rollout.signal(finished, { hookRun: name, phase, message });
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.info('no rollout waits for this hook run', { hookRun: name });
  }
}

function describeWaiting({ namespace, name }: HookRunInput): string {
  return [
    `Measuring HookRun \`${namespace}/${name}\`. Its measurements: \`kubectl get hookrun -n ${namespace} ${name} -o yaml\``,
    `End it without a success: \`kubectl patch hookrun -n ${namespace} ${name} --type merge -p '{"spec":{"terminate":true}}'\``,
  ].join('\n\n');
}

function describeOutcome({ namespace, name }: HookRunInput, outcome: HookRunOutcome): string {
  if (outcome.phase === 'Gone') return `HookRun \`${namespace}/${name}\` was deleted.`;
  const { phase, message } = outcome;
  return `HookRun \`${namespace}/${name}\`: **${phase}**${message === '' ? '' : `, ${message}`}`;
}
