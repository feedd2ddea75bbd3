/**
 * Workloads as the existing operators leave them in a cluster (game-workloads §1.3, §1.5, §2.5), written by hand from that
 * page: their revisions, identities, gates, bookkeeping of updates in place and status. kwok runs the pods.
 */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { ControllerRevision, KubernetesObject, Pod, PodTemplateSpec } from '../../crds/kubernetes.ts';
import type { GameNamespace } from '../game-deployment/game-namespace.ts';
import { eventually } from '../support/eventually.ts';

const GROUP = '/apis/tkex.tencent.com/v1alpha1';
const GATE = 'InPlaceUpdateReady';
/** Their hashes are ten characters of their own encoding; nothing of ours can compute them. */
const HASHES: Record<string, string> = { 'game:1': '67864c6f65', 'game:2': 'f4d8b7c59' };

export interface LeftPod {
  /** Instance id of a GameDeployment's pod, ordinal of a GameStatefulSet's. */
  id: string;
  image: string;
  /** It came to its image by an update in place, which is over. */
  isUpdatedInPlace?: boolean;
  annotations?: Record<string, string>;
}

export interface LeftWorkload {
  /** With the spec of today. */
  manifest: Record<string, unknown>;
  /** Of its revisions, the oldest first; the last is that of the spec. */
  images: string[];
  pods: LeftPod[];
  /** Fields of the status beside those that all have. */
  status: (revisions: Record<string, string>) => object;
  /** The template as the operator held it in memory when it recorded it. */
  inMemory?: (template: PodTemplateSpec) => PodTemplateSpec;
}

/** What is there before Holdfast starts. */
export interface Left {
  workload: GameWorkload;
  /** Names by image. */
  revisions: Record<string, string>;
  pods: Pod[];
  recorded: ControllerRevision[];
}

/** Returns when all pods are ready and the status stands. */
export async function leave(space: GameNamespace, left: LeftWorkload): Promise<Left> {
  const { kind, metadata } = left.manifest as unknown as KubernetesObject;
  const path = `${GROUP}/namespaces/${space.name}/${kind?.toLowerCase()}s`;
  const workload = await send<GameWorkload>(space, 'POST', path, left.manifest);
  const names = left.images.map((image) => [image, `${metadata.name}-${HASHES[image]}`]);
  const revisions: Record<string, string> = Object.fromEntries(names);
  for (const [at, image] of left.images.entries())
    await send(space, 'POST', revisionsPath(space), recordedAs(workload, left, revisions[image]!, image, at + 1));
  await Promise.all(left.pods.map((pod) => leavePod(space, workload, revisions, pod)));
  const pods = await space.untilPods(countImages(left.pods));
  const status = { ...commonStatus(workload, left, revisions), ...left.status(revisions) };
  const stored = await send<GameWorkload>(space, 'PATCH', `${path}/${metadata.name}/status`, { status });
  return { workload: stored, revisions, pods, recorded: await revisionsIn(space) };
}

/** All ControllerRevisions of the namespace, by number. */
export async function revisionsIn(space: GameNamespace): Promise<ControllerRevision[]> {
  const { items } = await send<{ items: ControllerRevision[] }>(space, 'GET', revisionsPath(space));
  return items.sort((left, right) => left.revision - right.revision);
}

/** The middle of an update in place: gate closed, label and bookkeeping new, the image still that of before. */
export async function leaveInGrace(space: GameNamespace, name: string, revision: string, image: string): Promise<void> {
  const path = `${podsPath(space)}/${name}`;
  const pod = await send<Pod>(space, 'GET', path);
  const [status] = pod.status?.containerStatuses ?? [];
  const closed = { type: GATE, status: 'False', reason: 'StartInPlaceUpdate', lastTransitionTime: now() };
  await send(space, 'PATCH', `${path}/status`, { status: { conditions: [closed] } });
  const annotations = {
    'inplace-update-state': stateText(revision, status?.imageID ?? ''),
    'inplace-update-grace': JSON.stringify({ revision, containerImages: { game: image } }),
  };
  const labels = { 'controller-revision-hash': revision };
  await send(space, 'PATCH', path, { metadata: { labels, annotations } });
  await eventually(`${name} is out of service`, async () => {
    const { status: seen } = await send<Pod>(space, 'GET', path);
    return seen?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'False');
  });
}

/** A HookRun of theirs. It names no uid: they look it up by its labels. */
export async function leaveHookRun(
  space: GameNamespace,
  workload: GameWorkload,
  metadata: { name: string; labels: object },
  { metrics }: { metrics: object[] },
  phase: string,
): Promise<void> {
  const path = `${GROUP}/namespaces/${space.name}/hookruns`;
  await send(space, 'POST', path, {
    ...{ apiVersion: workload.apiVersion, kind: 'HookRun', spec: { metrics } },
    metadata: { ...metadata, ownerReferences: [ownerOf(workload)] },
  });
  await send(space, 'PATCH', `${path}/${metadata.name}/status`, { status: { phase, startedAt: now() } });
}

