/**
 * Makes the planner's input for one workload, from stores that have seen our own writes or else from the apiserver
 * (protocol §2, rule 6). Reads only. Used by observe, by moves that must plan again, and by report.
 */

import { isStray } from '../core/adoption.ts';
import { ATTEMPT_LABEL } from '../core/keys.ts';
import type { Blocker, Issued, Plan, PlanInput, Revision, Unresolved } from '../core/plan/types.ts';
import { settleIssued, settleUnresolved } from '../core/plan/unresolved.ts';
import { isActive, revisionOf } from '../core/pods.ts';
import {
  findEqualRevision,
  isRecorded,
  leavingBlocker,
  oldestLiveRevision,
  standingNames,
  toRevisions,
} from '../core/revisions.ts';
import type { GameWorkload, GameWorkloadStatus } from '../crds/game-workload.ts';
import type { ControllerRevision, KubernetesObject } from '../crds/kubernetes.ts';
import type { PauseCondition } from '../crds/workload-status.ts';
import { planWorkloadOf, workloadStoreOf, workloadTypeOf } from './kinds.ts';
import type { Ports } from './ports.ts';
import {
  type Belongings,
  belongingsInStores,
  claimFacts,
  hookTemplatesOf,
  listBelongings,
  nodesOf,
  readWorkload,
  takenNames,
} from './sources.ts';
import { joinFences, laterVersion, unlessPutBack, versionsOf, waitForFence } from './store-fence.ts';
import type { Fence, Observation, PlanContext, WorkloadKey } from './types.ts';

export interface FactsRequest {
  key: WorkloadKey;
  /** Absent: the live one is taken. */
  uid?: string;
  context: PlanContext;
  fence: Fence;
  quorum: boolean;
  /** A generation that was seen before: stores that hold an older one are behind. */
  seenGeneration?: number;
  /** Moves of the same plan are under way: names given to creates and not seen are kept, whoever gave them. */
  isWithinWave?: boolean;
}

/** All that is known of one workload at one moment. */
export interface Facts {
  workload: GameWorkload;
  /** `updateRevision` in it is empty where none equals the template, `stableRevision` where there is none yet. */
  input: PlanInput<GameWorkload>;
  /** The template asked for is recorded, and as the newest: nothing else is to be recorded before pods move. */
  isRecorded: boolean;
  /** What holds the plan and is not in its input. */
  blockers: Blocker[];
  controllerRevisions: ControllerRevision[];
  unresolved: Unresolved[];
  issued: Issued[];
  /** The request's fence, raised by what was seen: stores must have reached it before they are read again, here or elsewhere. */
  fence: Fence;
  asOfMs: number;
}

export type Sighting =
  /** A quorum GET says that there is no such object. */
  | { state: 'gone' }
  /** It is being deleted, or another object has its name: nothing is planned. */
  | { state: 'inert'; workload: GameWorkload; asOfMs: number }
  | { state: 'live'; facts: Facts };

/**
 * Waits up to 10 s for the stores, then asks the apiserver.
 * @throws ApiError when neither answers; the signal's reason when the attempt is cancelled.
 */
export async function readFacts(ports: Ports, request: FactsRequest, signal: AbortSignal): Promise<Sighting> {
  const { key, uid, fence } = request;
  const isReached = !request.quorum && (await waitForFence(ports.stores, key.kind, fence, signal));
  const known = isReached ? workloadStoreOf(ports.stores, key.kind).get(key) : undefined;
  const isFromStores = isReached && !isBehind(known, request);
  const isKnown = known !== undefined && isSameUid(known, uid) && isFromStores;
  const workload = isKnown ? known : await readWorkload(ports, key);
  if (workload === undefined) return { state: 'gone' };
  // A store that is behind shows a world of before.
  const asOfMs = ports.nowMs() - (isFromStores ? ports.stores.pods.behindMs() : 0);
  if (!isSameUid(workload, uid) || workload.metadata.deletionTimestamp !== undefined) {
    return { state: 'inert', workload, asOfMs };
  }
  if (isFromStores) {
    const belongings = belongingsInStores(ports.stores, workload);
    // The stores show nothing any more of what must be gone: their versions say it all.
    const seen = joinFences({ ...fence, gone: [] }, { written: versionsOf(ports.stores, key.kind), gone: [] });
    return { state: 'live', facts: assemble(ports, request, { workload, belongings, asOfMs, fence: seen }) };
  }
  const [belongings, valid] = await Promise.all([
    listBelongings(ports, workload, signal),
    unlessPutBack(ports, key, fence, signal),
  ]);
  const isOut = (uid: string) => !isLetGo(ports, workload, uid) && !isAlive(belongings, uid);
  const gone = [...fence.gone, ...goneFrom(belongings, request)].filter(isOut);
  const raised = joinFences({ ...valid, gone }, { written: highestVersions(workload, belongings), gone: [] });
  return { state: 'live', facts: assemble(ports, request, { workload, belongings, asOfMs, fence: raised }) };
}

