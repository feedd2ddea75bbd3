/**
 * Which pods without a controller a workload takes as its own, and which of its own it lets go (kubernetes-controllers §2.1).
 * A pod is told by its revision too: two workloads of different kinds may have one name and one selector.
 */
import type { GameWorkload } from '../crds/game-workload.ts';
import type { Pod } from '../crds/kubernetes.ts';
import { INSTANCE_ID_LABEL, POD_ORDINAL_LABEL } from './keys.ts';
import { isGameStatefulSet } from './kinds.ts';
import { isSelected } from './label-selector.ts';
import { ordinalOf } from './ordinals.ts';
import { hasController } from './ownership.ts';
import { isTerminating, revisionOf } from './pods.ts';

const selects = ({ spec }: GameWorkload, { metadata }: Pick<Pod, 'metadata'>): boolean =>
  isSelected(spec.selector, metadata.labels);

/** A set knows its pods by their names, and a pod that has an ordinal is none of a GameDeployment's. */
const hasFittingName = (workload: GameWorkload, { metadata }: Pod): boolean =>
  isGameStatefulSet(workload)
    ? ordinalOf(workload.metadata.name, metadata.name) !== undefined
    : metadata.labels?.[POD_ORDINAL_LABEL] === undefined;

export interface KnownRevisions {
  /** Recorded for this workload. */
  own: ReadonlySet<string>;
  /** Recorded in the namespace, for whomever. */
  isRecorded(name: string): boolean;
}

/**
 * Nobody controls it, and it runs one of the revisions that are recorded for this workload; or one that is gone, where its name
 * and its label say that this workload made it.
 */
export const isAdoptable = (workload: GameWorkload, pod: Pod, revisions: KnownRevisions): boolean =>
  !hasController(pod) &&
  !isTerminating(pod) &&
  selects(workload, pod) &&
  hasFittingName(workload, pod) &&
  (revisions.own.has(revisionOf(pod)) ||
    (!revisions.isRecorded(revisionOf(pod)) && isNamedBy(workload.kind, workload.metadata.name, pod)));

/** The label with which a workload of the kind tells its pods apart. */
export const identityLabelOf = (kind: GameWorkload['kind']): string =>
  kind === 'GameStatefulSet' ? POD_ORDINAL_LABEL : INSTANCE_ID_LABEL;

/** Nobody but the kind's own pods has both the label and the name that goes with it. */
export function isNamedBy(kind: GameWorkload['kind'], name: string, { metadata }: Pod): boolean {
  const identity = metadata.labels?.[identityLabelOf(kind)];
  return kind === 'GameStatefulSet'
    ? String(ordinalOf(name, metadata.name)) === identity
    : metadata.name === `${name}-${identity}`;
}

/**
 * It is controlled by this workload, and somebody changed its labels. Nothing is let go where the template itself is not
 * selected, or new pods would be let go as they come.
 */
export const isStray = (workload: GameWorkload, pod: Pod): boolean =>
  !isTerminating(pod) &&
  !selects(workload, pod) &&
  isSelected(workload.spec.selector, workload.spec.template.metadata?.labels);

/** The workload that made this pod, as its name and its identity label say; undefined where it is none of ours. */
export function makerOf(pod: Pod): { kind: GameWorkload['kind']; namespace: string; name: string } | undefined {
  const { name, namespace = '', labels } = pod.metadata;
  const kind = (['GameDeployment', 'GameStatefulSet'] as const).find(
    (each) => labels?.[identityLabelOf(each)] !== undefined,
  );
  const maker = name.slice(0, name.lastIndexOf('-'));
  return kind !== undefined && isNamedBy(kind, maker, pod) ? { kind, namespace, name: maker } : undefined;
}

/** May the workload have something to do because of this pod, which nobody controls? It may have a name that a set needs. */
export const isConcernedBy = (workload: GameWorkload, pod: Pod): boolean =>
  !hasController(pod) &&
  workload.metadata.namespace === pod.metadata.namespace &&
  (selects(workload, pod) || (isGameStatefulSet(workload) && hasFittingName(workload, pod)));