/** Before they created or compared a pod's template, some of their operators filled in what the API fills in. */
export const withDefaults = ({ metadata, spec }: PodTemplateSpec): PodTemplateSpec => ({
  metadata,
  spec: {
    ...spec,
    ...{ restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', schedulerName: 'default-scheduler' },
    ...{ terminationGracePeriodSeconds: 30, securityContext: {} },
    containers: spec.containers.map((container) => ({
      ...container,
      ...{ terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
      imagePullPolicy: 'IfNotPresent',
    })),
  },
});

/** A patch that replaces the template, with the empty fields that their types always write. */
function recordedAs(workload: GameWorkload, left: LeftWorkload, name: string, image: string, number: number): object {
  const { inMemory = (template) => template } = left;
  const { metadata, spec } = inMemory(withImage(workload.spec.template, image));
  const containers = spec.containers.map((container) => ({ ...container, resources: {} }));
  const template = {
    $patch: 'replace',
    metadata: { creationTimestamp: null, ...metadata },
    spec: { ...spec, containers },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      labels: { ...metadata?.labels, 'controller.kubernetes.io/hash': name.slice(name.lastIndexOf('-') + 1) },
      annotations: workload.metadata.annotations,
      ownerReferences: [ownerOf(workload)],
    },
    revision: number,
    data: { spec: { template } },
  };
}

async function leavePod(
  space: GameNamespace,
  workload: GameWorkload,
  revisions: Record<string, string>,
  pod: LeftPod,
): Promise<void> {
  const name = `${workload.metadata.name}-${pod.id}`;
  const path = `${podsPath(space)}/${name}`;
  await send(space, 'POST', podsPath(space), podOf(workload, revisions[pod.image]!, pod, name));
  const open = { type: GATE, status: 'True', lastTransitionTime: now() };
  await send(space, 'PATCH', `${path}/status`, { status: { conditions: [open] } });
}

function podOf(workload: GameWorkload, revision: string, pod: LeftPod, name: string): object {
  const { metadata, spec } = withImage(workload.spec.template, pod.image);
  const state = { 'inplace-update-state': stateText(revision, 'docker-pullable://game@sha256:0123456789abcdef') };
  const set = 'serviceName' in workload.spec ? { hostname: name, subdomain: workload.spec.serviceName } : {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { ...metadata?.labels, 'controller-revision-hash': revision, ...identityOf(workload, pod.id, name) },
      annotations: { ...metadata?.annotations, ...pod.annotations, ...(pod.isUpdatedInPlace ? state : {}) },
      ownerReferences: [ownerOf(workload)],
    },
    spec: { ...spec, ...set, readinessGates: [{ conditionType: GATE }] },
  };
}

const identityOf = ({ kind }: GameWorkload, id: string, name: string): Record<string, string> =>
  kind === 'GameStatefulSet'
    ? { 'gamestatefulset.kubernetes.io/pod-name': name, 'gamestatefulset.kubernetes.io/pod-ordinal': id }
    : { 'tkex.bkbcs.tencent.com/gamedeployment-instance-id': id };

function commonStatus({ metadata }: GameWorkload, { images, pods }: LeftWorkload, revisions: Record<string, string>) {
  const updateImage = images.at(-1)!;
  const updated = pods.filter(({ image }) => image === updateImage).length;
  return {
    observedGeneration: metadata.generation,
    ...{ replicas: pods.length, readyReplicas: pods.length },
    ...{ updatedReplicas: updated, updatedReadyReplicas: updated },
    updateRevision: revisions[updateImage],
    collisionCount: 0,
    labelSelector: `app=${metadata.name}`,
  };
}

const stateText = (revision: string, imageID: string): string =>
  JSON.stringify({ revision, updateTimestamp: now(), lastContainerStatuses: { game: { imageID } } });

type Verb = 'GET' | 'POST' | 'PATCH';

const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

const withImage = ({ metadata, spec }: PodTemplateSpec, image: string): PodTemplateSpec => ({
  metadata,
  spec: { ...spec, containers: spec.containers.map((container) => ({ ...container, image })) },
});

const ownerOf = ({ apiVersion, kind, metadata: { name, uid } }: GameWorkload) => ({
  ...{ apiVersion, kind, name, uid },
  ...{ controller: true, blockOwnerDeletion: true },
});

function countImages(pods: LeftPod[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { image } of pods) counts[image] = (counts[image] ?? 0) + 1;
  return counts;
}

const podsPath = ({ name }: GameNamespace): string => `/api/v1/namespaces/${name}/pods`;
const revisionsPath = ({ name }: GameNamespace): string => `/apis/apps/v1/namespaces/${name}/controllerrevisions`;

/** Patches of pods are strategic: a condition stands beside the kubelet's. */
async function send<T = unknown>({ scene }: GameNamespace, verb: Verb, path: string, body?: unknown): Promise<T> {
  const kind = path.startsWith(GROUP) ? 'merge-patch' : 'strategic-merge-patch';
  const answer = await scene.stack.api(verb, path, body, verb === 'PATCH' ? `application/${kind}+json` : undefined);
  if (answer.status >= 300) throw new Error(`${verb} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as T;
}
