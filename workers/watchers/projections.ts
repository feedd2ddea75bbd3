/** What of an object rings a bell: two objects with the same projection are the same to a workflow. Pure. */
import {
  HOT_PATCH_STATE_ANNOTATION,
  IN_PLACE_STATE_ANNOTATION,
  INDEX_ON_ANNOTATION,
  INDEX_RANGE_ANNOTATION,
  MOVE_ANNOTATION,
  NODE_LOST_ANNOTATION,
  POD_DELETING_ANNOTATION,
  POD_DELETION_COST_ANNOTATION,
  READINESS_GATE,
  UPDATED_ANNOTATION,
} from '../../core/keys.ts';
import { seenGeneration } from '../../core/status/stalled.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import type { KubernetesObject, Node, Pod } from '../../crds/kubernetes.ts';

/** Of annotations that people write for us. */
const OUR_PREFIX = 'holdfast.dev/';
const WORKLOAD_ANNOTATIONS = new Set([INDEX_ON_ANNOTATION, INDEX_RANGE_ANNOTATION]);
const POD_ANNOTATIONS = [
  MOVE_ANNOTATION,
  UPDATED_ANNOTATION,
  POD_DELETING_ANNOTATION,
  POD_DELETION_COST_ANNOTATION,
  IN_PLACE_STATE_ANNOTATION,
  HOT_PATCH_STATE_ANNOTATION,
  NODE_LOST_ANNOTATION,
];
const POD_CONDITIONS = new Set(['Ready', 'PodScheduled', READINESS_GATE]);

/** Generation, deletion and our annotations; never the status, which we write ourselves. */
export function workloadProjection({ metadata }: KubernetesObject): string {
  const { uid, generation, deletionTimestamp, annotations = {} } = metadata;
  const isOurs = (key: string) => key.startsWith(OUR_PREFIX) || WORKLOAD_ANNOTATIONS.has(key);
  const ours = Object.entries(annotations).filter(([key]) => isOurs(key));
  return JSON.stringify([uid, generation, deletionTimestamp, ours.sort()]);
}

/** No status tells of its spec yet, but that the API refuses to record it. */
export const isUnseen = ({ metadata, status }: GameWorkload): boolean =>
  seenGeneration(status) < (metadata.generation ?? 0);

/** Readiness, phase, deletion, whose it is by labels and controller, and what proves that containers run their new images. */
export function podProjection({ metadata, spec, status }: Pod): string {
  const { uid, deletionTimestamp, labels = {}, annotations, ownerReferences } = metadata;
  const conditions = (status?.conditions ?? [])
    .filter(({ type }) => POD_CONDITIONS.has(type))
    .map(({ type, status: value }) => `${type}=${value}`);
  const containers = (status?.containerStatuses ?? []).map(
    ({ name, ready, restartCount, containerID, image, imageID, state }) => [
      ...[name, ready, restartCount, containerID, image, imageID],
      state === undefined ? '' : Object.keys(state).join(),
    ],
  );
  const marks = POD_ANNOTATIONS.map((key) => annotations?.[key]);
  const controller = ownerReferences?.find(({ controller: isController }) => isController === true)?.uid;
  return JSON.stringify([
    uid,
    deletionTimestamp,
    Object.entries(labels).sort(),
    controller,
    status?.phase,
    spec.nodeName,
    conditions,
    containers,
    marks,
  ]);
}

/**
 * What a bell is rung for: pods moved, steps done, a spec seen. Readiness alone is none, nor is `moving`, which follows it: a
 * pod whose readiness flips would ring each second for ever.
 */
export function effectProjection({ status = {} }: GameWorkload): string {
  const { observedGeneration, replicas, updatedReplicas, currentRevision, updateRevision, currentStepIndex } = status;
  return JSON.stringify([
    ...[observedGeneration, replicas, updatedReplicas],
    ...[currentRevision, updateRevision, currentStepIndex],
  ]);
}

/** Where the run stands, for the workload that waits for it. */
export const hookRunProjection = ({ metadata, status }: HookRun): string =>
  JSON.stringify([metadata.uid, metadata.deletionTimestamp, status?.phase]);

/** Whether pods on the node may be counted on. */
export const nodeProjection = ({ metadata, status }: Node): string =>
  JSON.stringify([metadata.uid, status?.conditions?.find(({ type }) => type === 'Ready')?.status]);
