/**
 * The whole status of a workload, computed anew each time (decision 43). What is read from the previous status: since
 * when a condition holds, which names were taken, and where a rollout stood whose workflow has not spoken yet.
 */
import type { GameStatefulSetStatus } from '../../crds/game-stateful-set.ts';
import type { GameWorkloadStatus } from '../../crds/game-workload.ts';
import type { Condition } from '../../crds/kubernetes.ts';
import { canonicalJson } from '../canonical-json.ts';
import { isGameStatefulSet } from '../kinds.ts';
import { selectorText } from '../label-selector.ts';
import { isCreatedInFull } from '../plan/create-batch.ts';
import { hashSteps, stepsOf } from '../rollout/steps-hash.ts';
import { conditionsOf } from './conditions.ts';
import { hookConditions } from './gate-conditions.ts';
import { isOpenView, outlookOf, type StatusInput } from './outlook.ts';
import { timestamp } from './sentence.ts';

const CONSUMED_KEPT = 20;
const CONSUMED_LENGTH = 512;

type RolloutFields = Pick<GameWorkloadStatus, 'currentStepIndex' | 'currentStepHash' | 'pauseConditions' | 'canary'>;

export function computeStatus(input: StatusInput): GameWorkloadStatus {
  const { workload, updateRevision, stableRevision, nowMs } = input.facts;
  const previous = workload.status ?? {};
  const generation = workload.metadata.generation ?? 0;
  const conditions = conditionsOf(outlookOf(input), previous.conditions ?? [], generation, nowMs);
  return withoutEmpties({
    observedGeneration: generation,
    ...countsOf(input),
    ...ownCountsOf(input),
    moving: input.moving,
    updateStrategy: strategyOf(input),
    createdInFull: isCreatedInFull(input.facts, input.plan.counts),
    currentRevision: stableRevision,
    updateRevision,
    collisionCount: input.collisionCount ?? previous.collisionCount,
    labelSelector: selectorText(workload.spec.selector),
    conditions: isUnspoken(input) ? remembered(conditions, previous.conditions ?? []) : conditions,
    ...rolloutFields(input),
    consumedResume: consumedOf(input),
    ...hookConditions(input.facts.pods, input.facts.hookRuns, previous),
  });
}

/** Nothing to write. Times are part of it: they change only with what they date. */
export const equalStatus = (left: object | undefined, right: object): boolean =>
  canonicalJson(left ?? {}) === canonicalJson(right);

function countsOf({ plan: { counts } }: StatusInput): GameWorkloadStatus {
  return {
    replicas: counts.replicas,
    readyReplicas: counts.ready,
    availableReplicas: counts.available,
    updatedReplicas: counts.updated,
    updatedReadyReplicas: counts.updatedReady,
    waitingReplicas: counts.waiting,
    updatingReplicas: counts.updating,
    unavailableReplicas: counts.unavailable,
  };
}

/** Row 118: a GameStatefulSet shows how many pods run the current revision, too. */
function ownCountsOf({ facts, plan: { counts } }: StatusInput): GameStatefulSetStatus {
  if (!isGameStatefulSet(facts.workload)) return {};
  return { currentReplicas: counts.perRevision[facts.stableRevision] ?? 0 };
}

function strategyOf({ facts, plan: { resolved } }: StatusInput): GameWorkloadStatus['updateStrategy'] {
  const { partition, maxUnavailable, maxSurge } = resolved;
  return { type: facts.workload.spec.updateStrategy?.type ?? 'RollingUpdate', partition, maxUnavailable, maxSurge };
}

/**
 * A rollout is due, and its workflow has not said where it stands: the object is the only memory of a state that was lost
 * (decision 18), so it is not overwritten.
 */
function isUnspoken({ facts, view }: StatusInput): boolean {
  const isDue = facts.updateRevision !== facts.stableRevision;
  return isDue && !isOpenView(view) && facts.workload.status?.updateRevision === facts.updateRevision;
}

function remembered(conditions: Condition[], previous: Condition[]): Condition[] {
  return conditions.map(
    (condition) => previous.find((before) => isMemory(before) && before.type === condition.type) ?? condition,
  );
}

const isMemory = ({ type, status, reason }: Condition): boolean =>
  (type === 'Paused' && status === 'True' && reason !== 'PausedByUser') ||
  (type === 'Progressing' && reason === 'RolloutAborted');

function rolloutFields(input: StatusInput): RolloutFields {
  const { facts, view } = input;
  const canary = { revision: facts.stableRevision };
  const steps = stepsOf(facts.workload.spec);
  if (isOpenView(view)) {
    const { pause, hookRun, stepIndex, stepsHash, stepCount } = view;
    return {
      ...(stepCount === 0 ? {} : { currentStepIndex: stepIndex, currentStepHash: stepsHash }),
      pauseConditions: pause === undefined ? [] : [{ reason: pause.reason, startTime: timestamp(pause.startedAtMs) }],
      canary: hookRun === undefined ? canary : { ...canary, currentStepHookRun: hookRun },
    };
  }
  if (isUnspoken(input)) {
    const { currentStepIndex, currentStepHash, pauseConditions, canary: before } = facts.workload.status ?? {};
    return { currentStepIndex, currentStepHash, pauseConditions, canary: { ...before, ...canary } };
  }
  if (steps.length === 0) return { canary };
  const isDone = facts.updateRevision === facts.stableRevision;
  return { currentStepIndex: isDone ? steps.length : 0, currentStepHash: hashSteps(steps), canary };
}

/**
 * The newest of what was consumed, the object's own memory included: a workflow that lost its state must not act on a
 * value again. One that is too long to be kept was never a valid one.
 */
function consumedOf({ facts, consumedResume, view }: StatusInput): string[] {
  const before = facts.workload.status?.consumedResume ?? [];
  const all = [...before, ...consumedResume, ...(view?.consumedResume ?? [])].filter(
    (value) => value.length <= CONSUMED_LENGTH,
  );
  return [...new Set(all)].slice(-CONSUMED_KEPT);
}

/** Absent and empty say the same in a status; absent reads better. */
function withoutEmpties(status: GameWorkloadStatus): GameWorkloadStatus {
  const isKept = ([, value]: [string, unknown]) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(status).filter(isKept)) as GameWorkloadStatus;
}
