/** Messages that a workload takes. Handlers are synchronous: they change the state, the main loop acts on it. */
import { ApplicationFailure, log, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { HumanMessage } from '../../core/rollout/types.ts';
import { takeAllowance } from '../../core/workload/bookkeeping.ts';
import { notice, type WorkloadState } from '../../core/workload/state.ts';
import { isAllow, isWake, readHumanMessage } from '../message-shapes.ts';
import { allow, humanSignal, humanUpdate, wake } from '../messages.ts';

/** The state, and what stops a parked observation or a wave. */
export interface WorkloadBox {
  state: WorkloadState;
  /** Set while an observation is parked, or a wave is on its way. */
  interrupt?: () => void;
}

type GateVerb = 'retry' | 'skip';

const DESCRIPTIONS: Record<GateVerb, string> = {
  retry: 'Asks failed gates of pods again; {by?, reason?}',
  skip: 'Lets pods with failed gates pass; {by?, reason?}',
};

/** Sets all handlers; to be called before the first await. */
export function listen(box: WorkloadBox): void {
  setHandler(wake, (message: unknown) => ring(box, message), { description: 'Doorbell: look at the object again' });
  setHandler(allow, (message: unknown) => permit(box, message), {
    description: 'The rollout says how far pods may move',
  });
  listenToPeople(box, 'retry');
  listenToPeople(box, 'skip');
  setDefaultSignalHandler((name) => note(box, `unknown signal ${name}: this workflow takes retry and skip`));
}

function listenToPeople(box: WorkloadBox, verb: GateVerb): void {
  const description = DESCRIPTIONS[verb];
  setHandler(humanSignal(verb), (message) => signalled(box, verb, message), { description });
  setHandler(humanUpdate(verb), (message) => decide(box, verb, checked(message)), {
    description,
    validator: (message?: HumanMessage) => {
      checked(message);
    },
  });
}

function checked(message: unknown): HumanMessage {
  const read = readHumanMessage(message);
  if (typeof read !== 'string') return read;
  throw ApplicationFailure.create({ message: read, type: 'Refused', nonRetryable: true });
}

function signalled(box: WorkloadBox, verb: GateVerb, message: unknown): void {
  const read = readHumanMessage(message);
  if (typeof read === 'string') note(box, `signal ${verb} was refused: ${read}`);
  else decide(box, verb, read);
}

/** Runs that failed until now are asked again, or count as passed. */
function decide(box: WorkloadBox, verb: GateVerb, { by, reason }: HumanMessage): string {
  const { state } = box;
  const nowMs = Date.now();
  if (verb === 'retry') state.gates = { ...state.gates, retriedAtMs: nowMs };
  else state.gates = { ...state.gates, skippedAtMs: nowMs };
  const who = `${by === undefined ? '' : ` by ${by}`}${reason === undefined ? '' : ` (${reason})`}`;
  const answer = verb === 'retry' ? 'failed gates are asked again' : 'failed gates are passed';
  notice(state, `${verb}${who}: ${answer}`);
  stir(box);
  return answer;
}

function ring(box: WorkloadBox, message: unknown): void {
  box.state.signals += 1;
  box.state.isRung = true;
  if (isWake(message) && message.reason === 'resync') box.state.isResync = true;
}

/** A new allowance stops the observation or the wave: both were made under the old one (design §3). */
function permit(box: WorkloadBox, message: unknown): void {
  box.state.signals += 1;
  if (!isAllow(message)) note(box, 'a malformed message allow was ignored');
  else if (takeAllowance(box.state, message)) stir(box);
}

function stir(box: WorkloadBox): void {
  box.state.isRung = true;
  box.interrupt?.();
}

function note(box: WorkloadBox, text: string): void {
  log.warn(text);
  notice(box.state, text);
}
