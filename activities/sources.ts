/**
 * Where the objects of one workload come from: the process-wide stores, or a quorum read of the apiserver. Both answer
 * the same shape; nothing is decided here.
 */

import { isAdoptable, isStray, type KnownRevisions } from '../core/adoption.ts';
import { NODE_DELETION_COST_ANNOTATION, REVISION_LABEL } from '../core/keys.ts';
import { isGameStatefulSet } from '../core/kinds.ts';
import { ordinalOf } from '../core/ordinals.ts';
import { hasController, isControlledBy } from '../core/ownership.ts';
import type { ClaimFacts, NodeFacts } from '../core/plan/types.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { HookRun } from '../crds/hook-run.ts';
import type { HookTemplate } from '../crds/hook-template.ts';
import type { ControllerRevision, KubernetesObject, Node, Pod } from '../crds/kubernetes.ts';
import { findObject } from '../kubernetes/find-object.ts';
import { persistentVolumeClaims, pods as podType } from '../kubernetes/resource-types.ts';
import { workloadTypeOf } from './kinds.ts';
import { CONTROLLER_INDEX, hookRunType, NAMESPACE_INDEX, ORPHAN_INDEX, type Ports, type Stores } from './ports.ts';
import { listRevisions } from './revision-list.ts';
import type { WorkloadKey } from './types.ts';

/**
 * What belongs to one workload: its pods (with those that it is to adopt or to let go), revisions and HookRuns; and the claims of
 * the namespace where its pods mount any.
 */
export interface Belongings {
  /** Those that are to be adopted included. */
  pods: Pod[];
  orphans: Pod[];
  /** None of `pods`. */
  strays: Pod[];
  controllerRevisions: ControllerRevision[];
  hookRuns: HookRun[];
  claims: KubernetesObject[];
}

const mountsClaims = (workload: GameWorkload): boolean =>
  isGameStatefulSet(workload) && (workload.spec.volumeClaimTemplates ?? []).length > 0;

/** The workload as the apiserver has it now; undefined when there is none. */
export function readWorkload(ports: Ports, key: WorkloadKey): Promise<GameWorkload | undefined> {
  return findObject(ports.client, workloadTypeOf(key.kind), key);
}

export function belongingsInStores(stores: Stores, workload: GameWorkload): Belongings {
  const { uid = '', namespace = '' } = workload.metadata;
  const controllerRevisions = [...stores.controllerRevisions.byIndex(CONTROLLER_INDEX, uid)];
  const { pods: store } = stores;
  const found = { controlled: store.byIndex(CONTROLLER_INDEX, uid), loose: store.byIndex(ORPHAN_INDEX, namespace) };
  return {
    ...sortPods(workload, knownRevisions(stores, workload, controllerRevisions), found),
    controllerRevisions,
    hookRuns: [...stores.hookRuns.byIndex(CONTROLLER_INDEX, uid)],
    claims: mountsClaims(workload) ? [...stores.persistentVolumeClaims.byIndex(NAMESPACE_INDEX, namespace)] : [],
  };
}

interface FoundPods {
  /** By this workload. */
  controlled: readonly Pod[];
  /** By nobody. */
  loose: readonly Pod[];
}

/** One that somebody else has, or nobody yet, stands in the stores or in `listed`. */
function knownRevisions(
  { controllerRevisions }: Stores,
  { metadata: { namespace } }: GameWorkload,
  own: ControllerRevision[],
  listed: ControllerRevision[] = [],
): KnownRevisions {
  const namesOf = (revisions: ControllerRevision[]) => new Set(revisions.map(({ metadata }) => metadata.name));
  const others = namesOf(listed);
  const isRecorded = (name: string) => others.has(name) || controllerRevisions.get({ namespace, name }) !== undefined;
  return { own: namesOf(own), isRecorded };
}

function sortPods(
  workload: GameWorkload,
  revisions: KnownRevisions,
  { controlled, loose }: FoundPods,
): Pick<Belongings, 'pods' | 'orphans' | 'strays'> {
  const orphans = loose.filter((pod) => isAdoptable(workload, pod, revisions));
  const strays = controlled.filter((pod) => isStray(workload, pod));
  const own = strays.length === 0 ? controlled : controlled.filter((pod) => !strays.includes(pod));
  return { pods: [...own, ...orphans], orphans, strays };
}

/**
 * A quorum read of everything, told as the stores tell it: by its controller, also where labels are not those that the selector asks
 * for. Claims that somebody else made have no labels of ours.
 */
export async function listBelongings(ports: Ports, workload: GameWorkload, signal: AbortSignal): Promise<Belongings> {
  const { client, stores } = ports;
  const { namespace, uid } = workload.metadata;
  const [pods, revisions, runs, claims] = await Promise.all([
    client.list(podType, { namespace, labelSelector: REVISION_LABEL, signal }),
    listRevisions(ports, workload, signal),
    client.list(hookRunType, { namespace, signal }),
    mountsClaims(workload) ? client.list(persistentVolumeClaims, { namespace, signal }) : { items: [] },
  ]);
  const isOwn = (object: KubernetesObject) => isControlledBy(object, uid);
  const ownRevisions = revisions.filter(isOwn);
  const isLoose = (pod: Pod) => !hasController(pod);
  const found = { controlled: pods.items.filter(isOwn), loose: pods.items.filter(isLoose) };
  return {
    ...sortPods(workload, knownRevisions(stores, workload, ownRevisions, revisions), found),
    controllerRevisions: ownRevisions,
    hookRuns: runs.items.filter(isOwn),
    claims: claims.items,
  };
}

/**
 * Names of a GameStatefulSet that pods have which nobody controls, or which are to be let go. From the stores: a list of the
 * workload's own does not show them.
 */
export function takenNames(stores: Stores, workload: GameWorkload, { pods, strays }: Belongings): string[] {
  if (!isGameStatefulSet(workload)) return [];
  const { namespace = '', name: set } = workload.metadata;
  const own = new Set(pods.map(({ metadata }) => metadata.name));
  const others = [...strays, ...stores.pods.byIndex(ORPHAN_INDEX, namespace)].map(({ metadata }) => metadata.name);
  return others.filter((name) => !own.has(name) && ordinalOf(set, name) !== undefined);
}

/** Facts of the nodes that the pods run on. A node that is not there is left out. */
export function nodesOf(stores: Stores, pods: Pod[]): Record<string, NodeFacts> {
  const facts: Record<string, NodeFacts> = {};
  for (const name of new Set(pods.map((pod) => pod.spec.nodeName))) {
    const node = name ? stores.nodes.get({ name }) : undefined;
    if (node === undefined) continue;
    facts[node.metadata.name] = {
      ready: isNodeReady(node),
      deletionCost: node.metadata.annotations?.[NODE_DELETION_COST_ANNOTATION],
    };
  }
  return facts;
}

export const isNodeReady = (node: Node): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/** Facts of claims by name. */
export const claimFacts = (claims: KubernetesObject[]): Record<string, ClaimFacts> =>
  Object.fromEntries(
    claims.map(({ metadata }) => [metadata.name, { isTerminating: metadata.deletionTimestamp !== undefined }]),
  );

export function hookTemplatesOf(stores: Stores, namespace: string): Record<string, HookTemplate> {
  const templates = stores.hookTemplates.byIndex(NAMESPACE_INDEX, namespace);
  return Object.fromEntries(templates.map((template) => [template.metadata.name, template]));
}
