/** Names of the API group and kinds that existing manifests use. Constants only. */

export const API_GROUP = 'tkex.tencent.com';
export const API_VERSION_NAME = 'v1alpha1';
export const API_VERSION = `${API_GROUP}/${API_VERSION_NAME}` as const;

export const GAME_DEPLOYMENT = {
  kind: 'GameDeployment',
  plural: 'gamedeployments',
  singular: 'gamedeployment',
} as const;
export const GAME_STATEFUL_SET = {
  kind: 'GameStatefulSet',
  plural: 'gamestatefulsets',
  singular: 'gamestatefulset',
} as const;
export const HOOK_TEMPLATE = { kind: 'HookTemplate', plural: 'hooktemplates', singular: 'hooktemplate' } as const;
export const HOOK_RUN = { kind: 'HookRun', plural: 'hookruns', singular: 'hookrun' } as const;
