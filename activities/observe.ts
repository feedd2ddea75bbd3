/**
 * The activity `observe`: looks at one workload and parks on the stores until a wave of moves is worth making (design §3).
 * Reads only.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { PAUSED_AT_ANNOTATION, RESUME_ANNOTATION, SUSPEND_ANNOTATION, WRITE_PAUSED_ANNOTATION } from '../core/keys.ts';
import { NO_PODS } from '../core/plan/counts.ts';
import { isCreatedInFull } from '../core/plan/create-batch.ts';
import { namesWithoutUse } from '../core/plan/gone-pods.ts';
import type { Plan } from '../core/plan/types.ts';
import { settleIssued, settleUnresolved } from '../core/plan/unresolved.ts';
import { MAX_BLOCKERS, shouldReturn, shownKey, usualTimeToReadyMs, waveOf } from '../core/plan/wave.ts';
import { isActive } from '../core/pods.ts';
import { hashSteps, stepsOf, toSteps } from '../core/rollout/steps-hash.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import { type Attempt, LOOK_BEAT_MS, whileBeating } from './attempt.ts';
import { Changes } from './changes.ts';
import { type Facts, planOf, readFacts, recoverRollout, type Sighting } from './observation.ts';
import type { Ports } from './ports.ts';
import type { Observation, ObserveRequest, RolloutSpec, WorkloadKey } from './types.ts';

/** Plans are made at most four times a second. */
const PLAN_EVERY_MS = 250;
/** A pod that changes without end must not keep an observation for ever: its activity has a time limit. */
const LONGEST_PARK_MS = 300_000;

/**
 * Returns when there is something to do or to tell, at the latest 60 s after the last change.
 * @throws ApiError when neither stores nor apiserver can be read; the signal's reason when it is cancelled.
 */
export async function observe(ports: Ports, request: ObserveRequest, attempt: Attempt): Promise<Observation> {
  const look = async () => {
    try {
      return await park(ports, request, attempt.signal);
    } catch (error) {
      attempt.signal.throwIfAborted();
      throw error;
    }
  };
  return whileBeating(attempt, look, LOOK_BEAT_MS);
}

/** One look, without waiting for anything to do. @throws as `observe` does. */
export async function lookOnce(ports: Ports, request: ObserveRequest, signal: AbortSignal): Promise<Observation> {
  const sighting = await readFacts(ports, { ...request, seenGeneration: request.handled.generation }, signal);
  if (sighting.state !== 'live') return inertObservation(ports, request, sighting);
  const plan = makePlan(ports, request.key, sighting.facts);
  return liveObservation(request, sighting.facts, plan, hasNothingToDo(plan));
}

/** Messages wait while it looks: stores that are behind are left to `observe`. */
const LOOK_WITHIN_MS = 2_000;

/** What there is to do or to tell now; undefined where `observe` would wait for it, or for the stores. @throws as `observe` does. */
export async function lookNow(
  ports: Ports,
  request: ObserveRequest,
  signal: AbortSignal,
): Promise<Observation | undefined> {
  const patience = AbortSignal.timeout(LOOK_WITHIN_MS);
  try {
    return await seeNow(ports, request, AbortSignal.any([signal, patience]));
  } catch (error) {
    signal.throwIfAborted();
    if (!patience.aborted) throw error;
    return undefined;
  }
}

async function seeNow(ports: Ports, request: ObserveRequest, signal: AbortSignal): Promise<Observation | undefined> {
  const sighting = await readFacts(ports, { ...request, seenGeneration: request.handled.generation }, signal);
  if (sighting.state !== 'live') return inertObservation(ports, request, sighting);
  const { facts } = sighting;
  const plan = makePlan(ports, request.key, facts);
  const { asOfMs } = facts;
  const movesSinceMs = plan.moves.length === 0 ? undefined : asOfMs;
  const verdict = parkUntil(request, facts, plan, { movesSinceMs, changedAtMs: asOfMs, startedAtMs: asOfMs });
  return typeof verdict === 'number' ? undefined : liveObservation(request, facts, plan, verdict.isQuiet);
}

