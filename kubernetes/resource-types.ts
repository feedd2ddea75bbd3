/**
 * Which kinds of objects the cluster is asked about, and the URL path of each. Owns addressing and nothing else: no
 * requests are made here.
 */
import {
  API_GROUP,
  API_VERSION_NAME,
  GAME_DEPLOYMENT,
  GAME_STATEFUL_SET,
  HOOK_RUN,
  HOOK_TEMPLATE,
} from '../crds/api.ts';
import type { GameDeployment } from '../crds/game-deployment.ts';
import type { GameStatefulSet } from '../crds/game-stateful-set.ts';
import type { HookRun } from '../crds/hook-run.ts';
import type { HookTemplate } from '../crds/hook-template.ts';
import type { ControllerRevision, KubernetesObject, Node, Pod } from '../crds/kubernetes.ts';

/** One resource of the API. `T` is what its objects look like; it exists for the type checker only. */
export interface ResourceType<T extends KubernetesObject = KubernetesObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never set: carries `T`. */
  readonly example?: T;
}

/** Names one object; the namespace is left out for cluster-wide resources. */
export interface ObjectRef {
  namespace?: string;
  name: string;
}

export type Subresource = 'status' | 'scale' | 'eviction' | 'binding' | 'log';

export const pods: ResourceType<Pod> = core('pods', 'Pod', true);
export const nodes: ResourceType<Node> = core('nodes', 'Node', false);
/** Only ever created: nobody here reads what is in them. */
export const persistentVolumeClaims: ResourceType = core('persistentvolumeclaims', 'PersistentVolumeClaim', true);
export const namespaces: ResourceType = core('namespaces', 'Namespace', false);
export const secrets: ResourceType = core('secrets', 'Secret', true);
export const controllerRevisions: ResourceType<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  plural: 'controllerrevisions',
  kind: 'ControllerRevision',
  namespaced: true,
};
export const jobs: ResourceType = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true };
export const events: ResourceType = core('events', 'Event', true);
export const customResourceDefinitions: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};
export const gameDeployments: ResourceType<GameDeployment> = tkex(GAME_DEPLOYMENT);
export const gameStatefulSets: ResourceType<GameStatefulSet> = tkex(GAME_STATEFUL_SET);
export const hookTemplates: ResourceType<HookTemplate> = tkex(HOOK_TEMPLATE);
export const hookRuns: ResourceType<HookRun> = tkex(HOOK_RUN);

/** `apps/v1`, or `v1` for the core group: what stands in an object's `apiVersion`. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** Path of the collection; all namespaces when none is given. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${type.plural}`;
}

/**
 * Path of one object or of its subresource.
 * @throws Error when a namespaced object is addressed without its namespace: the path would mean something else.
 */
export function objectPath(type: ResourceType, ref: ObjectRef, subresource?: Subresource): string {
  if (ref.name === '') throw new Error(`a ${type.kind} was addressed without a name`);
  if (type.namespaced && !ref.namespace) throw new Error(`${type.kind} ${ref.name} was addressed without a namespace`);
  const path = `${collectionPath(type, ref.namespace)}/${encodeURIComponent(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

function core<T extends KubernetesObject>(plural: string, kind: string, namespaced: boolean): ResourceType<T> {
  return { group: '', version: 'v1', plural, kind, namespaced };
}

function tkex<T extends KubernetesObject>(names: { kind: string; plural: string }): ResourceType<T> {
  return { group: API_GROUP, version: API_VERSION_NAME, plural: names.plural, kind: names.kind, namespaced: true };
}
