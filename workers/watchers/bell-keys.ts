/** The keys of bells: the id of the workflow that is rung. Pure. */
import { ownerKeyOf, WORKLOAD_KINDS, type WorkloadKind } from '../../activities/kinds.ts';
import { HOOK_RUN } from '../../crds/api.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { KubernetesObject } from '../../crds/kubernetes.ts';
import { hookRunId, workloadId } from '../../workflows/ids.ts';

type BellKind = WorkloadKind | typeof HOOK_RUN.kind;
const KINDS: readonly BellKind[] = [...WORKLOAD_KINDS, HOOK_RUN.kind];

interface BellTarget {
  kind: BellKind;
  namespace: string;
  name: string;
}

export const workloadKey = ({ kind, metadata: { namespace = '', name } }: Pick<GameWorkload, 'kind' | 'metadata'>) =>
  workloadId({ kind, namespace, name });

export const hookRunKey = ({ namespace = '', name }: { namespace?: string; name: string }): string =>
  hookRunId(namespace, name);

export function ownerKey(object: KubernetesObject): string | undefined {
  const owner = ownerKeyOf(object);
  return owner === undefined ? undefined : workloadId(owner);
}

/** As `targetOf` can read it: a run that somebody started under another id is not ours. */
export const isBellKey = (id: string): boolean => IS_KEY.test(id);
const IS_KEY = /^(gamedeployment|gamestatefulset|hookrun)\/[^/]+\/[^/]+$/;

/** @throws Error for a text that is no key of ours: a fault in this folder. */
export function targetOf(key: string): BellTarget {
  const [word, namespace, name] = key.split('/');
  const kind = KINDS.find((each) => each.toLowerCase() === word);
  if (kind === undefined || namespace === undefined || name === undefined) throw new Error(`${key} is no bell's key`);
  return { kind, namespace, name };
}
