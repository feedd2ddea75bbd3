/** Which changes of a status are worth an event: people read them in `kubectl describe` as the story of a rollout. */
import type { GameWorkloadStatus } from '../../crds/game-workload.ts';
import type { Condition } from '../../crds/kubernetes.ts';

export interface Transition {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

const FAILED_PROGRESS = new Set(['ProgressDeadlineExceeded', 'RolloutAborted', 'InvalidTemplate', 'PodCreateFailed']);

/**
 * Events of the step from one status to the next, in the order in which they make sense; nothing is said twice. `rolledTo`: the
 * target of the last rollout that there was.
 */
export function transitionsOf(previous: GameWorkloadStatus, next: GameWorkloadStatus, rolledTo?: string): Transition[] {
  const isRolled = isOtherTarget(previous, next) && next.updateRevision === rolledTo;
  const before = byType(previous.conditions);
  const after = byType(next.conditions);
  const all = [
    ...started(previous, next, isRolled),
    ...stepChanged(previous, next),
    ...pauseChanged(before.Paused, after.Paused, after.Progressing?.reason === 'RolloutAborted'),
    ...progressChanged(before.Progressing, after.Progressing, isRolled),
    ...becameTrue(before.Degraded, after.Degraded),
    ...revisionMissing(before.Stalled, after.Stalled),
    ...notImplemented(before.Ready, after.Ready),
  ];
  return all.filter(({ message }, index) => all.findIndex((other) => other.message === message) === index);
}

const byType = (conditions: Condition[] = []): Record<string, Condition | undefined> =>
  Object.fromEntries(conditions.map((condition) => [condition.type, condition]));

const hasChanged = (before: Condition | undefined, after: Condition): boolean =>
  before?.status !== after.status || before.reason !== after.reason;

const event = (type: Transition['type'], reason: string, message = ''): Transition[] => [{ type, reason, message }];

const isOtherTarget = (previous: GameWorkloadStatus, next: GameWorkloadStatus): boolean =>
  previous.updateRevision !== undefined && previous.updateRevision !== next.updateRevision;

/** One that was quick is over before a status tells of it (docs/adr/0018). */
function started(previous: GameWorkloadStatus, next: GameWorkloadStatus, isRolled: boolean): Transition[] {
  const { updateRevision, currentRevision } = next;
  const isOver = isRolled && updateRevision === currentRevision;
  const from = isOver ? previous.currentRevision : currentRevision;
  if (previous.updateRevision === updateRevision || from === undefined || from === updateRevision) return [];
  return event('Normal', 'RolloutStarted', `Rollout from ${from} to ${updateRevision}.`);
}

/** Named as the existing operators do. */
function stepChanged(previous: GameWorkloadStatus, next: GameWorkloadStatus): Transition[] {
  const { currentStepIndex } = next;
  if (currentStepIndex === undefined || currentStepIndex === previous.currentStepIndex) return [];
  const from = previous.currentStepIndex === undefined ? '' : ` from ${previous.currentStepIndex}`;
  return event('Normal', 'SetStepIndex', `The current step is set${from} to ${currentStepIndex}.`);
}

/** Reasons of a pause that nobody wanted. */
const FAULTS: ReadonlySet<string> = new Set(['PausedByStepBasedHook', 'PausedByPrewarm', 'PausedByLostRun']);

/** An abort ends a pause, but nobody has resumed by it. */
function pauseChanged(before: Condition | undefined, after: Condition | undefined, isAborted: boolean): Transition[] {
  if (after === undefined || !hasChanged(before, after)) return [];
  if (after.status === 'True') {
    const isFault = FAULTS.has(after.reason ?? '');
    return event(isFault ? 'Warning' : 'Normal', after.reason ?? 'Paused', after.message);
  }
  const isResumed = before?.status === 'True' && !isAborted;
  return isResumed ? event('Normal', 'RolloutResumed', 'Nothing is paused any more.') : [];
}

function progressChanged(before: Condition | undefined, after: Condition | undefined, isRolled: boolean): Transition[] {
  if (after === undefined) return [];
  const { reason = '', message } = after;
  const isEnd = reason === 'PartitionReached' || (reason === 'RolloutCompleted' && before !== undefined);
  if (!hasChanged(before, after)) return isRolled && isEnd ? event('Normal', reason, message) : [];
  if (FAILED_PROGRESS.has(reason)) return event('Warning', reason, message);
  return isEnd ? event('Normal', reason, message) : [];
}

const becameTrue = (before: Condition | undefined, after: Condition | undefined): Transition[] =>
  after?.status === 'True' && hasChanged(before, after) ? event('Warning', after.reason ?? '', after.message) : [];

/** Of what stalls a workload, this alone shows in no other condition of its own. */
const revisionMissing = (before: Condition | undefined, after: Condition | undefined): Transition[] =>
  after?.reason === 'RevisionMissing' ? becameTrue(before, after) : [];

const notImplemented = (before: Condition | undefined, after: Condition | undefined): Transition[] =>
  after?.reason === 'NotImplemented' && hasChanged(before, after)
    ? event('Warning', 'NotImplemented', after.message)
    : [];
