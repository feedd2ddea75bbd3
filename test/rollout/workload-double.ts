/** A workload that obeys at once and moves no pod: the other side of a rollout in tests. Bundled beside the real rollout. */
import { condition, defineQuery, defineSignal, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import type { HumanMessage, HumanVerb } from '../../core/rollout/types.ts';
import type { Allow } from '../../workflows/messages.ts';
import { allow, humanSignal, reached } from '../../workflows/messages.ts';

export { rollout } from '../../workflows/rollout.ts';

export interface DoubleArgs {
  rolloutId: string;
  /** What `partition: 'spec'` and percentages resolve to. */
  specPartition: number;
}

/** A person's word that the rollout passed on. */
type Word = HumanMessage & { verb: HumanVerb };

export const heardQuery = defineQuery<{ allows: Allow[]; words: Word[] }>('heard');
/** Sets the partition of the spec, as an edit would. */
export const editSignal = defineSignal<[number]>('edit');
export const leaveSignal = defineSignal('leave');

export async function workloadDouble({ rolloutId, specPartition }: DoubleArgs): Promise<void> {
  const allows: Allow[] = [];
  const words: Word[] = [];
  let partition = specPartition;
  let answered = '';
  let isOver = false;
  const question = () => `${allows.at(-1)?.sequence ?? ''}/${partition}`;
  setHandler(allow, (message) => void allows.push(message));
  for (const verb of ['retry', 'skip'] as const)
    setHandler(humanSignal(verb), (message) => void words.push({ verb, ...message }));
  setHandler(editSignal, (value) => {
    partition = value;
  });
  setHandler(leaveSignal, () => {
    isOver = true;
  });
  setHandler(heardQuery, () => ({ allows, words }));
  for (;;) {
    await condition(() => isOver || (allows.length > 0 && question() !== answered));
    if (isOver) return;
    answered = question();
    await answer(rolloutId, allows.at(-1)!, partition);
  }
}

/** A rollout that has closed meanwhile needs no answer. */
async function answer(rolloutId: string, { number, sequence, allowance }: Allow, specPartition: number): Promise<void> {
  const partition = typeof allowance.partition === 'number' ? allowance.partition : specPartition;
  const counts = {
    ...{ replicas: 5, ready: 5, available: 5, updated: 0, updatedReady: 0, updatedAvailable: 0 },
    ...{ waiting: 0, updating: 0, unavailable: 0, perRevision: {} },
  };
  const message = { number, sequence, observedGeneration: 1, partition, counts };
  await getExternalWorkflowHandle(rolloutId)
    .signal(reached, message)
    .catch(() => undefined);
}
