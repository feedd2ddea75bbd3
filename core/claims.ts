/**
 * The PersistentVolumeClaims of a GameStatefulSet: made before the pod that mounts them, never changed, never deleted and
 * owned by nobody, so that a pod that comes back finds its data (game-workloads §1.2, kubernetes-controllers §3.4).
 */
import type { ClaimTemplate } from '../crds/claim-template.ts';
import type { GameStatefulSet } from '../crds/game-stateful-set.ts';
import type { KubernetesObject, Pod, PodSpec } from '../crds/kubernetes.ts';
import { ordinalOf } from './ordinals.ts';

export interface PersistentVolumeClaim extends KubernetesObject {
  spec: Record<string, unknown>;
}

interface Volume {
  name: string;
  persistentVolumeClaim?: { claimName: string };
  [source: string]: unknown;
}

/** `<claim>-<set>-<ordinal>`. */
const claimName = ({ metadata }: ClaimTemplate, pod: string): string => `${metadata.name}-${pod}`;

const templatesOf = ({ spec }: GameStatefulSet): ClaimTemplate[] => spec.volumeClaimTemplates ?? [];

/** Names of the claims of one pod, in the order of their templates. */
export const claimNames = (set: GameStatefulSet, pod: string): string[] =>
  templatesOf(set).map((template) => claimName(template, pod));

/** A pod of the set mounts, or once mounted, the claim of this name. */
export const isClaimOf = (set: GameStatefulSet, name: string): boolean =>
  templatesOf(set).some(({ metadata }) => {
    const pod = name.startsWith(`${metadata.name}-`) ? name.slice(metadata.name.length + 1) : '';
    return ordinalOf(set.metadata.name, pod) !== undefined;
  });

/** The claim `name` of the pod; undefined where no template makes it. Labels are those of the template and the selector. */
export function newClaim(set: GameStatefulSet, pod: string, name: string): PersistentVolumeClaim | undefined {
  const template = templatesOf(set).find((candidate) => claimName(candidate, pod) === name);
  if (template === undefined) return undefined;
  const { labels, annotations } = template.metadata as { labels?: object; annotations?: object };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace: set.metadata.namespace,
      labels: { ...labels, ...set.spec.selector.matchLabels },
      annotations: { ...annotations },
    },
    spec: structuredClone(template.spec),
  };
}

const volumesOf = ({ volumes }: PodSpec): Volume[] => (Array.isArray(volumes) ? (volumes as Volume[]) : []);

/** The volumes of a new pod: its claims under the names of their templates, and what the pod template has beside them. */
export function volumesWithClaims(set: GameStatefulSet, pod: string, spec: PodSpec): Volume[] {
  const claims = templatesOf(set).map((template) => ({
    name: template.metadata.name,
    persistentVolumeClaim: { claimName: claimName(template, pod) },
  }));
  const names = new Set(claims.map(({ name }) => name));
  return [...claims, ...volumesOf(spec).filter(({ name }) => !names.has(name))];
}

/** Which of its own claims the pod mounts: one from before a claim template was added mounts fewer. */
export function mountedClaims(set: GameStatefulSet, pod: Pod): string[] {
  const mounted = new Set(volumesOf(pod.spec).map((volume) => volume.persistentVolumeClaim?.claimName));
  return claimNames(set, pod.metadata.name).filter((name) => mounted.has(name));
}
