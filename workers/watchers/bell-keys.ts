/** The keys of bells: the id of the workflow that is rung. Pure. */
import { API_GROUP, GAME_DEPLOYMENT, GAME_STATEFUL_SET, HOOK_RUN } from '../../crds/api.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import { hookRunId, workloadId } from '../../workflows/ids.ts';

const KINDS = [GAME_DEPLOYMENT.kind, GAME_STATEFUL_SET.kind, HOOK_RUN.kind] as const;
type BellKind = (typeof KINDS)[number];

interface BellTarget {
  kind: BellKind;
  namespace: string;
  name: string;
}

export const workloadKey = (kind: BellKind, { namespace = '', name }: { namespace?: string; name: string }): string =>
  workloadId({ kind, namespace, name });

export const hookRunKey = ({ namespace = '', name }: { namespace?: string; name: string }): string =>
  hookRunId(namespace, name);

/** The workload that controls this object; undefined where it is none of ours. */
export function ownerKey({ metadata }: KubernetesObject): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.kind !== GAME_DEPLOYMENT.kind || !owner.apiVersion.startsWith(`${API_GROUP}/`)) return undefined;
  return workloadKey(GAME_DEPLOYMENT.kind, { namespace: metadata.namespace, name: owner.name });
}

/** @throws Error for a text that is no key of ours: a fault in this folder. */
export function targetOf(key: string): BellTarget {
  const [word, namespace, name] = key.split('/');
  const kind = KINDS.find((each) => each.toLowerCase() === word);
  if (kind === undefined || namespace === undefined || name === undefined) throw new Error(`${key} is no bell's key`);
  return { kind, namespace, name };
}
