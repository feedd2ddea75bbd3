/**
 * Pods as an API server tells of them in the middle of an update in place, half of them updated: with the conditions, states and
 * records that a plan has to read, under many nodes and at many moments.
 */
import { createHash } from 'node:crypto';
import { patchImagesPatch } from '../core/in-place-patches.ts';
import { READINESS_GATE } from '../core/keys.ts';
import { isGameStatefulSet } from '../core/kinds.ts';
import { newPod } from '../core/new-pod.ts';
import { ordinalPodName } from '../core/ordinals.ts';
import { newPodNames } from '../core/plan/names.ts';
import type { NodeFacts, Revision } from '../core/plan/types.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Condition, ContainerStatus, Pod } from '../crds/kubernetes.ts';

/** Long ago, as most pods of a workload are created. */
const CREATED_MS = Date.parse('2026-11-29T12:00:00Z');
const UPDATED_MS = Date.parse('2026-11-30T11:00:00Z');
/** How many become ready within a second. */
const PER_SECOND = 20;
const PODS_PER_NODE = 100;

const timestamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const uidOf = (text: string): string => digest(text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
const nodeOf = (index: number): string => `node-${Math.floor(index / PODS_PER_NODE)}`;

/** All of them Ready. */
export const nodesOf = (count: number): Record<string, NodeFacts> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [nodeOf(index), { ready: true }]));

/** One a replica: the first half at `from`, the others brought from there to `to`. */
export function observedPods(workload: GameWorkload, from: Revision, to: Revision): Pod[] {
  const { name } = workload.metadata;
  const { replicas = 1 } = workload.spec;
  const names = isGameStatefulSet(workload)
    ? Array.from({ length: replicas }, (_, ordinal) => ordinalPodName(name, ordinal))
    : newPodNames(name, replicas, new Set(), 'bench');
  return names.map((pod, index) => {
    const created = running(newPod(workload, from, pod), index);
    return index < replicas / 2 ? created : updated(created, { from, to, index });
  });
}

function running(pod: Pod, index: number): Pod {
  const createdMs = CREATED_MS + Math.floor(index / PER_SECOND) * 1000;
  const metadata = {
    ...pod.metadata,
    uid: uidOf(pod.metadata.name),
    resourceVersion: String(1_000_000 + index),
    generation: 1,
    creationTimestamp: timestamp(createdMs),
  };
  const placed = { ...pod, metadata, spec: { ...pod.spec, nodeName: nodeOf(index) } };
  return withStatus(placed, { createdMs, readyMs: createdMs + 5_000, restarts: 0 });
}

interface Times {
  createdMs: number;
  readyMs: number;
  restarts: number;
}

function withStatus(pod: Pod, times: Times): Pod {
  const at = (type: string, ms: number): Condition => ({ type, status: 'True', lastTransitionTime: timestamp(ms) });
  const early = ['PodReadyToStartContainers', 'Initialized', 'PodScheduled'].map((type) => at(type, times.createdMs));
  const late = [READINESS_GATE, 'Ready', 'ContainersReady'].map((type) => at(type, times.readyMs));
  const status = {
    phase: 'Running' as const,
    observedGeneration: pod.metadata.generation,
    conditions: [late[0]!, ...early.slice(0, 2), ...late.slice(1), early[2]!],
    hostIP: '10.0.0.1',
    podIP: '10.1.0.1',
    startTime: timestamp(times.createdMs),
    containerStatuses: pod.spec.containers.map(({ name, image = '' }) => statusOf(pod, { name, image }, times)),
  };
  return { ...pod, status };
}

function statusOf(pod: Pod, { name, image }: { name: string; image: string }, times: Times): ContainerStatus {
  return {
    name,
    image,
    imageID: `${image.replace(/:.*$/, '')}@sha256:${digest(image)}`,
    containerID: `containerd://${digest(`${pod.metadata.name}/${name}/${times.restarts}`)}`,
    ready: true,
    started: true,
    restartCount: times.restarts,
    state: { running: { startedAt: timestamp(times.readyMs - 1000) } },
  };
}

/** By the patch that the operator sends, its restart over. */
function updated(pod: Pod, { from, to, index }: { from: Revision; to: Revision; index: number }): Pod {
  const readyMs = UPDATED_MS + Math.floor(index / PER_SECOND) * 1000;
  const patch = patchImagesPatch(pod, { from: from.template, to }, readyMs - 5_000) as Pick<Pod, 'metadata' | 'spec'>;
  const present = Object.entries(patch.metadata.annotations ?? {}).filter(([, value]) => value !== null);
  const metadata = {
    ...pod.metadata,
    generation: 2,
    labels: { ...pod.metadata.labels, ...patch.metadata.labels },
    annotations: { ...pod.metadata.annotations, ...Object.fromEntries(present) },
  };
  const images = new Map(patch.spec.containers.map(({ name, image }) => [name, image]));
  const containers = pod.spec.containers.map((each) => ({ ...each, image: images.get(each.name) ?? each.image }));
  const createdMs = CREATED_MS + Math.floor(index / PER_SECOND) * 1000;
  return withStatus({ ...pod, metadata, spec: { ...pod.spec, containers } }, { createdMs, readyMs, restarts: 1 });
}
