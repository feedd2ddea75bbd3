/**
 * The pods as they were at each write of the audit log, and since when others have taken something from them. Replays
 * writes in the API server's order; judges nothing.
 */
import type { Pod } from '../../crds/kubernetes.ts';
import type { CommittedWrite } from './audit-log.ts';
import {
  isActive,
  isAvailable,
  owningWorkload,
  type PendingRestarts,
  restartsAfter,
  restartsLeft,
  revisionOf,
} from './judged-pod.ts';

export interface TrackedPod {
  /** `<namespace>/<name>`. */
  key: string;
  uid: string;
  object: Pod;
  /** Restarts that an image change of ours still has to bring; until then the pod is spent. */
  restarts: PendingRestarts;
  /** When something of others made it unavailable, inactive, or (by creation or adoption) active. */
  lostAvailableMs?: number;
  lostActiveMs?: number;
  gainedActiveMs?: number;
  /** Since when it has the mark of the hook that is to follow its update to this revision, whichever attempt. */
  owesSinceMs?: number;
}

/** One pod before and after a write. */
export interface PodChange {
  uid: string;
  key: string;
  before: TrackedPod | undefined;
  after: Pod;
}

/** State of all pods between two writes. */
export class PodReplay {
  readonly #byUid = new Map<string, TrackedPod>();
  readonly #uidByKey = new Map<string, string>();

  get(uid: string): TrackedPod | undefined {
    return this.#byUid.get(uid);
  }

  /** The pods a workload controls, gone ones included. */
  ownedBy(workloadUid: string): TrackedPod[] {
    return [...this.#byUid.values()].filter(({ object }) => owningWorkload(object) === workloadUid);
  }

  /** The changes a write makes to pods; reads only. */
  changesOf(write: CommittedWrite): PodChange[] {
    const { resource, event } = write;
    if (resource === 'pods/eviction') return this.#eviction(write);
    if (resource !== 'pods' && resource !== 'pods/status') return [];
    if (event.verb === 'deletecollection') {
      const { items = [] } = event.responseObject as { items?: Pod[] };
      return items.flatMap((pod) => this.#change(pod, write));
    }
    const pod = event.responseObject as unknown as Pod | undefined;
    return pod?.metadata?.uid ? this.#change(pod, write) : [];
  }

  /** Who writes metadata only, as the garbage collector does, is answered without spec and status. */
  #change(answer: Pod, write: CommittedWrite): PodChange[] {
    const uid = answer.metadata.uid!;
    const key = `${answer.metadata.namespace}/${answer.metadata.name}`;
    const before = this.#byUid.get(uid);
    const pod = answer.spec === undefined ? before && { ...before.object, metadata: answer.metadata } : answer;
    if (pod === undefined) return [];
    const removes = write.event.verb.startsWith('delete');
    return [{ uid, key, before, after: removes ? terminating(pod, write) : pod }];
  }

  /** An eviction's answer carries no pod: it makes the one of that name terminate. */
  #eviction(write: CommittedWrite): PodChange[] {
    const before = this.#byUid.get(this.#uidByKey.get(write.key) ?? '');
    return before ? [{ uid: before.uid, key: before.key, before, after: terminating(before.object, write) }] : [];
  }

  /** Takes the change over. What others do is remembered with its time; what we do ends the forgiveness at once. */
  apply(change: PodChange, by: { isOurs: boolean; atMs: number; minReadySeconds: number }): void {
    const { before, after, uid, key } = change;
    const kept = by.isOurs ? forgetOthers(before) : before;
    const restarts = nextRestarts(change, by.isOurs);
    const owesSinceMs = owesHook(after) ? (owesStill(change) ?? by.atMs) : undefined;
    const next: TrackedPod = { ...kept, uid, key, object: after, restarts, owesSinceMs };
    if (!by.isOurs) noteOthers(before, next, by.atMs, by.minReadySeconds);
    this.#byUid.set(uid, next);
    this.#uidByKey.set(key, uid);
  }
}

const owesHook = ({ metadata }: Pod): boolean => metadata.annotations?.['holdfast.dev/updated'] !== undefined;

const owesStill = ({ before, after }: PodChange): number | undefined =>
  before && revisionOf(before.object) === revisionOf(after) ? before.owesSinceMs : undefined;

function terminating(pod: Pod, write: CommittedWrite): Pod {
  const deletionTimestamp = pod.metadata.deletionTimestamp ?? write.event.stageTimestamp;
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp } };
}

function nextRestarts({ before, after }: PodChange, isOurs: boolean): PendingRestarts {
  if (!before) return {};
  const added = isOurs ? restartsAfter(before.object, after) : {};
  return restartsLeft({ ...before.restarts, ...added }, after);
}

function forgetOthers(pod: TrackedPod | undefined): Partial<TrackedPod> {
  return { ...pod, lostAvailableMs: undefined, lostActiveMs: undefined, gainedActiveMs: undefined };
}

function noteOthers(before: TrackedPod | undefined, next: TrackedPod, atMs: number, minReadySeconds: number): void {
  const wasActive = before !== undefined && isOwnedActive(before.object);
  const isNowActive = isOwnedActive(next.object);
  if (wasActive && !isNowActive) next.lostActiveMs = atMs;
  if (!wasActive && isNowActive) next.gainedActiveMs = atMs;
  const wasAvailable = before !== undefined && isSpendable(before, minReadySeconds, atMs);
  const isNowAvailable = isSpendable(next, minReadySeconds, atMs);
  if (wasAvailable && !isNowAvailable) next.lostAvailableMs = atMs;
  if (isNowAvailable) next.lostAvailableMs = undefined;
}

function isOwnedActive(pod: Pod): boolean {
  return owningWorkload(pod) !== undefined && isActive(pod);
}

/** Available, and not waiting for a restart that we caused. */
export function isSpendable(pod: TrackedPod, minReadySeconds: number, atMs: number): boolean {
  return Object.keys(pod.restarts).length === 0 && isAvailable(pod.object, minReadySeconds, atMs);
}