/** What the stores hold now, fenced or not; undefined unless they hold this very object. For attempts that plan nothing. */
export function factsInStores(ports: Ports, request: Omit<FactsRequest, 'quorum'>): Facts | undefined {
  const { key, uid, fence } = request;
  const workload = workloadStoreOf(ports.stores, key.kind).get(key);
  if (workload === undefined || !isSameUid(workload, uid)) return undefined;
  const belongings = belongingsInStores(ports.stores, workload);
  return assemble(
    ports,
    { ...request, quorum: false, isWithinWave: true },
    { workload, belongings, asOfMs: ports.nowMs(), fence },
  );
}

interface Material {
  workload: GameWorkload;
  belongings: Belongings;
  asOfMs: number;
  fence: Fence;
}

function assemble(ports: Ports, { context, key, isWithinWave }: FactsRequest, material: Material): Facts {
  const { workload, belongings, asOfMs, fence } = material;
  const { pods, orphans, strays, controllerRevisions, hookRuns, claims } = belongings;
  const revisions = toRevisions(controllerRevisions);
  const standing = standingNames(workload.status, context.stableRevision);
  const update = findEqualRevision(revisions, workload.spec.template, standing);
  const updateRevision = update?.name ?? '';
  const stableRevision = context.stableRevision ?? recoverStable(workload, belongings, revisions, updateRevision);
  const leaving = leavingBlocker(update, stableRevision);
  const unresolved = settleUnresolved(context.unresolved, pods);
  // A fenced store has seen every create of ours that was answered: a name that is missing there has come and gone.
  const issued = settleIssued(context.issued, pods, { unresolved, isQuorum: isWithinWave !== true });
  const input: PlanInput<GameWorkload> = {
    workload,
    revisions,
    updateRevision,
    stableRevision,
    allowance: context.allowance,
    ...{ pods, orphans, strays },
    takenNames: takenNames(ports.stores, workload, belongings),
    nodes: nodesOf(ports.stores, pods),
    ...(ports.stores.nodes.isFresh() ? {} : { areNodesStale: true as const }),
    claims: claimFacts(claims),
    hookRuns,
    hookTemplates: hookTemplatesOf(ports.stores, key.namespace),
    unresolved,
    issued,
    backOff: context.backOff,
    failures: context.failures,
    gates: context.gates,
    ...(context.createdInFull === true ? { createdInFull: true as const } : {}),
    // To a revision that is on its way out nothing moves either.
    invalidRevision: leaving === null ? context.invalid?.revision : updateRevision,
    nowMs: asOfMs,
    seed: ports.newSeed(),
  };
  return {
    ...{ workload, input, controllerRevisions, unresolved, issued, fence, asOfMs },
    isRecorded: isRecorded(revisions, update),
    blockers: leaving === null ? [] : [leaving],
  };
}

/** The plan, with what holds it from outside told first. */
export function planOf({ input, blockers }: Pick<Facts, 'input' | 'blockers'>): Plan {
  const plan = planWorkloadOf(input);
  return { ...plan, blockers: [...blockers, ...plan.blockers] };
}

/**
 * Decision 18: canary.revision, else currentRevision, else the oldest revision that a live pod carries. Pods stand for one that is
 * gone: what they run is not what the spec asks for, as far as anybody knows, and reaches it by the steps.
 */
