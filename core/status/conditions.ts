/** The conditions of a game workload: the table of decision 44, one function per row. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Condition, ConditionStatus } from '../../crds/kubernetes.ts';
import { isGameStatefulSet } from '../kinds.ts';
import type { Blocker } from '../plan/types.ts';
import type { Finding, Outlook } from './outlook.ts';
import { signalCommand } from './resume.ts';
import { sentence, timestamp } from './sentence.ts';

interface Verdict extends Finding {
  status: ConditionStatus;
}

const DEGRADING: Blocker['reason'][] = [
  'GateFailed',
  'PostInplaceHookFailed',
  'HookTemplateMissing',
  'HookArgumentUnresolved',
  'InPlaceNotPossible',
  'FailedScale',
];
/** What nothing but a person ends, once the plan is blocked by it. */
const NEEDS_PERSON: Blocker['reason'][] = [
  'GateFailed',
  'PostInplaceHookFailed',
  'HookTemplateMissing',
  'HookArgumentUnresolved',
  'RevisionMissing',
  'FailedScale',
];

/** A change that cannot be made in place is recreated, unless the spec says that it must fail (decision 27). */
function needsPerson({ workload }: Outlook, { reason }: Blocker): boolean {
  const fallback = workload.spec.updateStrategy?.inPlaceUpdateStrategy?.fallback;
  return NEEDS_PERSON.includes(reason) || (reason === 'InPlaceNotPossible' && fallback === 'Fail');
}

/** All conditions of now. Times of conditions whose status did not change are taken over from `previous`. */
export function conditionsOf(outlook: Outlook, previous: Condition[], generation: number, nowMs: number): Condition[] {
  const verdicts: [string, Verdict | null][] = [
    ['Ready', readyOf(outlook)],
    ['Available', availableOf(outlook)],
    ['Progressing', progressingOf(outlook)],
    ['Paused', pausedOf(outlook)],
    ['Degraded', degradedOf(outlook)],
    ['Stalled', stalledOf(outlook)],
  ];
  return verdicts.flatMap(([type, verdict]) =>
    verdict === null ? [] : [toCondition(type, verdict, previous, generation, nowMs)],
  );
}

/** One condition, with the time of its last transition kept where its status is the same. */
export function toCondition(
  type: string,
  { status, reason, message }: Verdict,
  previous: Condition[],
  generation: number,
  nowMs: number,
): Condition {
  const before = previous.find((condition) => condition.type === type);
  const since = before?.status === status ? before.lastTransitionTime : undefined;
  return {
    type,
    status,
    reason,
    message: sentence(message),
    lastTransitionTime: since ?? timestamp(nowMs),
    observedGeneration: generation,
  };
}

/** What keeps the workload from being ready; null if nothing does. The first that a person would have to deal with. */
function holdOf(outlook: Outlook): Finding | null {
  const { plan, isOpen, pause, blockers, isHeldByPartition } = outlook;
  const stop = outlook.notImplemented ?? outlook.invalid ?? outlook.suspended ?? abortedOf(outlook);
  if (stop !== null) return stop;
  if (isOpen && pause !== null) return pause;
  const worst = blockers.find((blocker) => needsPerson(outlook, blocker)) ?? blockers[0];
  if (worst !== undefined) return worst;
  if (isHeldByPartition) return partitionReached(outlook);
  if (isOpen) return rolloutInProgress(outlook);
  if (plan.counts.available === plan.resolved.replicas && plan.counts.replicas === plan.resolved.replicas) return null;
  return { reason: 'PodsNotReady', message: availability(outlook) };
}

function readyOf(outlook: Outlook): Verdict {
  const hold = holdOf(outlook);
  if (hold !== null) return { status: 'False', ...hold };
  const message = `${allAvailable(outlook.plan.resolved.replicas)} and no rollout is open`;
  return { status: 'True', reason: 'AllPodsAvailable', message };
}

const allAvailable = (replicas: number): string =>
  replicas === 0
    ? 'No pods are asked for'
    : replicas === 1
      ? 'The pod is available'
      : `All ${replicas} pods are available`;