const hasNothingToDo = ({ moves, inTransition }: Plan): boolean => moves.length === 0 && !inTransition;

async function park(ports: Ports, request: ObserveRequest, signal: AbortSignal): Promise<Observation> {
  const startedAtMs = ports.nowMs();
  let { fence, quorum } = request;
  const seenGeneration = request.handled.generation;
  let changes: Changes | undefined;
  let movesSinceMs: number | undefined;
  try {
    for (;;) {
      const sighting = await readFacts(ports, { ...request, fence, quorum, seenGeneration }, signal);
      if (sighting.state !== 'live') return inertObservation(ports, request, sighting);
      const { facts } = sighting;
      fence = facts.fence;
      quorum = false;
      const plannedAt = ports.monotonicMs();
      const plan = makePlan(ports, request.key, facts);
      movesSinceMs = plan.moves.length === 0 ? undefined : (movesSinceMs ?? facts.asOfMs);
      changes ??= new Changes(ports.stores, facts.workload, ports.nowMs);
      const limits = { movesSinceMs, changedAtMs: changes.changedAtMs, startedAtMs };
      const untilMs = parkUntil(request, facts, plan, limits);
      if (typeof untilMs !== 'number') return liveObservation(request, facts, plan, untilMs.isQuiet);
      await changes.next(untilMs - ports.nowMs(), signal);
      await delay(Math.max(0, plannedAt + PLAN_EVERY_MS - ports.monotonicMs()), undefined, { signal });
    }
  } finally {
    changes?.close();
  }
}

function makePlan(ports: Ports, key: WorkloadKey, facts: Facts): Plan {
  const startedAt = ports.monotonicMs();
  let isDone = false;
  try {
    const plan = planOf(facts);
    isDone = true;
    return plan;
  } finally {
    ports.metrics.planMade(key, ports.monotonicMs() - startedAt, isDone);
  }
}

interface ParkLimits {
  movesSinceMs: number | undefined;
  changedAtMs: number;
  startedAtMs: number;
}

/** Until when to park, or that the observation ends now, and whether because nothing is to be expected soon. */
function parkUntil(
  request: ObserveRequest,
  facts: Facts,
  plan: Plan,
  limits: ParkLimits,
): number | { isQuiet: boolean } {
  const { workload, input, asOfMs } = facts;
  const { handled } = request;
  const { generation = 0 } = workload.metadata;
  const decision = shouldReturn({
    plan,
    isSpecNew: !facts.isRecorded || generation !== handled.generation || triggersOf(workload) !== handled.triggers,
    toldReached: request.toldReached,
    toldBlocked: request.toldBlocked,
    isShown: request.shown === undefined || request.shown.key === shownKey(generation, plan.counts, plan.blockers),
    showAtMs: request.shown?.againAtMs ?? 0,
    movesSinceMs: limits.movesSinceMs,
    changedAtMs: limits.changedAtMs,
    usualTimeToReadyMs: usualTimeToReadyMs(input.pods, input.updateRevision),
    nowMs: asOfMs,
  });
  const isOver = asOfMs >= limits.startedAtMs + LONGEST_PARK_MS;
  if (decision.return) return { isQuiet: hasNothingToDo(plan) || decision.why === 'idle' };
  return isOver ? { isQuiet: false } : decision.untilMs;
}

/** Digest of the annotations that a person acts by. */
export function triggersOf({ metadata }: GameWorkload): string {
  const { annotations = {} } = metadata;
  const values = [RESUME_ANNOTATION, SUSPEND_ANNOTATION].map((key) => annotations[key] ?? null);
  // One that is not there leaves the digest as it was before it was known.
  const later = [WRITE_PAUSED_ANNOTATION, PAUSED_AT_ANNOTATION].filter((key) => key in annotations);
  const all = [...values, ...later.map((key) => [key, annotations[key]])];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16);
}

const HOOKS_OF_PODS = ['preDeleteUpdateStrategy', 'preInplaceUpdateStrategy', 'postInplaceUpdateStrategy'] as const;

