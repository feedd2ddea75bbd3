/**
 * Where the objects of one workload come from: the process-wide stores, or a quorum read of the apiserver. Both answer
 * the same shape; nothing is decided here.
 */

import { NODE_DELETION_COST_ANNOTATION } from '../core/keys.ts';
import { selectorText } from '../core/label-selector.ts';
import type { NodeFacts } from '../core/plan/types.ts';
import type { GameDeployment } from '../crds/game-deployment.ts';
import type { HookRun } from '../crds/hook-run.ts';
import type { HookTemplate } from '../crds/hook-template.ts';
import type { ControllerRevision, KubernetesObject, Node, Pod } from '../crds/kubernetes.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { controllerRevisions, pods as podType } from '../kubernetes/resource-types.ts';
import {
  CONTROLLER_INDEX,
  gameDeploymentType,
  hookRunType,
  NAMESPACE_INDEX,
  type Ports,
  type Stores,
} from './ports.ts';
import type { WorkloadKey } from './types.ts';

/** What belongs to one workload: its pods, revisions and HookRuns. */
export interface Belongings {
  pods: Pod[];
  controllerRevisions: ControllerRevision[];
  hookRuns: HookRun[];
}

/** The workload as the apiserver has it now; undefined when there is none. */
export async function readWorkload(ports: Ports, key: WorkloadKey): Promise<GameDeployment | undefined> {
  try {
    return await ports.client.get(gameDeploymentType, key);
  } catch (error) {
    if (isApiError(error, 'notFound')) return undefined;
    throw error;
  }
}

export function belongingsInStores(stores: Stores, workload: GameDeployment): Belongings {
  const uid = workload.metadata.uid ?? '';
  return {
    pods: [...stores.pods.byIndex(CONTROLLER_INDEX, uid)],
    controllerRevisions: [...stores.controllerRevisions.byIndex(CONTROLLER_INDEX, uid)],
    hookRuns: [...stores.hookRuns.byIndex(CONTROLLER_INDEX, uid)],
  };
}

/** A quorum LIST of everything; HookRuns are told by their controller, pods and revisions by the selector as well. */
export async function listBelongings(
  { client }: Ports,
  workload: GameDeployment,
  signal: AbortSignal,
): Promise<Belongings> {
  const { namespace, uid } = workload.metadata;
  const selected = { namespace, labelSelector: selectorText(workload.spec.selector), signal };
  const [pods, revisions, runs] = await Promise.all([
    client.list(podType, selected),
    client.list(controllerRevisions, selected),
    client.list(hookRunType, { namespace, signal }),
  ]);
  const isOwn = (object: KubernetesObject) => isControlledBy(object, uid);
  return {
    pods: pods.items.filter(isOwn),
    controllerRevisions: revisions.items.filter(isOwn),
    hookRuns: runs.items.filter(isOwn),
  };
}

export const isControlledBy = ({ metadata }: KubernetesObject, uid: string | undefined): boolean =>
  metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) ?? false;

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

export function hookTemplatesOf(stores: Stores, namespace: string): Record<string, HookTemplate> {
  const templates = stores.hookTemplates.byIndex(NAMESPACE_INDEX, namespace);
  return Object.fromEntries(templates.map((template) => [template.metadata.name, template]));
}
