/** Messages that a workload takes. Handlers are synchronous: they change the state, the main loop acts on it. */
import {
  ApplicationFailure,
  log,
  setDefaultSignalHandler,
  setDefaultUpdateHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { HumanMessage } from '../../core/rollout/types.ts';
import { takeAllowance } from '../../core/workload/bookkeeping.ts';
import {
  GATE_VERBS,
  type GateVerb,
  refuseGateWord,
  refuseIdleWord,
  takeGateWord,
} from '../../core/workload/gate-words.ts';
import { notice, type WorkloadState } from '../../core/workload/state.ts';
import { isAllow, isWake, readHumanMessage } from '../message-shapes.ts';
import { allow, humanSignal, humanUpdate, wake } from '../messages.ts';
import { abortsHooks } from './patches.ts';

/** The state, and what stops a parked observation or a wave. */
export interface WorkloadBox {
  state: WorkloadState;
  /** Set while an observation is parked, or a wave is on its way. */
  interrupt?: () => void;
}

const DESCRIPTIONS: Record<GateVerb, string> = {
  retry: 'Asks failed hooks of pods again; {by?, reason?, pod?}',
  skip: 'Lets pods pass whose hooks failed; {by?, reason?, pod?}',
  abort: 'Ends hooks that run for pods: they count as failed until retry or skip; {by?, reason?, pod?}',
};

/** Sets all handlers; to be called before the first await. */
export function listen(box: WorkloadBox): void {
  setHandler(wake, (message: unknown) => ring(box, message), { description: 'Doorbell: look at the object again' });
  setHandler(allow, (message: unknown) => permit(box, message), {
    description: 'The rollout says how far pods may move',
  });
  for (const verb of GATE_VERBS) listenToPeople(box, verb);
  setDefaultSignalHandler((name) => note(box, `unknown signal ${name}: ${whatIsTaken()}`));
  setDefaultUpdateHandler((name) => {
    throw refused(`unknown update ${name}: ${whatIsTaken()}`);
  });
}

/** The words of a rollout are often sent to its workload by mistake. */
const whatIsTaken = (): string =>
  `this workflow takes ${GATE_VERBS.join(', ')} for hooks of pods; what is for its rollout goes to ${workflowInfo().workflowId}/rollout`;

function listenToPeople(box: WorkloadBox, verb: GateVerb): void {
  const description = DESCRIPTIONS[verb];
  setHandler(humanSignal(verb), (message) => signalled(box, verb, message), { description });
  setHandler(humanUpdate(verb), (message) => decide(box, verb, checked(box, verb, message)), {
    description,
    validator: (message?: HumanMessage) => {
      checked(box, verb, message);
      const idle = refuseIdleWord(box.state, verb);
      if (idle !== undefined) throw refused(idle);
    },
  });
}

/** The message, or one sentence that says why it is not taken. */
function judged({ state }: WorkloadBox, verb: GateVerb, message: unknown): HumanMessage | string {
  const read = readHumanMessage(message);
  return typeof read === 'string' ? read : (refuseGateWord(state, verb, read) ?? read);
}

/** @throws ApplicationFailure with the refusal; this is what the CLI of an update shows. */
function checked(box: WorkloadBox, verb: GateVerb, message: unknown): HumanMessage {
  const read = judged(box, verb, message);
  if (typeof read === 'string') throw refused(read);
  return read;
}

const refused = (sentence: string) =>
  ApplicationFailure.create({ message: sentence, type: 'Refused', nonRetryable: true });

function signalled(box: WorkloadBox, verb: GateVerb, message: unknown): void {
  const read = judged(box, verb, message);
  if (verb === 'abort' && !abortsHooks()) note(box, 'signal abort was not taken in that release');
  else if (typeof read === 'string') note(box, `signal ${verb} was refused: ${read}`);
  else decide(box, verb, read);
}

function decide(box: WorkloadBox, verb: GateVerb, message: HumanMessage): string {
  const answer = takeGateWord(box.state, verb, message, Date.now());
  stir(box);
  return answer;
}

function ring(box: WorkloadBox, message: unknown): void {
  box.state.signals += 1;
  box.state.isRung = true;
  if (!isWake(message) || message.reason !== 'resync') return;
  box.state.isResync = true;
  box.state.proof.isOutdated = true;
}

/** A new allowance stops the observation or the wave: both were made under the old one (design §3). */
function permit(box: WorkloadBox, message: unknown): void {
  box.state.signals += 1;
  if (!isAllow(message)) note(box, 'a malformed message allow was ignored');
  else if (takeAllowance(box.state, message, Date.now())) stir(box);
}

function stir(box: WorkloadBox): void {
  box.state.isRung = true;
  box.interrupt?.();
}

function note(box: WorkloadBox, text: string): void {
  log.warn(text);
  notice(box.state, text);
}
