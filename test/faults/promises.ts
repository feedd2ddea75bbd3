/**
 * The rules of protocol.md §6, each a function from the scene of one write of ours to the sentence that says how it was
 * broken, or nothing. The scene holds all they may look at.
 */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { IntOrString, Pod } from '../../crds/kubernetes.ts';
import type { HookHistory, KnownRun } from './hook-history.ts';
import { changedImages, isActive, isGateClosed, revisionOf } from './judged-pod.ts';
import { isSpendable, type TrackedPod } from './pod-replay.ts';
import { keptOld, promisedNumbers, promisedPartition, promisedPatience } from './promised-numbers.ts';
import { checkPlace } from './promised-places.ts';
import { isSpokenFor, type SpokenWord } from './spoken-words.ts';

/** One write of ours and the world at that moment. */
export interface Scene {
  /** The pod before the write; absent at a create. */
  before: TrackedPod | undefined;
  after: Pod;
  /** All pods of the workload before the write. */
  pods: readonly TrackedPod[];
  /** The workload as it was at some moment of the last `graceMs`, the newest first. Never empty. */
  inForce: readonly GameWorkload[];
  /** The workload as it was written soon after, in order. */
  following: readonly GameWorkload[];
  /** First revision any pod of the workload ever had. */
  firstRevision: string | undefined;
  hooks: HookHistory;
  /** What people said about hooks. */
  words: readonly SpokenWord[];
  /** `<namespace>/<name>` of the workload, and its uid. */
  key: string;
  owner: string;
  /** When `retry` of the hook after updates turned true last in the spec. */
  retriedMs(): number;
  /** Since when the status has told of the revision as the one that pods are updated to. */
  targetSinceMs(revision: string): number;
  receivedMs: number;
  answeredMs: number;
  /** How long what others did is not held against us. */
  graceMs: number;
  /** Of the pod, at some moment of the last `graceMs`. */
  isNodeLost: boolean;
  /** The partition, where the test knows better than the status. */
  knownPartition: IntOrString | undefined;
}

/** The write that can lower availability, or `none`. */
export type Spending = 'delete' | 'gate' | 'image' | 'none';

export function spendingOf({ before, after }: Pick<Scene, 'before' | 'after'>): Spending {
  if (!before || !isActive(before.object)) return 'none';
  if (after.metadata.deletionTimestamp !== undefined) return 'delete';
  if (isGateClosed(before.object)) return 'none';
  if (isGateClosed(after)) return 'gate';
  return changedImages(before.object, after).length > 0 ? 'image' : 'none';
}

/** The revision that the write brings a pod to, if it does: by label, or by creating it. */
export function turnedTo({ before, after }: Pick<Scene, 'before' | 'after'>): string | undefined {
  const revision = revisionOf(after);
  if (after.metadata.deletionTimestamp !== undefined) return undefined;
  return before && revisionOf(before.object) === revision ? undefined : revision;
}

/** The pod was already unavailable, or available − 1 ≥ replicas − maxUnavailable. */
export function checkBudget(scene: Scene): string | undefined {
  const { before, pods, inForce, receivedMs, answeredMs, graceMs } = scene;
  const patience = inForce.map(promisedPatience);
  // Becoming available by the clock alone raises no resourceVersion, so no compare-and-swap could have noticed.
  if (!before || !isSpendable(before, Math.max(...patience), receivedMs - graceMs)) return undefined;
  const minReady = Math.min(...patience);
  const since = receivedMs - graceMs;
  const available = pods.filter((pod) => isSpendable(pod, minReady, answeredMs) || (pod.lostAvailableMs ?? 0) > since);
  const numbers = inForce.map(promisedNumbers);
  const lowest = numbers.reduce((a, b) => (floorOf(b) < floorOf(a) ? b : a));
  if (available.length - 1 >= floorOf(lowest)) return undefined;
  const floor = `${lowest.replicas} replicas − ${lowest.maxUnavailable} maxUnavailable = ${floorOf(lowest)}`;
  return `of ${available.length} available pods ${available.length - 1} would be left, and ${floor}`;
}

function floorOf({ replicas, maxUnavailable }: { replicas: number; maxUnavailable: number }): number {
  return replicas - maxUnavailable;
}

/** At a create, active + 1 ≤ replicas + maxSurge. */
export function checkSurge({ pods, inForce, receivedMs, graceMs }: Scene): string | undefined {
  const since = receivedMs - graceMs;
  const active = pods.filter(({ object, gainedActiveMs = 0 }) => isActive(object) && gainedActiveMs <= since).length;
  const numbers = inForce.map(promisedNumbers);
  const highest = numbers.reduce((a, b) => (b.replicas + b.maxSurge > a.replicas + a.maxSurge ? b : a));
  if (active + 1 <= highest.replicas + highest.maxSurge) return undefined;
  const ceiling = `${highest.replicas} replicas + ${highest.maxSurge} maxSurge = ${highest.replicas + highest.maxSurge}`;
  return `it makes ${active + 1} active pods of ${active}, and ${ceiling}`;
}

/**
 * At a write that turns an old pod new, old active − 1 ≥ partition. A create is one where it takes the place of an old
 * pod: it needs `partition` old pods left, or a free place in the new ones' share. Moves back to the stable revision
 * (rollback, abort, healing) are free.
 */
