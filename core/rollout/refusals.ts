/** Why a person's message cannot be done now: one sentence that also says what can be done. */
import { currentStep, isoSeconds, type RolloutState } from './state.ts';
import type { HumanMessage, HumanVerb } from './types.ts';
import { phaseOf, sentenceOf } from './view.ts';

/** The refusal of a verb, or undefined where it can be done. */
export function refuse(state: RolloutState, verb: HumanVerb, message: HumanMessage, nowMs: number): string | undefined {
  if (state.closed) return `The rollout is over (${phaseOf(state)}): the next one begins with another template`;
  if (message.step !== undefined && message.step !== state.stepIndex) return wrongStep(state, message.step);
  if (message.pod !== undefined) return refuseForPod(state, verb);
  if (state.aborted && verb !== 'retry')
    return 'The rollout is aborted: send retry to start it again at step 0, or change the template';
  return REFUSALS[verb](state, nowMs, message);
}

/** Hooks of pods are the workload's: it is told, whatever this rollout waits for. */
function refuseForPod({ workload }: RolloutState, verb: HumanVerb): string | undefined {
  if (verb === 'retry' || verb === 'skip') return undefined;
  const others = verb === 'abort' ? `; abort with a pod is for ${workload}` : '';
  return `Only retry and skip take a pod${others}`;
}

type Refusal = (state: RolloutState, nowMs: number, message: HumanMessage) => string | undefined;

/** Two people who say resume at once look at the same pause: their words may still arrive one after the other. */
const SAME_MOMENT_MS = 1_000;

const REFUSALS: Record<HumanVerb, Refusal> = {
  pause: (state) => {
    if (state.hold?.isLoss) return `Already held. ${sentenceOf(state)}`;
    if (state.hold) return `Already paused by a message since ${isoSeconds(state.hold.startedAtMs)}`;
    if (state.pause && state.pause.endsAtMs === undefined) return `Already paused. ${sentenceOf(state)}`;
    return undefined;
  },
  resume: (state, nowMs, { step }) => {
    const sinceMs = nowMs - (state.resumedAtMs ?? Number.NEGATIVE_INFINITY);
    // Who names the step cannot mean the pause behind it.
    if (sinceMs === 0 || (step === undefined && sinceMs < SAME_MOMENT_MS))
      return 'Another resume of the same moment was applied already';
    if (state.hold || state.pause) return undefined;
    if (state.userPausedSinceMs !== undefined)
      return 'The pause is in the spec: set spec.updateStrategy.paused to false';
    return `Nothing to resume. ${sentenceOf(state)}`;
  },
  skip: (state) => {
    if (state.part !== 'partition' || hasFailedGate(state)) return undefined;
    return `Nothing to skip: only a hook, a pause or a failed gate can be skipped. ${sentenceOf(state)}`;
  },
  retry: (state) => {
    if (state.aborted || state.hook?.status === 'failed') return undefined;
    if (state.part === 'partition' || hasFailedGate(state)) return undefined;
    return `Nothing to retry: only a failed hook, a failed gate or an aborted rollout can be retried. ${sentenceOf(state)}`;
  },
  abort: () => undefined,
  promote: (state) => {
    if (currentStep(state)) return undefined;
    return `No step is left to pass. ${sentenceOf(state)}`;
  },
};

/**
 * Failed gates of pods are the workload's: it told us of them. A person may have seen one before that, so while pods move a
 * `retry` goes on to the workload in any case: it harms nobody. A `skip` that comes late, meant for a pause that somebody else
 * has passed already, would let pods go whose hooks said no.
 */
const hasFailedGate = ({ blocked }: RolloutState) =>
  blocked?.reason === 'GateFailed' || blocked?.reason === 'PostInplaceHookFailed';

function wrongStep(state: RolloutState, step: number): string {
  const at = currentStep(state) ? `at step ${state.stepIndex}` : `past its last step (${state.stepIndex})`;
  return `The rollout is ${at}, not at step ${step}`;
}
