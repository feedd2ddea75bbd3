/** What makes a pod the n-th of its GameStatefulSet: labels, a name in DNS, and its own claims (game-workloads §1.5). */
import type { GameStatefulSet } from '../crds/game-stateful-set.ts';
import type { PodSpec } from '../crds/kubernetes.ts';
import { volumesWithClaims } from './claims.ts';
import { POD_NAME_LABEL, POD_ORDINAL_LABEL } from './keys.ts';
import { ordinalOf } from './ordinals.ts';

/** Label values and host names hold this much. */
const MAX_LENGTH = 63;

/** A name that is too long loses the end of its set's name, never its ordinal. */
function cutToLabel(name: string): string {
  if (name.length <= MAX_LENGTH) return name;
  const ordinal = name.slice(name.lastIndexOf('-'));
  return name.slice(0, MAX_LENGTH - ordinal.length).replace(/[^a-z0-9]+$/, '') + ordinal;
}

export const identityLabels = (set: GameStatefulSet, pod: string): Record<string, string> => ({
  [POD_NAME_LABEL]: cutToLabel(pod),
  [POD_ORDINAL_LABEL]: String(ordinalOf(set.metadata.name, pod) ?? ''),
});

/** The spec of the pod: `<hostname>.<serviceName>` is its name in DNS, and it mounts its own claims. */
export function withIdentity(set: GameStatefulSet, pod: string, spec: PodSpec): PodSpec {
  const volumes = volumesWithClaims(set, pod, spec);
  const subdomain = set.spec.serviceName === '' ? {} : { subdomain: set.spec.serviceName };
  // A host name has no dots, the name of a set may have some.
  const hostname = cutToLabel(pod.replaceAll('.', '-'));
  return { ...spec, hostname, ...subdomain, ...(volumes.length > 0 ? { volumes } : {}) };
}
