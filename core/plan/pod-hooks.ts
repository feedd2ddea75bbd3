/** Which hook of a workload's spec stands behind a mark, where the spec has it, and which facts of the pod it is told. Pure. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookStep } from '../../crds/hook-step.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { type GivenArgument, podArguments } from '../hooks/arguments.ts';
import type { GateType } from '../hooks/names.ts';
import { diffRevisions, imagePatchOf } from '../in-place.ts';
import { revisionOf } from '../pods.ts';
import type { Mark, Revision } from './types.ts';

const STRATEGIES = {
  predelete: 'preDeleteUpdateStrategy',
  preinplace: 'preInplaceUpdateStrategy',
  postinplace: 'postInplaceUpdateStrategy',
} as const satisfies Record<GateType, keyof GameWorkload['spec']>;

/** The hook that a field of the spec is about. */
export const gateOfField = (field: string): GateType | undefined =>
  (Object.keys(STRATEGIES) as GateType[]).find((gate) => STRATEGIES[gate] === field);

export const hookOf = ({ spec }: Pick<GameWorkload, 'spec'>, gate: GateType): HookStep | undefined =>
  spec[STRATEGIES[gate]]?.hook;

/** For messages. */
export const hookPath = (gate: GateType): string => `spec.${STRATEGIES[gate]}.hook`;

export const gateOfMark = ({ kind, gate }: Pick<Mark, 'kind' | 'gate'>): GateType =>
  kind === 'updated' ? 'postinplace' : (gate ?? 'predelete');

/** preDelete guards updates in place where there is no hook of their own (decision 38). */
export const gateBeforeUpdate = (workload: Pick<GameWorkload, 'spec'>): GateType =>
  hookOf(workload, 'preinplace') === undefined ? 'predelete' : 'preinplace';

/** Containers whose images the update changes, in the order of the template. */
function containersToModify(pod: Pod, target: string | undefined, revisions: readonly Revision[]): string[] {
  const templateOf = (name: string | undefined) => revisions.find((revision) => revision.name === name)?.template;
  const [from, to] = [templateOf(revisionOf(pod)), templateOf(target)];
  const diff = from === undefined || to === undefined ? undefined : diffRevisions(from, to);
  const images = diff?.kind === 'images' ? diff.images : {};
  return to?.spec.containers.map(({ name }) => name).filter((name) => name in images) ?? [];
}

/** Containers that the update has changed. */
function containersModified(pod: Pod): string[] {
  const changed = imagePatchOf(pod)?.lastContainerStatuses ?? {};
  return pod.spec.containers.map(({ name }) => name).filter((name) => name in changed);
}

/** The built-in arguments of the run that a mark asks for; `revision` is the target of an update. */
export function builtInsOf(
  pod: Pod,
  mark: Pick<Mark, 'kind' | 'gate' | 'revision'>,
  revisions: readonly Revision[],
): GivenArgument[] {
  switch (gateOfMark(mark)) {
    case 'predelete':
      return podArguments(pod);
    case 'preinplace':
      return podArguments(pod, containersToModify(pod, mark.revision, revisions));
    case 'postinplace':
      return podArguments(pod, containersModified(pod));
  }
}
