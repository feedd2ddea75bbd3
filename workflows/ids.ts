/** Workflow ids as people type them (design §4). */

export interface ObjectKey {
  kind: string;
  namespace: string;
  name: string;
}

/** `gamedeployment/default/lobby` */
export const workloadId = ({ kind, namespace, name }: ObjectKey) => `${kind.toLowerCase()}/${namespace}/${name}`;
/** `gamedeployment/default/lobby/rollout`: one run per rollout. */
export const rolloutId = (key: ObjectKey) => `${workloadId(key)}/rollout`;
/** `hookrun/default/canary-lobby-6f7-1-drain` */
export const hookRunId = (namespace: string, name: string) => `hookrun/${namespace}/${name}`;
