/**
 * The hook after an update in place (decision 37, docs/adr/0016), as far as the log shows it: a pod that is given new images owes the
 * hook, in the very write; it is asked when its containers have restarted and its gate is open, and once; the debt goes with a
 * success, or with another update; where it failed no other pod begins to be updated to that revision, also when its pod is gone; no step
 * is told to be passed before. What people say ends failures; the judge is told of that.
 */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import type { HookHistory, KnownRun } from './hook-history.ts';
import { changedImages, gateClosedFor, isActive, isGateClosed, revisionOf } from './judged-pod.ts';
import type { TrackedPod } from './pod-replay.ts';
import { isStable, type Scene, turnedTo } from './promises.ts';
import { isSpokenFor } from './spoken-words.ts';

const AFTER = 'post-inplace-step';

const hasHookAfter = ({ spec }: GameWorkload): boolean => spec.postInplaceUpdateStrategy?.hook !== undefined;

const isHot = ({ spec }: GameWorkload): boolean => spec.updateStrategy?.type === 'HotPatchUpdate';

/** The attempt of the hook that the pod owes. */
export function owedAttempt({ metadata }: Pod): string | undefined {
  const mark = metadata.annotations?.['holdfast.dev/updated'];
  if (mark === undefined) return undefined;
  const { attempt } = JSON.parse(mark) as { attempt?: string };
  return attempt ?? '';
}

/** A pod that gets new images owes the hook from that write on; a debt goes only with a success, or another update. */
export function checkOwed(scene: Scene): string | undefined {
  const { before, after, inForce } = scene;
  if (!before || !isActive(before.object) || !isActive(after)) return undefined;
  const isTurned = turnedTo(scene) !== undefined;
  const isChanged = isTurned && changedImages(before.object, after).length > 0;
  const [owed, attempt] = [owedAttempt(before.object), owedAttempt(after)];
  if (isChanged && inForce.every((workload) => hasHookAfter(workload) && !isHot(workload))) {
    const version = before.object.metadata.resourceVersion;
    return attempt === version ? undefined : `it gets new images at version ${version} and owes ${sayOwed(attempt)}`;
  }
  if (owed === undefined || attempt === owed || isTurned || !inForce.every(hasHookAfter)) return undefined;
  return attempt === undefined ? checkTakenOff(scene, before, owed) : checkAskedAgain(scene, before, owed);
}

const sayOwed = (attempt: string | undefined): string =>
  attempt === undefined ? 'no hook after that' : `one of version ${attempt}`;

function checkTakenOff(scene: Scene, { uid, key }: TrackedPod, owed: string): string | undefined {
  const runs = scene.hooks.of(uid, AFTER, owed);
  if (runs.some((run) => run.verdict === 'Successful' || isPassed(scene, key, run, ['skip']))) return undefined;
  return `it owes its hook of version ${owed} no more, which ${sayEnd(runs)}`;
}

function checkAskedAgain({ hooks }: Scene, { uid }: TrackedPod, owed: string): string | undefined {
  const runs = hooks.of(uid, AFTER, owed);
  if (runs.some(({ verdict }) => verdict !== undefined && verdict !== 'Successful')) return undefined;
  return `it owes another hook than that of version ${owed}, which ${sayEnd(runs)}`;
}

const sayEnd = (runs: readonly KnownRun[]): string => {
  const verdict = runs.at(-1)?.verdict;
  if (runs.length === 0) return 'was not asked';
  return verdict === undefined ? 'has no verdict' : `ended ${verdict}`;
};

const isPassed = (
  { words, key: workload, answeredMs: atMs, graceMs }: Pick<Scene, 'words' | 'key' | 'answeredMs' | 'graceMs'>,
  pod: string,
  { endedMs }: KnownRun,
  verbs: readonly string[],
): boolean => endedMs !== undefined && isSpokenFor(words, verbs, { workload, pod, failedMs: endedMs, atMs, graceMs });

/** The revision that the write begins to bring the pod to; what has begun is finished whatever fails meanwhile. */
function begunTo(scene: Scene): string | undefined {
  const { before, after } = scene;
  if (!before || !isActive(before.object) || !isActive(after) || isGateClosed(before.object)) return undefined;
  const target = isGateClosed(after) ? gateClosedFor(after) : turnedTo(scene);
  return target === revisionOf(before.object) ? undefined : target;
}

/** Where a hook after an update has failed, no further update to that revision begins. */
export function checkHeld(scene: Scene): string | undefined {
  const target = begunTo(scene);
  if (target === undefined || isStable(scene, target) || !scene.inForce.every(hasHookAfter)) return undefined;
  const run = failureSince(scene, target, scene.receivedMs - scene.graceMs);
  if (run === undefined) return undefined;
  const when = new Date(run.endedMs ?? 0).toISOString().slice(11, 19);
  return `the hook of ${run.podUid} after its update to ${target} ended ${run.verdict} at ${when}`;
}

