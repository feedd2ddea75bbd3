/** What is shown of a rollout: phase, pause and one sentence that says what it waits for and what would end that. */
import { namedNamespace, signalText } from '../command-text.ts';
import { currentStep, isoSeconds, partitionPath, type RolloutState, resumeToken } from './state.ts';
import type { RolloutPhase, RolloutView } from './types.ts';

/** The view that travels with the allowance. Holds no clock reading: it changes only when the rollout does. */
export function viewOf(state: RolloutState): RolloutView {
  const pause = pauseOf(state);
  const blocked = deadlineOf(state);
  return {
    number: state.number,
    phase: phaseOf(state),
    stepIndex: state.stepIndex,
    stepCount: state.steps.length,
    stepsHash: state.stepsHash,
    ...namedNamespace(state.temporalNamespace),
    ...(state.movesSinceMs === undefined ? {} : { movesSinceMs: state.movesSinceMs }),
    ...(pause ? { pause } : {}),
    ...(state.hook?.hookRun ? { hookRun: state.hook.hookRun } : {}),
    ...(state.hook && state.hook.attempt > 1 ? { hookAttempt: state.hook.attempt } : {}),
    ...(blocked ? { blocked } : {}),
    ...(state.aborted?.because === undefined ? {} : { abortedBecause: state.aborted.because }),
    ...(state.consumedTokens.length > 0 ? { consumedResume: state.consumedTokens } : {}),
    message: sentenceOf(state),
  };
}

/** Paused covers all three ways of pausing (design §5). */
export function phaseOf(state: RolloutState): RolloutPhase {
  if (state.closed) return state.closed.outcome;
  if (state.aborted) return 'Aborted';
  return pauseOf(state) ? 'Paused' : 'Progressing';
}

/** The command that ends the present pause, as one types it. */
export const resumeCommand = ({ workload, temporalNamespace, stepIndex: step }: RolloutState): string =>
  signalText(`${workload}/rollout`, 'resume', { step, temporalNamespace });

/** The pause that a resume would act on first: a person's, the step's, the spec's. */
function pauseOf(state: RolloutState): RolloutView['pause'] {
  if (state.closed || state.aborted) return undefined;
  if (state.hold) {
    const reason = state.hold.isLoss ? 'PausedByLostRun' : 'PausedByUser';
    return { reason, startedAtMs: state.hold.startedAtMs };
  }
  if (state.pause) return { ...state.pause };
  if (state.userPausedSinceMs === undefined) return undefined;
  return { reason: 'PausedByUser', startedAtMs: state.userPausedSinceMs };
}

function deadlineOf(state: RolloutState): RolloutView['blocked'] {
  const { limitMs, exceededAtMs } = state.clock;
  if (limitMs === undefined || exceededAtMs === undefined || state.closed || state.aborted) return undefined;
  const message = `${where(state)} has waited longer than progressDeadlineSeconds ${limitMs / 1000} for its pods`;
  return { reason: 'ProgressDeadlineExceeded', message, sinceMs: exceededAtMs };
}

/** One sentence for status, details and timers. */
export function sentenceOf(state: RolloutState): string {
  if (state.closed) return closedSentence(state);
  if (state.aborted) return abortedSentence(state);
  if (state.hold) return holdSentence(state);
  if (state.pause) return pauseSentence(state, state.pause);
  const waits = waitSentence(state);
  if (state.userPausedSinceMs === undefined) return waits;
  return `${waits}; no pod is updated while spec.updateStrategy.paused is true`;
}

const where = (state: RolloutState) => (currentStep(state) ? `Step ${state.stepIndex}` : 'The last part');

/** A sentence within another one. Runs of before keep its full stop. */
const clauseOf = ({ rulesVersion }: RolloutState, sentence: string): string =>
  rulesVersion < 5 ? sentence : sentence.replace(/\.$/, '');

function closedSentence({ closed, toRevision }: RolloutState): string {
  if (closed?.outcome === 'Completed') return `All pods are at ${toRevision}`;
  return `The rollout to ${toRevision} is over: ${closed?.outcome}`;
}

function abortedSentence(state: RolloutState): string {
  const back = state.reached ? `all pods are back at ${state.fromRevision}` : `pods go back to ${state.fromRevision}`;
  const { because } = state.aborted ?? {};
  return `Aborted${because === undefined ? '' : ` because ${clauseOf(state, because)}`}: ${back}; it stays so until retry or a new template`;
}

function holdSentence(state: RolloutState): string {
  const { startedAtMs, by, reason, isLoss } = state.hold!;
  if (isLoss) {
    const since = `since its run was lost, found at ${isoSeconds(startedAtMs)}`;
    return `Held ${since}, until someone resumes step ${state.stepIndex}, which is then done anew; ${waysOut(state)}`;
  }
  const who = `Paused by ${by ?? 'a message'} at ${isoSeconds(startedAtMs)}${reason ? ` (${reason})` : ''}`;
  return `${who} while at step ${state.stepIndex}; ${waysOut(state)}`;
}

function pauseSentence(state: RolloutState, pause: NonNullable<RolloutState['pause']>): string {
  if (pause.reason === 'PausedByStepBasedHook') {
    const why = clauseOf(state, state.hook?.message ?? 'its hook did not succeed');
    return `Step ${state.stepIndex} is paused since ${isoSeconds(pause.startedAtMs)} because ${why}; retry runs the hook again, skip or resume passes it, abort goes back`;
  }
  if (pause.endsAtMs !== undefined) return `Step ${state.stepIndex} is paused until ${isoSeconds(pause.endsAtMs)}`;
  return `Step ${state.stepIndex} is paused since ${isoSeconds(pause.startedAtMs)} until someone resumes it; ${waysOut(state)}`;
}

function waysOut(state: RolloutState): string {
  return `resume with holdfast resume, with ${resumeCommand(state)}, or with the annotation holdfast.dev/resume: ${resumeToken(state)}`;
}

function waitSentence(state: RolloutState): string {
  const step = currentStep(state);
  if (!step) return finalSentence(state);
  const at = `Step ${state.stepIndex}`;
  if (state.part === 'hook') return `${at} waits for its hook ${step.hook?.templateName}${hookRunOf(state)}`;
  if (state.allowance.partition === '100%') return `${at} waits until all pods are steady at ${state.fromRevision}`;
  return `${at} moves pods to ${state.toRevision} until no more than ${state.allowance.partition} are at an older one`;
}

function finalSentence(state: RolloutState): string {
  if (state.reached && state.reached.partition > 0) return `Held by spec partition ${state.reached.partition}`;
  if (state.allowance.partition === 'spec')
    return `Moves pods to ${state.toRevision} as far as ${partitionPath(state)} allows`;
  return `Moves all pods to ${state.toRevision}`;
}

const hookRunOf = ({ hook }: RolloutState) => (hook?.hookRun ? ` (HookRun ${hook.hookRun})` : '');