export function checkPartition(scene: Scene, revision: string): string | undefined {
  if (isStable(scene, revision)) return undefined;
  const { before, pods, receivedMs, graceMs } = scene;
  const replicas = Math.max(...scene.inForce.map((workload) => promisedNumbers(workload).replicas));
  const partition = knownPartition(scene) ?? lowestPartition(scene, revision);
  const ofPlace = checkPlace(scene, partition);
  if (ofPlace !== undefined) return ofPlace.broken;
  const since = receivedMs - graceMs;
  const old = pods.filter((pod) => revisionOf(pod.object) !== revision && isActiveFor(pod, since)).length;
  const made = pods.filter(({ object }) => revisionOf(object) === revision && isActive(object)).length;
  const left = before ? old - 1 : old;
  if (left >= partition || (!before && made + 1 <= replicas - partition)) return undefined;
  return `${left} of ${old} old active pods would be left, and the partition is ${partition} (${made} pods are at ${revision})`;
}

export function isActiveFor({ object, lostActiveMs = 0 }: TrackedPod, since: number): boolean {
  return isActive(object) || lostActiveMs > since;
}

/** Stable as the status has said; before it says anything, the first revision is. */
export function isStable({ inForce, firstRevision }: Scene, revision: string): boolean {
  const told = inForce.flatMap(({ status }) => [status?.canary?.revision, status?.currentRevision]).filter(Boolean);
  return told.length > 0 ? told.includes(revision) : revision === firstRevision;
}

/** A percentage is one of the replicas then. */
function knownPartition({ knownPartition: known, inForce }: Scene): number | undefined {
  return known === undefined ? undefined : Math.min(...inForce.map((workload) => keptOld(known, workload)));
}

/** The most permissive partition of the specs in force with any step index the status held for this revision. */
function lowestPartition({ inForce, following }: Scene, revision: string): number {
  const indexes = [...inForce, ...upToNextStep(inForce[0], following)]
    .filter(({ status }) => status?.updateRevision === revision)
    .map(({ status }) => status?.currentStepIndex ?? 0);
  const candidates = indexes.length > 0 ? indexes : [0];
  return Math.min(...inForce.flatMap((workload) => candidates.map((index) => promisedPartition(workload, index))));
}

/** The status is written beside a wave, so a step's first move may land before its index does. */
function upToNextStep(current: GameWorkload | undefined, following: readonly GameWorkload[]): GameWorkload[] {
  const next = following.findIndex(({ status }) => status?.currentStepIndex !== current?.status?.currentStepIndex);
  return following.slice(0, next < 0 ? following.length : next + 1);
}

const FORCE_DELETE = 'pod.gamestatefulset.bkbcs.tencent.com/node-lost-force-delete';

/** No spending write on a Running pod before the hook configured for it has succeeded for that pod and attempt. */
export function checkGate(scene: Scene, spending: Spending): string | undefined {
  const { before, inForce } = scene;
  if (before?.object.status?.phase !== 'Running') return undefined;
  if (spending === 'delete' && before.object.metadata.annotations?.[FORCE_DELETE] === 'true') return undefined;
  const gates = inForce.map((workload) => gateFor(workload, spending));
  const required = gates[0];
  if (required === undefined || gates.some((gate) => gate !== required)) return undefined;
  const attempt = markedAttempt(before.object);
  const runs = scene.hooks.of(before.uid, required).filter((run) => run.verdict !== undefined);
  const isPassed = (run: KnownRun) => run.verdict === 'Successful' || isSkipped(scene, before.key, run);
  if (
    runs.some((run) => isPassed(run) && (attempt === undefined || run.attempt === undefined || run.attempt === attempt))
  )
    return undefined;
  const passed = runs.filter(isPassed);
  const seen = passed.length > 0 ? `only attempts ${passed.map((run) => run.attempt).join(', ')} have` : 'none has';
  const wanted = attempt === undefined ? '' : ` (attempt ${attempt})`;
  return `no ${required} hook has succeeded for uid ${before.uid}${wanted}: ${seen}`;
}

/** A person let its pod pass. */
function isSkipped({ words, key: workload, answeredMs: atMs, graceMs }: Scene, pod: string, run: KnownRun): boolean {
  return isSpokenFor(words, ['skip'], { workload, pod, failedMs: run.endedMs ?? 0, atMs, graceMs });
}

/** What clocks may differ, and what a kubelet needs after the grace period. */
const FORCE_MARGIN_MS = 10_000;

/** By force a pod of a set goes only where its annotation allows it, well after its time, and from a node that is lost. */
export function checkForce({ before, inForce, receivedMs, isNodeLost }: Scene): string | undefined {
  const { annotations, deletionTimestamp } = before?.object.metadata ?? {};
  if (inForce.some(({ kind }) => kind !== 'GameStatefulSet')) return 'only a set gives pods up';
  if (annotations?.[FORCE_DELETE] !== 'true') return 'no annotation allows it to be deleted by force';
  if (deletionTimestamp === undefined) return 'it is deleted by force before it was asked to go';
  if (!isNodeLost) return `it is deleted by force, and its node ${before?.object.spec.nodeName} is Ready`;
  const sinceMs = receivedMs - Date.parse(deletionTimestamp);
  return sinceMs < FORCE_MARGIN_MS ? `it is deleted by force ${sinceMs} ms after its time` : undefined;
}

/** The `hookrun-type` that must have succeeded; preDelete stands in for preInplace (decision 38); hot patches are free. */
function gateFor({ spec }: GameWorkload, spending: Spending): string | undefined {
  if (spending !== 'delete') {
    if (spec.updateStrategy?.type === 'HotPatchUpdate') return undefined;
    if (spec.preInplaceUpdateStrategy?.hook) return 'pre-inplace-step';
  }
  return spec.preDeleteUpdateStrategy?.hook ? 'pre-delete-step' : undefined;
}

/** The attempt in `holdfast.dev/move`, as labels spell it. */
function markedAttempt(pod: Pod): string | undefined {
  const mark = pod.metadata.annotations?.['holdfast.dev/move'];
  if (mark === undefined) return undefined;
  const { attempt } = JSON.parse(mark) as { attempt?: number | string };
  return attempt === undefined ? undefined : String(attempt);
}
