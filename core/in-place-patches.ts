/** The bodies of the writes of an update in place (protocol §3): W1, W2 and W3, as strategic merge patches. */
import type { Pod, PodTemplateSpec } from '../crds/kubernetes.ts';
import type { InPlaceUpdateStrategy } from '../crds/update-strategy.ts';
import { gateRunName } from './hooks/names.ts';
import { sameImage } from './images.ts';
import { diffRevisions, type InPlaceState, imagePatchOf, isPatchPending, type RecordedContainer } from './in-place.ts';
import {
  GATE_CLOSED_REASON,
  HOT_PATCH_ANNOTATION,
  HOT_PATCH_STATE_ANNOTATION,
  IN_PLACE_GRACE_ANNOTATION,
  IN_PLACE_STATE_ANNOTATION,
  MOVE_ANNOTATION,
  POD_DELETING_ANNOTATION,
  READINESS_GATE,
  REVISION_LABEL,
  UPDATED_ANNOTATION,
} from './keys.ts';
import { conditionOf, instanceIdOf } from './pods.ts';

/** Compare-and-swap on the pod that was seen: goes into the metadata of every patch. */
const swap = (pod: Pod) => ({ uid: pod.metadata.uid, resourceVersion: pod.metadata.resourceVersion });

const timestamp = (nowMs: number): string => new Date(nowMs).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** W1, on /status: the gate closes, its message is the target, its lastTransitionTime is the clock of the grace. */
export function closeGatePatch(pod: Pod, revision: string, nowMs: number): object {
  const condition = {
    type: READINESS_GATE,
    status: 'False',
    reason: GATE_CLOSED_REASON,
    message: revision,
    lastTransitionTime: timestamp(nowMs),
  };
  return { metadata: swap(pod), status: { conditions: [condition] } };
}

/** W3, on /status. The condition's reason and message are emptied so that no old target stays readable. */
export function openGatePatch(pod: Pod, nowMs: number): object {
  const isOpen = conditionOf(pod, READINESS_GATE)?.status === 'True';
  const transition = isOpen ? {} : { lastTransitionTime: timestamp(nowMs) };
  const condition = { type: READINESS_GATE, status: 'True', reason: 'Ready', message: '', ...transition };
  return { metadata: swap(pod), status: { conditions: [condition] } };
}

function changedKeys(
  from: Record<string, string> = {},
  to: Record<string, string> = {},
): Record<string, string | null> {
  const removed = Object.keys(from).filter((key) => !(key in to));
  return { ...Object.fromEntries(removed.map((key) => [key, null])), ...to };
}

/** Only keys of the templates are ours: what others put on the pod stays (game-workloads §5, 39). */
function metadataChanges(from: PodTemplateSpec, to: PodTemplateSpec) {
  return {
    labels: changedKeys(from.metadata?.labels, to.metadata?.labels),
    annotations: changedKeys(from.metadata?.annotations, to.metadata?.annotations),
  };
}

/**
 * What the restart will be proven against. Every patch restarts its containers, even where the image runs under another
 * name. Only a patch that replaces one which the kubelet may not have carried out can be without a restart, where the
 * image of before is wanted again: then the kubelet's word that it saw the patch is the proof, and nothing is recorded.
 * The image of the replaced patch may still come up for a moment, so a changed image proves nothing there.
 */
function record(pod: Pod, container: string, image: string): RecordedContainer {
  const status = pod.status?.containerStatuses?.find(({ name }) => name === container);
  if (status === undefined) return {};
  const { imageID, containerID, restartCount } = status;
  const isReplaced = container in (pendingStateOf(pod)?.lastContainerStatuses ?? {});
  if (!isReplaced) return { imageID, containerID, restartCount };
  const isRunning = status.state?.running !== undefined && sameImage(status.image, image);
  return isRunning ? {} : { containerID, restartCount };
}

/** The patch that the pod was given last, while its restart is not proven. */
const pendingStateOf = (pod: Pod): InPlaceState | undefined => (isPatchPending(pod) ? imagePatchOf(pod) : undefined);

/** How a pod becomes one of the revision `to` by new images. */
export interface ImageChange {
  from: PodTemplateSpec;
  to: { name: string; template: PodTemplateSpec };
  /** The order in which containers change; absent means all at once. */
  policy?: InPlacePolicy;
  /** Exchanged without a restart, where the kubelet can do it: all containers at once. */
  isHot?: boolean;
  /** HookTemplate of the hook that is to follow; absent where there is none. */
  hookAfter?: string;
}

export type InPlacePolicy = NonNullable<InPlaceUpdateStrategy['policy']>;
type Images = [container: string, image: string][];

/** What the pod is given now, and what has to wait for that. */
interface Turn {
  now: Images;
  pending: string[];
  policy: InPlacePolicy;
  /** Of the update that this turn goes on with. */
  operation?: string;
}

const imagesOf = (to: PodTemplateSpec): Images =>
  to.spec.containers.flatMap(({ name, image }): Images => (image === undefined ? [] : [[name, image]]));

/**
 * Images that differ between the revisions, and those that an update which ends here still owed. A pod in a grace of the
 * existing operators carries the new label already: its own images tell what is left.
 */
function imagesToWrite(pod: Pod, { from, to }: ImageChange): Images {
  const diff = diffRevisions(from, to.template);
  const differing = new Set(diff.kind === 'images' ? Object.keys(diff.images) : []);
  const owed = new Set(pendingStateOf(pod)?.pending);
  const isForeignGrace = pod.metadata.annotations?.[IN_PLACE_GRACE_ANNOTATION] !== undefined;
  const current = new Map(pod.spec.containers.map(({ name, image }) => [name, image]));
  return imagesOf(to.template).filter(
    ([name, image]) =>
      (isForeignGrace || differing.has(name) || owed.has(name)) && current.has(name) && current.get(name) !== image,
  );
}