function availableOf(outlook: Outlook): Verdict {
  const { counts, resolved } = outlook.plan;
  const isEnough = counts.available >= resolved.replicas - resolved.maxUnavailable;
  return {
    status: isEnough ? 'True' : 'False',
    reason: isEnough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `${availability(outlook)}, and at most ${resolved.maxUnavailable} may be unavailable`,
  };
}

const availability = ({ plan: { counts, resolved } }: Outlook): string =>
  `${counts.available} of ${resolved.replicas} pods are available`;

function progressingOf(outlook: Outlook): Verdict {
  const failed = outlook.invalid ?? abortedOf(outlook) ?? outlook.deadline ?? createFailed(outlook);
  if (failed !== null) return { status: 'False', reason: failed.reason, message: failed.message };
  if (!outlook.isOpen) return { status: 'True', ...rolloutCompleted(outlook) };
  const hold = outlook.pause ?? outlook.suspended;
  if (hold !== null) return { status: 'Unknown', reason: 'RolloutPaused', message: hold.message };
  return { status: 'True', ...(outlook.isHeldByPartition ? partitionReached(outlook) : rolloutInProgress(outlook)) };
}

const createFailed = ({ blockers }: Outlook): Finding | null =>
  blockers.find(({ reason }) => reason === 'PodCreateFailed') ?? null;

function abortedOf({ isAborted, workload, updateRevision, view }: Outlook): Finding | null {
  if (!isAborted) return null;
  const why = view?.abortedBecause === undefined ? '' : ` because ${view.abortedBecause}`;
  const retry = signalCommand(workload, 'retry', { temporalNamespace: view?.temporalNamespace });
  return {
    reason: 'RolloutAborted',
    message: `The rollout to ${updateRevision} was aborted${why} and pods return to the stable revision; change the template, or start again with \`${retry}\``,
  };
}

function rolloutInProgress({ view, blockers, plan, updateRevision }: Outlook): Finding {
  const what = view?.message || `Rollout to ${updateRevision}`;
  const waits = blockers[0]?.message ?? `${plan.counts.updated} of ${plan.resolved.replicas} pods are updated`;
  return { reason: 'RolloutInProgress', message: `${what.replace(/[.\s]+$/, '')}: ${waits}` };
}

const partitionPath = (workload: GameWorkload): string =>
  `spec.updateStrategy.${isGameStatefulSet(workload) ? 'rollingUpdate.' : ''}partition`;

const partitionReached = ({ plan, updateRevision, workload }: Outlook): Finding => ({
  reason: 'PartitionReached',
  message: `${plan.counts.updated} pods are updated to ${updateRevision}; the rest is held by ${partitionPath(workload)}, which comes to ${plan.resolved.partition}`,
});

const rolloutCompleted = ({ updateRevision }: Outlook): Finding => ({
  reason: 'RolloutCompleted',
  message: `All pods are to run ${updateRevision}, and its rollout is completed`,
});

const pausedOf = ({ pause }: Outlook): Verdict =>
  pause === null
    ? { status: 'False', reason: 'NotPaused', message: 'Nothing is paused' }
    : { status: 'True', ...pause };

function degradedOf(outlook: Outlook): Verdict {
  const { blockers, pause } = outlook;
  const fault = blockers.find(({ reason }) => DEGRADING.includes(reason));
  if (fault !== undefined) return { status: 'True', reason: fault.reason, message: fault.message };
  if (pause?.reason === 'PausedByStepBasedHook')
    return { status: 'True', reason: 'GateFailed', message: pause.message };
  return { status: 'False', reason: 'AsExpected', message: 'Hooks and updates work as the spec asks' };
}

/** Shown only when a person must do something; tools that follow kstatus read it as failure. Planned pauses are none. */
function stalledOf(outlook: Outlook): Verdict | null {
  const { blockers, pause } = outlook;
  const stop =
    outlook.notImplemented ??
    outlook.invalid ??
    abortedOf(outlook) ??
    outlook.deadline ??
    (pause?.reason === 'PausedByStepBasedHook' ? pause : null) ??
    blockers.find((blocker) => needsPerson(outlook, blocker)) ??
    null;
  return stop === null ? null : { status: 'True', reason: stop.reason, message: stop.message };
}
