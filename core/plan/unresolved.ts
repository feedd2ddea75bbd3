/** Settles open items and given names against what was seen (protocol §2, rules 4 and 5). */
import type { Pod } from '../../crds/kubernetes.ts';
import type { Issued, Move, Unresolved } from './types.ts';

/** The name of a create, as it is kept until its pod is seen. */
export const issuedOf = ({ pod, revision, index, isUnnumbered }: Extract<Move, { act: 'create' }>): Issued => ({
  pod,
  revision,
  ...(index === undefined ? {} : { index }),
  ...(isUnnumbered ? { isUnnumbered } : {}),
});

/** The item as it stays open in the workflow until it is settled (protocol §2, rule 4). */
export function unresolvedItem(item: Move, outcome: Unresolved['outcome']): Unresolved {
  if (item.act === 'create') return { act: item.act, pod: item.pod, outcome };
  return { act: item.act, pod: item.pod, uid: item.uid, resourceVersion: item.resourceVersion, outcome };
}

/**
 * Keeps the items that may still land: a write is bound to one version of its pod, so it is settled once the pod has
 * another version or is gone. Creates are settled when their pod is seen or their name is retired.
 */
export function settleUnresolved(unresolved: Unresolved[], pods: Pod[], retired: readonly string[] = []): Unresolved[] {
  const versions = new Map(pods.map(({ metadata }) => [metadata.name, metadata]));
  return unresolved.filter((item) => {
    const seen = versions.get(item.pod);
    if (item.act === 'create') return seen === undefined && !retired.includes(item.pod);
    return seen?.uid === item.uid && seen?.resourceVersion === item.resourceVersion;
  });
}

/**
 * Keeps the names whose pods were not seen. After a quorum LIST a name without an open create is dropped too: its pod was
 * made and has gone again.
 */
export function settleIssued(
  issued: Issued[],
  pods: Pod[],
  open: { unresolved: Unresolved[]; isQuorum: boolean; retired?: readonly string[] },
): Issued[] {
  const seen = new Set(pods.map(({ metadata }) => metadata.name));
  const unanswered = new Set(open.unresolved.filter(({ act }) => act === 'create').map(({ pod }) => pod));
  return issued.filter(({ pod }) => {
    if (seen.has(pod) || open.retired?.includes(pod)) return false;
    return unanswered.has(pod) || !open.isQuorum;
  });
}
