/**
 * In-place updates as the pod itself tells them: what differs between two revisions, where a pod stands, and when its
 * restart is proven (protocol §3). Nothing here depends on memory: every kill point is readable from the pod.
 */
import type { Condition, ContainerStatus, Pod, PodTemplateSpec } from '../crds/kubernetes.ts';
import { canonicalJson } from './canonical-json.ts';
import { sameImage } from './images.ts';
import {
  GATE_CLOSED_REASON,
  HOT_PATCH_STATE_ANNOTATION,
  IN_PLACE_GRACE_ANNOTATION,
  IN_PLACE_STATE_ANNOTATION,
  READINESS_GATE,
} from './keys.ts';
import { normaliseTemplate } from './normalise.ts';
import { fieldsOf } from './plain-json.ts';
import { conditionOf, gateOf, revisionOf } from './pods.ts';

const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/**
 * How one revision can become another: `other` needs a new pod, `where` names the first field that cannot change in place;
 * `restart` asks for a new pod in words, by the annotation `kubectl.kubernetes.io/restartedAt`.
 */
export type RevisionDiff =
  | { kind: 'none' }
  | { kind: 'metadata' }
  | { kind: 'images'; images: Record<string, string> }
  | { kind: 'restart' }
  | { kind: 'other'; where: string };

const sameJson = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** In the form that is compared; its shape is that of a template again. */
const normalised = (template: PodTemplateSpec): PodTemplateSpec => {
  const { metadata, spec } = normaliseTemplate(template);
  return { metadata, spec } as PodTemplateSpec;
};

function firstDifference(a: Record<string, unknown>, b: Record<string, unknown>, path: string): string {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  const differing = keys.find((key) => !sameJson(a[key], b[key]));
  return differing === undefined ? path : `${path}.${differing}`;
}

function imagesThatDiffer(from: PodTemplateSpec, to: PodTemplateSpec): Record<string, string> | string {
  const images: Record<string, string> = {};
  if (from.spec.containers.length !== to.spec.containers.length) return 'spec.containers';
  for (const [index, wanted] of to.spec.containers.entries()) {
    const current = from.spec.containers[index]!;
    const path = `spec.containers[${index}]`;
    if (current.name !== wanted.name) return `${path}.name`;
    const rest = { ...current, image: wanted.image };
    if (!sameJson(rest, { ...wanted })) return firstDifference(rest, wanted, path);
    if (current.image !== wanted.image && wanted.image !== undefined) images[wanted.name] = wanted.image;
  }
  return images;
}

/** Recorded templates never change, so each pair is compared once. */
const known = new WeakMap<PodTemplateSpec, WeakMap<PodTemplateSpec, RevisionDiff>>();

/** Compares revision with revision, never a pod with a template. Restarting by annotation needs new pods (decision 28). */
export function diffRevisions(from: PodTemplateSpec, to: PodTemplateSpec): RevisionDiff {
  const diffs = known.get(from) ?? new WeakMap<PodTemplateSpec, RevisionDiff>();
  known.set(from, diffs);
  const diff = diffs.get(to) ?? compareTemplates(from, to);
  diffs.set(to, diff);
  return diff;
}

function compareTemplates(fromTemplate: PodTemplateSpec, toTemplate: PodTemplateSpec): RevisionDiff {
  const from = normalised(fromTemplate);
  const to = normalised(toTemplate);
  const images = imagesThatDiffer(from, to);
  if (typeof images === 'string') return { kind: 'other', where: images };
  const restFrom = { ...from.spec, containers: [] };
  const restTo = { ...to.spec, containers: [] };
  if (!sameJson(restFrom, restTo)) return { kind: 'other', where: firstDifference(restFrom, restTo, 'spec') };
  if (from.metadata?.annotations?.[RESTARTED_AT] !== to.metadata?.annotations?.[RESTARTED_AT])
    return { kind: 'restart' };
  if (Object.keys(images).length > 0) return { kind: 'images', images };
  return sameJson(from.metadata, to.metadata) ? { kind: 'none' } : { kind: 'metadata' };
}

/** What W2 records of one container, so that its restart can be proven later. The existing operators record `imageID` only. */
export interface RecordedContainer {
  imageID?: string;
  containerID?: string;
  restartCount?: number;
}