function recoverStable(
  { status, spec }: GameWorkload,
  { pods }: Belongings,
  revisions: Revision[],
  updateRevision: string,
): string {
  const carried = new Set(pods.filter(isActive).map(revisionOf));
  if (spec.replicas === 0 || carried.size === 0) return updateRevision;
  const isRecorded = (name: string) => revisions.some((revision) => revision.name === name);
  const isKnown = (name: string | undefined) => name !== undefined && (isRecorded(name) || carried.has(name));
  const recorded = [status?.canary?.revision, status?.currentRevision].find(isKnown);
  if (recorded !== undefined) return recorded;
  const oldest = oldestLiveRevision(revisions, carried)?.name ?? updateRevision;
  const lost = [...carried].filter((name) => name !== '' && !isRecorded(name)).sort();
  return oldest === updateRevision ? (lost[0] ?? oldest) : oldest;
}

/** Step, pause and abort as the object shows them, for a workflow that lost its state (decision 18). */
export function recoverRollout({ workload, input }: Facts): NonNullable<Observation['recovered']> {
  const { status } = workload;
  const isSameRollout = status?.updateRevision === input.updateRevision;
  const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
  const carried = new Set(input.pods.filter(isActive).map(revisionOf));
  const pausedBy = isSameRollout ? pauseOf(status) : undefined;
  return {
    stepIndex: isSameRollout ? (status?.currentStepIndex ?? 0) : 0,
    paused: pausedBy !== undefined,
    ...(pausedBy === undefined || pausedBy === 'PausedByPrewarm' ? {} : { pausedBy }),
    ...(pausedBy === 'PausedByStepBasedHook' ? failedHook(workload, input) : {}),
    aborted: isSameRollout && progressing?.reason === 'RolloutAborted',
    partial: carried.has(input.updateRevision) && carried.size > 1,
  };
}

/** Existing operators may list several: what the rollout itself waits for tells more than that somebody paused it, too. */
function pauseOf({ pauseConditions = [] }: GameWorkloadStatus): PauseCondition['reason'] | undefined {
  const reasons = pauseConditions.map(({ reason }) => reason);
  return reasons.find((reason) => reason !== 'PausedByUser') ?? reasons[0];
}

/** The run that the step's pause is about. One of the existing operators has no number of an attempt: it was the first. */
function failedHook({ status }: GameWorkload, { hookRuns }: PlanInput<GameWorkload>) {
  const hookRun = status?.canary?.currentStepHookRun;
  if (hookRun === undefined) return {};
  const labels = hookRuns.find(({ metadata }) => metadata.name === hookRun)?.metadata.labels;
  const attempt = Number(labels?.[ATTEMPT_LABEL]);
  return { hookRun, ...(attempt > 1 ? { hookAttempt: attempt } : {}) };
}

const isBehind = (known: GameWorkload | undefined, { uid, seenGeneration = 0 }: FactsRequest): boolean =>
  known !== undefined && isSameUid(known, uid) && (known.metadata.generation ?? 0) < seenGeneration;

const isSameUid = (object: KubernetesObject, uid: string | undefined): boolean =>
  uid === undefined || object.metadata.uid === uid;

/** Pods with an open write that a quorum list does not show: stores that still have them are behind. */
function goneFrom({ pods }: Belongings, { context }: FactsRequest): string[] {
  const present = new Set(pods.map(({ metadata }) => metadata.uid));
  return context.unresolved.flatMap(({ uid }) => (uid === undefined || present.has(uid) ? [] : [uid]));
}

/** It was gone, and is there again: etcd was put back to a state of before. */
const isAlive = ({ pods }: Belongings, uid: string): boolean =>
  pods.some(({ metadata }) => metadata.uid === uid && metadata.deletionTimestamp === undefined);

/** A list by selector lacks it as well, and no store will ever show it gone. */
function isLetGo({ stores }: Ports, workload: GameWorkload, uid: string): boolean {
  const pod = stores.pods.getByUid(uid);
  return pod !== undefined && isStray(workload, pod);
}

function highestVersions(workload: GameWorkload, belongings: Belongings): Record<string, string> {
  const highest: Record<string, string> = {};
  const see = (plural: string, objects: KubernetesObject[]) => {
    for (const { metadata } of objects)
      highest[plural] = laterVersion(highest[plural], metadata.resourceVersion ?? '0');
  };
  see(workloadTypeOf(workload.kind).plural, [workload]);
  see('pods', belongings.pods);
  see('controllerrevisions', belongings.controllerRevisions);
  see('hookruns', belongings.hookRuns);
  see('persistentvolumeclaims', belongings.claims);
  return highest;
}
