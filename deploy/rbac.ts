/** What the controller may do in a cluster: the least that the code needs, said once. deploy/rbac.yaml is made of this. */
import { API_GROUP, GAME_DEPLOYMENT, GAME_STATEFUL_SET, HOOK_RUN, HOOK_TEMPLATE } from '../crds/api.ts';
import type { KubernetesObject } from '../crds/kubernetes.ts';

interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

const NAME = 'holdfast';
const NAMESPACE = 'holdfast-system';
const RBAC_GROUP = 'rbac.authorization.k8s.io';
const WATCH = ['get', 'list', 'watch'];
export const WORKLOADS: readonly string[] = [GAME_DEPLOYMENT.plural, GAME_STATEFUL_SET.plural];

/** No rule writes a spec that people own (decision 6); the one that does is installed only where it is asked for (decision 9). */
const RULES: PolicyRule[] = [
  rule(API_GROUP, [...WORKLOADS, HOOK_TEMPLATE.plural], WATCH),
  rule(API_GROUP, [HOOK_RUN.plural], [...WATCH, 'create', 'patch', 'delete']),
  rule(
    API_GROUP,
    [...WORKLOADS, HOOK_RUN.plural].map((plural) => `${plural}/status`),
    ['update', 'patch'],
  ),
  // Asked for by clusters that check who may set blockOwnerDeletion.
  rule(
    API_GROUP,
    WORKLOADS.map((plural) => `${plural}/finalizers`),
    ['update'],
  ),
  rule('', ['pods'], [...WATCH, 'create', 'patch', 'delete']),
  rule('', ['pods/status'], ['patch']),
  // A claim is made for its pod, and is the user's from then on.
  rule('', ['persistentvolumeclaims'], [...WATCH, 'create']),
  // Of hooks: a Job that is a check and what its pods wrote, and the Secrets that a HookTemplate names.
  rule('batch', ['jobs'], ['get', 'list', 'create', 'patch', 'delete']),
  rule('', ['pods/log'], ['get']),
  rule('', ['secrets'], ['get']),
  rule('apps', ['controllerrevisions'], [...WATCH, 'create', 'patch', 'delete']),
  rule('', ['nodes'], WATCH),
  rule('', ['events'], ['create', 'patch']),
  // Checks before a start: which cluster this is, whether it knows our kinds, whether another operator works in it.
  { ...rule('', ['namespaces'], ['get']), resourceNames: ['kube-system'] },
  rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['get']),
  {
    ...rule('coordination.k8s.io', ['leases'], ['get']),
    resourceNames: ['gamedeployment-operator', 'gamestatefulset-operator'],
  },
  { ...rule('', ['endpoints'], ['get']), resourceNames: ['gamedeployment-operator', 'gamestatefulset-operator'] },
];

function rule(group: string, resources: string[], verbs: string[]): PolicyRule {
  return { apiGroups: [group], resources, verbs };
}

/** The objects that give a service account `holdfast` in `holdfast-system` what the controller needs. */
export function rbacObjects(): KubernetesObject[] {
  return [
    object('v1', 'Namespace', { name: NAMESPACE }),
    object('v1', 'ServiceAccount', { name: NAME, namespace: NAMESPACE }),
    ...boundRole(NAME, RULES),
  ];
}

/** What hooks may do with kinds besides Pod, where the installation opens some (`--hook-kinds`). */
export function hookKindObjects(kinds: readonly { group: string; plural: string }[]): KubernetesObject[] {
  if (kinds.length === 0) return [];
  return boundRole(
    `${NAME}-hook-kinds`,
    kinds.map(({ group, plural }) => rule(group, [plural], ['get', 'patch'])),
  );
}

/** A cluster role, and what gives it to the controller's service account. */
export function boundRole(name: string, rules: PolicyRule[]): KubernetesObject[] {
  const roleRef = { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }];
  return [
    object(`${RBAC_GROUP}/v1`, 'ClusterRole', { name }, { rules }),
    object(`${RBAC_GROUP}/v1`, 'ClusterRoleBinding', { name }, { roleRef, subjects }),
  ];
}

function object(apiVersion: string, kind: string, metadata: KubernetesObject['metadata'], more: object = {}) {
  return { apiVersion, kind, metadata, ...more };
}
