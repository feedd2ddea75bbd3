/** Names of the API group and kinds that existing manifests use, and what the API takes as names and labels. Constants only. */

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

const NAME = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_NAME = `${DNS_LABEL}([.]${DNS_LABEL})*`;

/** Regular expressions, for JavaScript and for CEL. */
export const DNS_NAME_PATTERN = `^${DNS_NAME}$`;
/** What stands before its slash is a DNS name, and no longer than one. */
export const LABEL_KEY_PATTERN = `^(${DNS_NAME}/)?${NAME}$`;
export const LABEL_VALUE_PATTERN = `^(${NAME})?$`;
export const MAX_DNS_NAME = 253;