function rolloutSpecOf({ spec, metadata }: GameWorkload): RolloutSpec {
  const { annotations = {} } = metadata;
  const pausedAt = annotations[PAUSED_AT_ANNOTATION];
  const retried = HOOKS_OF_PODS.filter((field) => spec[field]?.retry === true);
  return {
    steps: toSteps(spec),
    stepsHash: hashSteps(stepsOf(spec)),
    pausedByUser: spec.updateStrategy?.paused === true,
    ...(annotations[WRITE_PAUSED_ANNOTATION] === 'true' ? { writePaused: true } : {}),
    ...(pausedAt === undefined ? {} : { pausedAt }),
    resumeToken: annotations[RESUME_ANNOTATION],
    progressDeadlineSeconds: spec.progressDeadlineSeconds,
    retryGates: retried.length > 0,
    retried,
  };
}

function liveObservation({ context }: ObserveRequest, facts: Facts, plan: Plan, isQuiet: boolean): Observation {
  const { workload, input, asOfMs } = facts;
  const { retired } = plan;
  const isKnown = facts.isRecorded;
  const isFirst = workload.spec.replicas === 0 || !input.pods.some(isActive);
  const needsRecovery = context.stableRevision === undefined && !isFirst && isKnown;
  const unresolved = settleUnresolved(facts.unresolved, input.pods, retired);
  const idleWords = namesWithoutUse(input);
  return {
    ...identityOf(workload),
    gone: false,
    deleting: false,
    updateRevision: isKnown ? input.updateRevision : null,
    stableRevision: input.stableRevision,
    firstCreation: isFirst,
    recovered: needsRecovery ? recoverRollout(facts) : undefined,
    // A revision is recorded, or made the newest again, before pods move to it.
    moves: isKnown ? waveOf(plan.moves) : [],
    counts: plan.counts,
    partition: plan.resolved.partition,
    reached: plan.reached && isKnown,
    blockers: plan.blockers.slice(0, MAX_BLOCKERS),
    inTransition: plan.inTransition,
    ...(isCreatedInFull(input, plan.counts) ? { createdInFull: true as const } : {}),
    isQuiet,
    lookAgainAtMs: plan.lookAgainAtMs,
    replacesFailed: plan.replacesFailed,
    unresolved,
    issued: settleIssued(facts.issued, input.pods, { unresolved, isQuorum: false, retired }),
    ...(idleWords.length === 0 ? {} : { idleWords }),
    fence: facts.fence,
    asOfMs,
  };
}

/** Gone, deleting or another object under the name: nothing is planned, open items are kept as they are. */
function inertObservation(
  ports: Ports,
  { context, uid, fence }: ObserveRequest,
  sighting: Exclude<Sighting, { state: 'live' }>,
): Observation {
  const isGone = sighting.state === 'gone';
  const nothing: RolloutSpec = { steps: [], stepsHash: '', pausedByUser: false, retryGates: false };
  return {
    ...(isGone ? { uid: uid ?? '', generation: 0, triggers: '', spec: nothing } : identityOf(sighting.workload)),
    gone: isGone,
    deleting: !isGone && sighting.workload.metadata.deletionTimestamp !== undefined,
    updateRevision: null,
    stableRevision: context.stableRevision ?? '',
    firstCreation: false,
    moves: [],
    counts: NO_PODS,
    partition: 0,
    reached: false,
    blockers: [],
    inTransition: false,
    isQuiet: true,
    replacesFailed: 0,
    unresolved: context.unresolved,
    issued: context.issued,
    fence,
    asOfMs: isGone ? ports.nowMs() : sighting.asOfMs,
  };
}

function identityOf(workload: GameWorkload): Pick<Observation, 'uid' | 'generation' | 'triggers' | 'spec'> {
  return {
    uid: workload.metadata.uid ?? '',
    generation: workload.metadata.generation ?? 0,
    triggers: triggersOf(workload),
    spec: rolloutSpecOf(workload),
  };
}