/** Ordered: one container at a time, as the template lists them. An update that has begun keeps its order. */
function turnOf(pod: Pod, change: ImageChange): Turn {
  const images = imagesToWrite(pod, change);
  const before = pendingStateOf(pod);
  const isBegun = before?.revision === change.to.name && before.pending !== undefined;
  const policy = (isBegun ? before.policy : change.policy) ?? 'DisOrdered';
  if (policy === 'DisOrdered' || change.isHot) return { now: images, pending: [], policy };
  const operation = isBegun ? { operation: before.operation } : {};
  return { now: images.slice(0, 1), pending: images.slice(1).map(([name]) => name), policy, ...operation };
}

function stateOf(pod: Pod, revision: string, { now, pending, policy, operation }: Turn, nowMs: number): InPlaceState {
  const podGeneration = (pod.metadata.generation ?? 0) + (now.length > 0 ? 1 : 0);
  const records = now.map(([name, image]) => [name, record(pod, name, image)]);
  const isPolicyKept = pending.length > 0 && policy !== 'DisOrdered';
  return {
    revision,
    updateTimestamp: timestamp(nowMs),
    operation: operation ?? `${revision}/${podGeneration}`,
    // A container that an earlier patch has yet to restart is waited for as well.
    lastContainerStatuses: { ...pendingStateOf(pod)?.lastContainerStatuses, ...Object.fromEntries(records) },
    podGeneration,
    ...(isPolicyKept ? { pending, policy } : {}),
  };
}

/** Nothing where it is not there: a patch says no more than it changes. */
const withoutAnnotation = ({ metadata }: Pod, key: string): Record<string, null> =>
  metadata.annotations?.[key] === undefined ? {} : { [key]: null };

const withoutHotPatch = (pod: Pod): Record<string, null> => ({
  ...withoutAnnotation(pod, HOT_PATCH_STATE_ANNOTATION),
  ...withoutAnnotation(pod, HOT_PATCH_ANNOTATION),
});

/** One record at a time tells how the pod got its images, and how a kubelet is to bring them about. */
const recordOf = (pod: Pod, state: InPlaceState, isHot = false): Record<string, string | null> =>
  isHot
    ? {
        ...withoutAnnotation(pod, IN_PLACE_STATE_ANNOTATION),
        [HOT_PATCH_STATE_ANNOTATION]: JSON.stringify(state),
        [HOT_PATCH_ANNOTATION]: 'true',
      }
    : { ...withoutHotPatch(pod), [IN_PLACE_STATE_ANNOTATION]: JSON.stringify(state) };

/**
 * What the pod owes once the update is completed, bound to the version that it is written on. The next containers of an update
 * that has begun change nothing about it; a mark that an earlier update left is void.
 */
function hookAfter(pod: Pod, { to, isHot, hookAfter: templateName }: ImageChange): Record<string, string | null> {
  if (pendingStateOf(pod)?.revision === to.name) return {};
  if (templateName === undefined || isHot === true) return withoutAnnotation(pod, UPDATED_ANNOTATION);
  const attempt = pod.metadata.resourceVersion ?? '';
  const instanceId = instanceIdOf(pod);
  const hookRun = gateRunName({ gate: 'postinplace', podRevision: to.name, instanceId, templateName, attempt });
  return { [UPDATED_ANNOTATION]: JSON.stringify({ kind: 'updated', attempt, hookRun }) };
}

/**
 * W2: label, state annotation and images in one write; marks of a passed gate go with it. Only images that differ
 * between the two revisions are written: what an admission webhook made of the others stays.
 */
export function patchImagesPatch(pod: Pod, change: ImageChange, nowMs: number): object {
  const { from, to } = change;
  const turn = turnOf(pod, change);
  const { labels, annotations } = metadataChanges(from, to.template);
  const bookkeeping = {
    [IN_PLACE_GRACE_ANNOTATION]: null,
    [MOVE_ANNOTATION]: null,
    [POD_DELETING_ANNOTATION]: null,
  };
  const containers = turn.now.map(([name, image]) => ({ name, image }));
  return {
    metadata: {
      ...swap(pod),
      labels: { ...labels, [REVISION_LABEL]: to.name },
      annotations: {
        ...recordOf(pod, stateOf(pod, to.name, turn, nowMs), change.isHot),
        ...annotations,
        ...hookAfter(pod, change),
        ...bookkeeping,
      },
    },
    ...(containers.length > 0 ? { spec: { containers } } : {}),
  };
}

/** Template metadata and the label only: nothing restarts (decision 28). */
export function patchMetadataPatch(
  pod: Pod,
  from: PodTemplateSpec,
  to: { name: string; template: PodTemplateSpec },
): object {
  const { labels, annotations } = metadataChanges(from, to.template);
  return {
    metadata: {
      ...swap(pod),
      labels: { ...labels, [REVISION_LABEL]: to.name },
      annotations: {
        ...withoutAnnotation(pod, HOT_PATCH_STATE_ANNOTATION),
        ...annotations,
        [IN_PLACE_STATE_ANNOTATION]: null,
        [MOVE_ANNOTATION]: null,
        [POD_DELETING_ANNOTATION]: null,
      },
    },
  };
}