/** Annotations `inplace-update-state` and `hotpatch-update-state`. */
export interface InPlaceState {
  revision: string;
  updateTimestamp: string;
  /** `<revision>/<generation>` of the first patch: the same for all containers of one update, another one for each update. */
  operation?: string;
  lastContainerStatuses: Record<string, RecordedContainer>;
  /** metadata.generation that the patch brings about; the kubelet echoes it as status.observedGeneration. */
  podGeneration?: number;
  /** Containers that get their image after those above, in this order; absent where all have theirs. */
  pending?: string[];
  /** When it is the next one's turn: the container before runs the new image, or is ready as well. */
  policy?: 'OrderedReady' | 'OrderedUpdated';
}

function parseObject(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where the annotation is missing or unreadable. Whatever else stands in it, no other pod may wait for its sake. */
function stateIn({ metadata }: Pod, annotation: string): InPlaceState | undefined {
  const state = parseObject(metadata.annotations?.[annotation]);
  if (typeof state?.revision !== 'string') return undefined;
  const { pending, lastContainerStatuses } = state;
  const own = {
    pending: Array.isArray(pending) ? pending : undefined,
    lastContainerStatuses: recordsIn(lastContainerStatuses),
  };
  return { updateTimestamp: '', ...state, ...own } as unknown as InPlaceState;
}

/** One of a container that is no object records nothing. */
const recordsIn = (records: unknown): Record<string, RecordedContainer> =>
  Object.fromEntries(Object.entries(fieldsOf(records)).map(([name, recorded]) => [name, fieldsOf(recorded)]));

/** What was recorded with images that the pod was given, for the restart or for the exchange (`isHot`) that they bring. */
export interface ImagePatch extends InPlaceState {
  isHot: boolean;
}

/** The patch that gave the pod its revision; undefined where it was created at it. */
export function imagePatchOf(pod: Pod): ImagePatch | undefined {
  const label = revisionOf(pod);
  const inPlace = stateIn(pod, IN_PLACE_STATE_ANNOTATION);
  if (inPlace?.revision === label) return { ...inPlace, isHot: false };
  const hot = stateIn(pod, HOT_PATCH_STATE_ANNOTATION);
  return hot?.revision === label ? { ...hot, isHot: true } : undefined;
}

export type InPlaceStage =
  /** Nothing of an update in place is under way. */
  | { stage: 'none' }
  /** Gate closed for `revision`, old label: the grace runs from `sinceMs`. */
  | { stage: 'grace'; revision: string; sinceMs: number }
  /** Label and images are new; the restart is not proven. */
  | { stage: 'restarting'; revision: string }
  /** Containers change one after the other, and the turn of the next one has come. */
  | { stage: 'next'; revision: string }
  /** The restart is proven; only the gate is still closed (or there is none to open). */
  | { stage: 'restarted'; revision: string };

/** Most pods: one value for all of them. */
const NO_STAGE = { stage: 'none' } as const;

function closedForUpdate(pod: Pod): Condition | undefined {
  const condition = conditionOf(pod, READINESS_GATE);
  return condition?.status === 'False' ? condition : undefined;
}

/**
 * Of pods that were updated in place: what was recorded has to be parsed and compared, and pods of a store are looked at in
 * every plan. A store gives the same object until its pod changes, and nobody changes an object that was observed: so this
 * answers nothing but what would be read again. Pods that were never updated are read faster than kept.
 */
const stages = new WeakMap<Pod, InPlaceStage>();

/**
 * Where the pod stands in an update in place. The existing operators write the label and a grace annotation before the
 * images: such a pod is still in its grace (protocol §3).
 */
export function inPlaceStageOf(pod: Pod): InPlaceStage {
  if (pod.metadata.annotations?.[IN_PLACE_STATE_ANNOTATION] === undefined) return readStage(pod);
  const before = stages.get(pod);
  if (before !== undefined) return before;
  const stage = readStage(pod);
  stages.set(pod, stage);
  return stage;
}

function readStage(pod: Pod): InPlaceStage {
  const label = revisionOf(pod);
  const closed = closedForUpdate(pod);
  const foreignGrace = parseObject(pod.metadata.annotations?.[IN_PLACE_GRACE_ANNOTATION]);
  if (foreignGrace !== undefined) {
    const { updateTimestamp = '' } = stateIn(pod, IN_PLACE_STATE_ANNOTATION) ?? {};
    return { stage: 'grace', revision: label, sinceMs: Date.parse(updateTimestamp) || 0 };
  }
  if (
    closed?.reason === GATE_CLOSED_REASON &&
    closed.message !== undefined &&
    closed.message !== label &&
    isRevisionText(closed.message)
  ) {
    return { stage: 'grace', revision: closed.message, sinceMs: Date.parse(closed.lastTransitionTime ?? '') || 0 };
  }
  return stageOfPatch(pod, closed);
}

/** Where the patch stands that the pod was given last; a grace for another one that has begun since is left out. */
export const patchStageOf = (pod: Pod): StageOfPatch => stageOfPatch(pod, closedForUpdate(pod));

type StageOfPatch = Exclude<InPlaceStage, { stage: 'grace' }>;

function stageOfPatch(pod: Pod, closed: Condition | undefined): StageOfPatch {
  const patch = imagePatchOf(pod);
  if (patch !== undefined && !isCarriedOut(pod, patch)) {
    return { stage: isNextDue(pod, patch) ? 'next' : 'restarting', revision: revisionOf(pod) };
  }
  return closed === undefined ? NO_STAGE : { stage: 'restarted', revision: revisionOf(pod) };
}

/** The existing operators leave the message empty or write prose; ours is one revision name. */
const isRevisionText = (message: string): boolean => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(message);

/** False where the kubelet says that it has not seen the patch yet: what its status shows may be about to change. */
const mayHaveSeen = (pod: Pod, { podGeneration = 0 }: InPlaceState): boolean =>
  (pod.status?.observedGeneration ?? podGeneration) >= podGeneration;

/** A restart gives the container another id. A hot patch may leave it: there the image alone can prove it. */
function isProven(pod: Pod, recorded: RecordedContainer, status: ContainerStatus, patch: ImagePatch): boolean {
  if (status.state?.running === undefined) return false;
  const isSame = recorded.containerID !== undefined && status.containerID === recorded.containerID;
  if (isSame && !patch.isHot) return false;
  const wanted = pod.spec.containers.find((container) => container.name === status.name)?.image;
  const isWanted = wanted !== undefined && sameImage(status.image, wanted);
  const isUnrecorded = recorded.containerID === undefined && recorded.imageID === undefined;
  if (isUnrecorded) return isWanted && mayHaveSeen(pod, patch);
  if (recorded.imageID !== undefined && status.imageID !== recorded.imageID) return true;
  if (isWanted) return !isSame || mayHaveSeen(pod, patch);
  const observed = pod.status?.observedGeneration ?? 0;
  const isKnown = recorded.containerID !== undefined && !isSame;
  return isKnown && patch.podGeneration !== undefined && observed >= patch.podGeneration;
}

/** Each recorded container runs and is provably another one than before; `ready`: and is ready. */
function areProven(pod: Pod, patch: ImagePatch, when: 'ready' | 'running'): boolean {
  const { lastContainerStatuses: recorded } = patch;
  return Object.keys(recorded).every((name) => {
    const status = pod.status?.containerStatuses?.find((candidate) => candidate.name === name);
    if (status === undefined || (when === 'ready' && !status.ready)) return false;
    return isProven(pod, recorded[name]!, status, patch);
  });
}

/** Evidence of protocol §3: every container that changes has changed, runs and is ready. */
export const isCarriedOut = (pod: Pod, patch: ImagePatch): boolean =>
  (patch.pending ?? []).length === 0 && areProven(pod, patch, 'ready');

const isNextDue = (pod: Pod, patch: ImagePatch): boolean =>
  (patch.pending ?? []).length > 0 && areProven(pod, patch, patch.policy === 'OrderedUpdated' ? 'running' : 'ready');

/**
 * The images that the pod was given last are not proven to run: a restart may be under way or yet to come, whatever the gate
 * says by now. A gate that opened here would put a pod into service that is about to go down.
 */
export function isPatchPending(pod: Pod): boolean {
  const patch = imagePatchOf(pod);
  return patch !== undefined && !isCarriedOut(pod, patch);
}

/** True where the gate of this pod may be opened now: its restart is proven, or no restart will come. */
export const mayOpenGate = (pod: Pod): boolean =>
  gateOf(pod) === 'absent' || (gateOf(pod) === 'closed' && inPlaceStageOf(pod).stage === 'restarted');
