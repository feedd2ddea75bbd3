/** The ControllerRevisions of one workload as the apiserver has them now. Reads only. */
import { selectorText } from '../core/label-selector.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { ControllerRevision } from '../crds/kubernetes.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { findObject } from '../kubernetes/find-object.ts';
import { controllerRevisions } from '../kubernetes/resource-types.ts';
import { CONTROLLER_INDEX, type Ports } from './ports.ts';

/**
 * All that the selector matches, whoever has them, and all that the workload controls: the labels of a revision are those of its
 * template, which may have left the selector, and people edit labels. Such a revision is known from the store and read by name, since
 * a list of the whole namespace is large where many workloads share one.
 */
export async function listRevisions(
  { client, stores }: Pick<Ports, 'client' | 'stores'>,
  workload: GameWorkload,
  signal: AbortSignal,
): Promise<ControllerRevision[]> {
  const selected = await selectedRevisions(client, workload, signal);
  const names = new Set(selected.map(({ metadata }) => metadata.name));
  const known = [...stores.controllerRevisions.byIndex(CONTROLLER_INDEX, workload.metadata.uid ?? '')];
  const unselected = known.filter(({ metadata }) => !names.has(metadata.name));
  const read = unselected.map(({ metadata }) => findObject(client, controllerRevisions, metadata, { signal }));
  return [...selected, ...(await Promise.all(read)).flatMap((revision) => revision ?? [])];
}

/** None where the selector is one that the API takes for nonsense: nothing can be selected by it. */
async function selectedRevisions(
  client: Ports['client'],
  { metadata: { namespace }, spec }: GameWorkload,
  signal: AbortSignal,
): Promise<ControllerRevision[]> {
  try {
    const labelSelector = selectorText(spec.selector);
    return (await client.list(controllerRevisions, { namespace, labelSelector, signal })).items;
  } catch (error) {
    if (isApiError(error, 'badRequest')) return [];
    throw error;
  }
}