type HoldScene = Pick<
  Scene,
  'hooks' | 'pods' | 'words' | 'key' | 'owner' | 'answeredMs' | 'graceMs' | 'retriedMs' | 'targetSinceMs'
>;

/** The first failure that holds up updates to the revision, and did so at `untilMs` already. */
function failureSince(scene: HoldScene, target: string, untilMs: number): KnownRun | undefined {
  const failed = scene.hooks.failed(scene.owner, AFTER, target);
  const isOfNow = ({ endedMs = 0 }: KnownRun) => endedMs <= untilMs && endedMs > scene.targetSinceMs(target);
  return failed.find((run) => isOfNow(run) && holds(scene, target, run));
}

/** A pod that is there speaks for itself: a retry, too, must have succeeded. Where it is gone a person's word is enough. */
function holds(scene: HoldScene, target: string, run: KnownRun): boolean {
  const pod = scene.pods.find(({ uid }) => uid === run.podUid);
  const key = pod?.key ?? '';
  if (isPassed(scene, key, run, ['skip'])) return false;
  if (pod !== undefined && isActive(pod.object)) return isAbout(run, pod, target) && owes(scene, pod);
  // `retry: true` in the spec is a word, too.
  return !isPassed(scene, key, run, ['retry', 'abort']) && (run.endedMs ?? 0) > scene.retriedMs();
}

/** What the pod owes now, or an earlier attempt at it: not what it owed before another update. */
const isAbout = ({ endedMs = 0 }: KnownRun, { object, owesSinceMs = 0 }: TrackedPod, target: string): boolean =>
  revisionOf(object) === target && endedMs >= owesSinceMs;

/** Its last attempt has not succeeded. */
function owes({ hooks }: HoldScene, { uid, object }: TrackedPod): boolean {
  const attempt = owedAttempt(object);
  if (attempt === undefined) return false;
  return !hooks.of(uid, AFTER, attempt).some(({ verdict }) => verdict === 'Successful');
}

/** What the judge looks at when the controller tells how far the rollout is. */
export interface ToldScene extends HoldScene {
  before: GameWorkload;
  after: GameWorkload;
  /** The status may be so late. */
  lagMs: number;
}

/** A step is passed, or the rollout at its end, when no pod of the revision owes its hook: those that owed one long before count. */
export function checkTold(scene: ToldScene): string | undefined {
  const { before, after, pods, answeredMs, lagMs, words, key } = scene;
  const target = after.status?.updateRevision;
  const isPromoted = words.some(({ verb, workload }) => verb === 'promote' && workload === key);
  if (target === undefined || !isFurther(before, after) || isPromoted || !hasHookAfter(after)) return undefined;
  const sinceMs = answeredMs - lagMs;
  const isLate = (pod: TrackedPod) =>
    isActive(pod.object) && revisionOf(pod.object) === target && (pod.owesSinceMs ?? answeredMs) <= sinceMs;
  const late = pods.find((pod) => isLate(pod) && owes(scene, pod) && !isSkipped(scene, pod));
  if (late !== undefined) return `${late.key} owes its hook after the update to ${target}`;
  const run = failureSince(scene, target, sinceMs);
  return run && `the hook of ${run.podUid} after its update to ${target} ended ${run.verdict}`;
}

const isSkipped = (scene: ToldScene, { uid, key, object }: TrackedPod): boolean =>
  scene.hooks.of(uid, AFTER, owedAttempt(object)).some((run) => isPassed(scene, key, run, ['skip']));

/** Of one rollout: the next step, or its revision is the stable one now. */
function isFurther({ status: before = {} }: GameWorkload, { status: after = {} }: GameWorkload): boolean {
  const { updateRevision } = after;
  if (before.updateRevision !== updateRevision) return false;
  const isOver = after.currentRevision === updateRevision && before.currentRevision !== updateRevision;
  return isOver || (after.currentStepIndex ?? 0) > (before.currentStepIndex ?? 0);
}

/** A hook after an update looks at the pod as it was updated. */
export function checkAskedInTime(pod: TrackedPod | undefined): string | undefined {
  if (pod === undefined) return undefined;
  const waiting = Object.keys(pod.restarts);
  if (waiting.length > 0) return `its hook is asked before ${waiting.join(', ')} has restarted`;
  return isGateClosed(pod.object) ? 'its hook is asked while its gate is closed' : undefined;
}

/** One decision is one question: what has succeeded is not asked again, unless somebody took the run away. */
export function checkAskedOnce(hooks: HookHistory, { podUid, type, attempt }: KnownRun): string | undefined {
  const known = hooks.of(podUid, type, attempt);
  return known.some(({ verdict, isTaken }) => verdict === 'Successful' && isTaken !== true)
    ? `its ${type} hook of attempt ${attempt} has succeeded, and is asked again`
    : undefined;
}
