/**
 * Every message that a rollout takes. Handlers are synchronous and apply the step machine at once, so that an answer is
 * the truth. What cannot be done, or is not understood, is noted where people look; it never fails the run.
 */
import {
  ApplicationFailure,
  CancellationScope,
  log,
  setDefaultSignalHandler,
  setDefaultUpdateHandler,
  setHandler,
} from '@temporalio/workflow';
import { applyHuman, noteRefusal } from '../core/rollout/human.ts';
import { applyBlocked, applyFinished, applyReached, applySupersede } from '../core/rollout/reports.ts';
import { applyRevise } from '../core/rollout/revise.ts';
import type { RolloutState } from '../core/rollout/state.ts';
import { HUMAN_VERBS, type HumanMessage, type HumanVerb } from '../core/rollout/types.ts';
import { isBlocked, isFinished, isReached, isRevise, isSupersede, readHumanMessage } from './message-shapes.ts';
import { blocked, finished, humanSignal, humanUpdate, reached, revise, supersede } from './messages.ts';
import { reportOf, rolloutState } from './rollout-query.ts';

/** Holds the one state of a run; whoever changes it replaces it. */
export interface RolloutBox {
  state: RolloutState;
  /** An update has changed it, and no word has gone out since. */
  isAnswered?: boolean;
}

const DESCRIPTIONS: Record<HumanVerb, string> = {
  pause: 'Pauses the rollout where it is; {by?, reason?, step?}',
  resume: 'Ends the present pause; {by?, reason?, step?}, a step that is not the present one is refused',
  skip: 'Passes the hook or pause of the present step, or failed hooks of pods; {by?, reason?, step?, pod?}',
  retry:
    'Runs a failed hook or failed hooks of pods again, or starts an aborted rollout again; {by?, reason?, step?, pod?}',
  abort: 'Takes all pods back to the stable revision; {by?, reason?, step?}',
  promote: 'Passes all remaining steps; {by?, reason?, step?}',
};

const KNOWN_VERBS = HUMAN_VERBS.join(', ');

/** Sets all handlers; to be called before the first await. */
export function listen(box: RolloutBox): void {
  for (const verb of HUMAN_VERBS) listenToPeople(box, verb);
  listenToWorkflows(box);
  setHandler(rolloutState, () => reportOf(box.state), { description: 'View, steps and step log of the rollout' });
  setDefaultSignalHandler((name) => note(box, `unknown signal ${name}: this workflow takes ${KNOWN_VERBS}`));
  setDefaultUpdateHandler((name) => {
    throw refused(`unknown update ${name}: this workflow takes ${KNOWN_VERBS}`);
  });
}

/** `temporal workflow cancel` is an abort (decision 16): the run stays open for `retry`. */
export function turnCancelIntoAbort(box: RolloutBox): void {
  void CancellationScope.current().cancelRequested.catch(() =>
    signalled(box, 'abort', { by: 'temporal workflow cancel' }),
  );
}

function listenToPeople(box: RolloutBox, verb: HumanVerb): void {
  const description = DESCRIPTIONS[verb];
  setHandler(humanSignal(verb), (message) => signalled(box, verb, message), { description });
  setHandler(humanUpdate(verb), (message) => answered(box, verb, message), {
    description,
    validator: (message?: HumanMessage) => {
      ask(box, verb, message);
    },
  });
}

function listenToWorkflows(box: RolloutBox): void {
  setHandler(reached, (message: unknown) => take(box, 'reached', message, isReached, applyReached));
  setHandler(blocked, (message: unknown) => take(box, 'blocked', message, isBlocked, applyBlocked));
  setHandler(revise, (message: unknown) => take(box, 'revise', message, isRevise, applyRevise));
  setHandler(supersede, (message: unknown) => take(box, 'supersede', message, isSupersede, applySupersede));
  setHandler(finished, (message: unknown) => take(box, 'finished', message, isFinished, applyFinished));
}

/** A signal has no answer: a refusal goes to the log and the current details. */
function signalled(box: RolloutBox, verb: HumanVerb, message: unknown): void {
  try {
    box.state = ask(box, verb, message).state;
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    note(box, `signal ${verb} was refused: ${error.message}`);
  }
}

function answered(box: RolloutBox, verb: HumanVerb, message: unknown): string {
  const { state, answer } = ask(box, verb, message);
  box.state = state;
  box.isAnswered = true;
  return answer;
}

/** @throws ApplicationFailure with the refusal; this is what the CLI of an update shows. */
function ask(box: RolloutBox, verb: HumanVerb, message: unknown): { state: RolloutState; answer: string } {
  const read = readHumanMessage(message);
  if (typeof read === 'string') throw refused(read);
  const applied = applyHuman(box.state, verb, read, Date.now());
  if ('refusal' in applied) throw refused(applied.refusal);
  return applied;
}

const refused = (sentence: string) =>
  ApplicationFailure.create({ message: sentence, type: 'Refused', nonRetryable: true });

type Apply<T> = (state: RolloutState, message: T, nowMs: number) => RolloutState;

/** Applies what another workflow said; anything of another shape would block the run and is noted instead. */
function take<T>(
  box: RolloutBox,
  name: string,
  message: unknown,
  is: (value: unknown) => value is T,
  apply: Apply<T>,
): void {
  if (is(message)) box.state = apply(box.state, message, Date.now());
  else note(box, `a malformed message ${name} was ignored`);
}

function note(box: RolloutBox, text: string): void {
  log.warn(text);
  box.state = noteRefusal(box.state, text, Date.now());
}
