/** The workload's side of its rollout: starts it, tells it what was reached, what blocks, and what the spec says now. */
import { getExternalWorkflowHandle, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type {
  Observation,
  RolloutSpec,
  StartRolloutRequest,
  WorkloadActivities,
  WorkloadKey,
} from '../../activities/types.ts';
import type { ResumePoint, RolloutView } from '../../core/rollout/types.ts';
import type { RolloutChoice } from '../../core/workload/rollout-choice.ts';
import { notice, type RolloutLink, type WorkloadState } from '../../core/workload/state.ts';
import {
  type Asked,
  isAnswerDue,
  PASSES_WITHIN_MS,
  rememberSpec,
  takeNews,
  takeSpecNews,
} from '../../core/workload/telling.ts';
import { BESIDE, doBeside } from '../beside.ts';
import { rolloutId } from '../ids.ts';
import { blocked, reached, revise, supersede } from '../messages.ts';
import { WORKFLOW_QUEUE } from '../queues.ts';
import { tellWorkflow } from '../tell.ts';
import { isThrifty, looksBeside } from './patches.ts';

/** Waits for the run before it to close, so it may take a while; it heartbeats. */
const { startRollout } = proxyActivities<WorkloadActivities>({
  taskQueue: WORKFLOW_QUEUE,
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
});
const beside = proxyLocalActivities<Pick<WorkloadActivities, 'startRollout'>>(BESIDE);

/** Sends to the rollout; a run that is not there is looked for at the next resync. */
async function tell(key: WorkloadKey, state: WorkloadState, send: (id: string) => Promise<void>): Promise<void> {
  try {
    await send(rolloutId(key));
  } catch (error) {
    notice(state, `rollout ${rolloutId(key)} could not be told: ${error instanceof Error ? error.message : 'unknown'}`);
    state.isResync = true;
    state.isRung = true;
    // Whoever is there then has not heard it.
    forgetWhatWasTold(state);
  }
}

/** Starts the rollout that the choice asks for, or takes over the one that runs already. */
export async function beginRollout(
  key: WorkloadKey,
  state: WorkloadState,
  choice: RolloutChoice,
  observation: Observation,
): Promise<void> {
  const { recovered } = observation;
  const resumeAt = recovered === undefined || choice.rolledBack ? {} : { resumeAt: recovered };
  const request: StartRolloutRequest = {
    key,
    uid: state.uid,
    number: state.rollout === null ? firstNumber() : state.rollout.number + 1,
    ...choice,
    spec: observation.spec,
    ...resumeAt,
  };
  const summary = `start the rollout from ${choice.fromRevision} to ${choice.toRevision}`;
  // The link stands before the run is started: its first allowance may come before the activity's answer.
  state.rollout = linkTo(choice, request.number);
  const { number, isNew } = await startOpen(state, request, summary);
  const isLinked = state.rollout.number === number;
  if (!isLinked) state.rollout = linkTo(choice, number);
  forgetWhatWasTold(state);
  // A first word under another number was not heard: only what is told of the spec brings it again.
  if (isLinked && isNew === true) rememberSpec(state, observation.spec);
}

/** Runs of before did not know it, and missed a first word that came before the answer. */
const firstNumber = (): number => (isThrifty() ? 1 : 0);

/**
 * A run that has its result, and is open for us, was never heard to the end: this workload was reset, or nobody was there to
 * hear. The next number goes on in its place.
 */
async function startOpen(state: WorkloadState, request: StartRolloutRequest, summary: string) {
  const answer = await start(request, summary);
  if (!answer.isOver || state.rollout?.isOpen !== true) return answer;
  return await start({ ...request, number: answer.number + 1 }, summary);
}

/** Short but where a run before it has to close first. */
async function start(request: StartRolloutRequest, summary: string) {
  const remote = () => startRollout.executeWithOptions({ summary }, [request]);
  if (!isThrifty()) return await remote();
  return await doBeside(() => beside.startRollout.executeWithOptions({ summary }, [request]), remote);
}

/** Another run listens now: it is told of the spec again, and answers with its allowance. */
function forgetWhatWasTold(state: WorkloadState): void {
  state.told = { ...state.told, reached: '', blocked: '', spec: '' };
  delete state.told.lifted;
}

const linkTo = ({ fromRevision, toRevision, rolledBack }: RolloutChoice, number: number): RolloutLink => ({
  number,
  fromRevision,
  toRevision,
  rolledBack,
  isOpen: true,
  sequence: 0,
  allowance: null,
  view: null,
});

/** As the lost run last said, and paused in any case. */
function resumePointOf(view: RolloutView | null): ResumePoint {
  const { stepIndex = 0, phase, pause, hookRun, hookAttempt } = view ?? {};
  const pausedBy = pause?.reason ?? 'PausedByLostRun';
  const hook = pausedBy === 'PausedByStepBasedHook' ? { hookRun, hookAttempt } : {};
  return { stepIndex, paused: true, aborted: phase === 'Aborted', pausedBy, ...hook };
}

/** A run that somebody terminated is started again at its step, paused (decision 18). */
export async function reviveRollout(key: WorkloadKey, state: WorkloadState, spec: RolloutSpec): Promise<void> {
  const link = state.rollout;
  if (link === null || !link.isOpen) return;
  const { number, fromRevision, toRevision, rolledBack, view } = link;
  const resumeAt = resumePointOf(view);
  const summary = 'look whether the rollout runs';
  const request = { key, uid: state.uid, number, fromRevision, toRevision, rolledBack, spec, resumeAt };
  const answer = await startOpen(state, request, summary);
  if (state.rollout !== link || (!answer.restarted && answer.number === number)) return;
  state.rollout = linkTo(link, answer.number);
  forgetWhatWasTold(state);
}

/** Tells what the rollout must know of the spec, when it changes. */
export async function tellSpec(key: WorkloadKey, state: WorkloadState, { spec }: Observation): Promise<void> {
  const message = takeSpecNews(state, spec);
  if (message !== undefined) await tell(key, state, (id) => getExternalWorkflowHandle(id).signal(revise, message));
}

/**
 * Tells once per allowance and resolved partition that it is reached, and once per reason what blocks it. Answers whether the
 * rollout has a next word to say at once.
 */
export async function tellProgress(
  key: WorkloadKey,
  state: WorkloadState,
  asked: Asked,
  observation: Observation,
): Promise<boolean> {
  const isBeside = looksBeside();
  const news = takeNews(state, asked, observation, isBeside ? PASSES_WITHIN_MS : 0);
  const echo = { number: asked.number, sequence: asked.sequence, observedGeneration: observation.generation };
  const { reached: isReached, blocked: why } = news;
  if (isReached !== undefined)
    await tell(key, state, (id) => tellWorkflow(id, reached, { ...echo, ...isReached }, { isBeside }));
  if (why !== undefined)
    await tell(key, state, (id) => getExternalWorkflowHandle(id).signal(blocked, { ...echo, ...why }));
  return isReached !== undefined && isAnswerDue(state, asked, isReached.partition);
}

/** The object is gone or another one has its name: the rollout ends. */
export async function endRollout(key: WorkloadKey, state: WorkloadState): Promise<void> {
  const link = state.rollout;
  if (link === null || !link.isOpen) return;
  const message = { number: link.number + 1, revision: '', rolledBack: false };
  await tell(key, state, (id) => getExternalWorkflowHandle(id).signal(supersede, message));
}
