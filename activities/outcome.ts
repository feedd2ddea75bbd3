/**
 * What became of one write (protocol §2, rule 2): the failure as the client saw it, then a look at the object, then a
 * verdict. Pure; the writes themselves are in pod-writes.ts.
 */
import type { Pod } from '../crds/kubernetes.ts';
import { ApiError, isOutcomeUnknown } from '../kubernetes/errors.ts';

export type Outcome =
  /** The write, or an equal one of ours before it, is in the API. */
  | { result: 'done'; pod?: Pod }
  /** There is no such pod any more. */
  | { result: 'gone' }
  /** Somebody changed it first (then it is `pod` now), or it was not sent; nothing of ours can land any more. */
  | { result: 'moved'; pod?: Pod }
  /** `pod` has the name, and is not what was to be made. */
  | { result: 'taken'; pod: Pod }
  | { result: 'refused'; message: string }
  /** It may have landed, or may land yet. */
  | { result: 'unknown' };

/** A failed write, before anybody looked at the object. */
export type Failure =
  /** Certainly not sent. */
  | { kind: 'unsent' }
  /** Certainly not done: 409, AlreadyExists, 404. */
  | { kind: 'lost' }
  /** 422: the body, or the uid in it. */
  | { kind: 'invalid'; message: string }
  | { kind: 'refused'; message: string }
  /** No answer, or one that says nothing about etcd. */
  | { kind: 'open' };

/** Classifies what a write threw. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError && !error.sent) return { kind: 'unsent' };
  if (!(error instanceof ApiError) || isOutcomeUnknown(error)) return { kind: 'open' };
  switch (error.reason) {
    case 'conflict':
    case 'alreadyExists':
    case 'notFound':
    case 'gone':
    case 'expired':
      return { kind: 'lost' };
    case 'invalid':
      return { kind: 'invalid', message: error.message };
    default:
      return { kind: 'refused', message: error.message };
  }
}

/** What a quorum read after the failure found; `unreadable` when it failed, too. */
export type Found = Pod | 'none' | 'unreadable';

/** The write was a patch of exactly `sent`; `isDone` knows the mark it was to leave. */
export function judgePatch(failure: Failure, found: Found, sent: Pod, isDone: (pod: Pod) => boolean): Outcome {
  if (failure.kind === 'refused') return { result: 'refused', message: failure.message };
  if (found === 'unreadable') return judgeUnread(failure);
  if (found === 'none' || found.metadata.uid !== sent.metadata.uid) return { result: 'gone' };
  if (isDone(found)) return { result: 'done', pod: found };
  if (failure.kind === 'invalid') return { result: 'refused', message: failure.message };
  return mayStillLand(failure, found, sent.metadata.resourceVersion)
    ? { result: 'unknown' }
    : { result: 'moved', pod: found };
}

interface Deleted {
  uid: string;
  resourceVersion: string;
  /** It was terminating before: that alone proves nothing. */
  force?: true;
}

/** The write was a DELETE of this uid at this resourceVersion. */
export function judgeDelete(failure: Failure, found: Found, { uid, resourceVersion, force }: Deleted): Outcome {
  if (failure.kind === 'refused') return { result: 'refused', message: failure.message };
  if (found === 'unreadable') return judgeUnread(failure);
  if (found === 'none' || found.metadata.uid !== uid) return { result: 'gone' };
  const isOnItsWay = found.metadata.deletionTimestamp !== undefined && !force;
  if (isOnItsWay) return { result: 'done', pod: found };
  if (failure.kind === 'invalid') return { result: 'refused', message: failure.message };
  return mayStillLand(failure, found, resourceVersion) ? { result: 'unknown' } : { result: 'moved', pod: found };
}

/** The write was a POST; `isOurs` compares controller, revision and that the pod is not terminating. */
export function judgeCreate(failure: Failure, found: Found, isOurs: (pod: Pod) => boolean): Outcome {
  if (failure.kind === 'refused' || failure.kind === 'invalid') return { result: 'refused', message: failure.message };
  if (found === 'unreadable') return judgeUnread(failure);
  if (found === 'none') return failure.kind === 'open' ? { result: 'unknown' } : { result: 'moved' };
  return isOurs(found) ? { result: 'done', pod: found } : { result: 'taken', pod: found };
}

/** Whether a look at the object can change the verdict. */
export const needsLook = (failure: Failure): boolean => failure.kind !== 'refused' && failure.kind !== 'unsent';

function judgeUnread(failure: Failure): Outcome {
  if (failure.kind === 'open') return { result: 'unknown' };
  if (failure.kind === 'invalid') return { result: 'refused', message: failure.message };
  return { result: 'moved' };
}

/** A write without an answer can only land on the version it was sent for. */
function mayStillLand(failure: Failure, found: Pod, resourceVersion: string | undefined): boolean {
  return failure.kind === 'open' && found.metadata.resourceVersion === resourceVersion;
}
