/** To which revision a workload goes back, why it does not, and what comes of it. Pure. */
import { diffRevisions } from '../core/in-place.ts';
import { SUSPEND_ANNOTATION } from '../core/keys.ts';
import { equalTemplates } from '../core/normalise.ts';
import { stepsOf } from '../core/rollout/steps-hash.ts';
import type { PodTemplateSpec } from '../crds/kubernetes.ts';
import { CannotStart } from '../workers/startup-error.ts';
import { findEntry, type History, type HistoryEntry, nameOf, sayEntry } from './history-facts.ts';

/**
 * The revision that was named; else the stable one where the spec asks for another, else the one before. @throws CannotStart with
 * the sentence that says why there is none.
 */
export function chooseEntry(history: History, wanted: string | undefined): HistoryEntry {
  const entry = wanted === undefined ? usualEntry(history) : findEntry(history, wanted);
  if (!asksFor(history, entry)) return entry;
  const name = nameOf(history.workload);
  throw new CannotStart(`${name} asks for revision ${sayEntry(history, entry)} already: nothing was written`);
}

const asksFor = ({ workload }: History, { template }: HistoryEntry): boolean =>
  equalTemplates(workload.spec.template, template);

function usualEntry(history: History): HistoryEntry {
  const { stable, entries } = history;
  if (stable !== undefined && !asksFor(history, stable)) return stable;
  const name = nameOf(history.workload);
  // The revision before it is the one that somebody has just left.
  if (stable !== undefined && isOpen(history)) {
    throw new CannotStart(
      `${name} is on its way to revision ${sayEntry(history, stable)} already: name another one with --to-revision if you mean it`,
    );
  }
  const before = entries.findLast((entry) => entry.leaving === undefined && !asksFor(history, entry));
  if (before !== undefined) return before;
  const all = entries.length === 0 ? 'no revision' : 'no revision but the one that it asks for';
  throw new CannotStart(`${name} has ${all}: there is nothing to go back to`);
}

/** Pods run another revision still, or the status has yet to hear of what the spec asks for. */
const isOpen = ({ workload: { status = {} }, entries, stable }: History): boolean =>
  status.currentRevision !== status.updateRevision ||
  entries.some(({ name, pods }) => pods > 0 && name !== stable?.name);

/** What is done to the pods, in one line each. */
export function consequencesOf(history: History, entry: HistoryEntry): string[] {
  const { workload, stable } = history;
  const { updateStrategy } = workload.spec;
  const steps = stepsOf(workload.spec).length;
  const way =
    entry.name === stable?.name
      ? 'It is the stable one: all pods go back without steps, and what the rollout waits for is cancelled.'
      : `A new rollout to it begins${steps === 0 ? '' : `, with its ${steps} steps`}.`;
  return [
    way,
    changeOf(history, entry),
    ...(updateStrategy?.paused === true ? ['No pod is updated while spec.updateStrategy.paused is true.'] : []),
    ...(isSuspended(history) ? [`No pod is moved while the annotation ${SUSPEND_ANNOTATION} is "true".`] : []),
  ];
}

const isSuspended = ({ workload }: History): boolean => workload.metadata.annotations?.[SUSPEND_ANNOTATION] === 'true';

/** How the template of the spec becomes that of the revision, and whether pods can stay. */
function changeOf({ workload }: History, { template }: HistoryEntry): string {
  const { type = 'RollingUpdate', inPlaceUpdateStrategy } = workload.spec.updateStrategy ?? {};
  const from = workload.spec.template;
  const diff = diffRevisions(from, template);
  const isInPlace = type === 'InplaceUpdate' || type === 'HotPatchUpdate';
  const anew = type === 'OnDelete' ? 'pods change when somebody deletes them' : 'pods are made anew';
  switch (diff.kind) {
    case 'images':
      return `What differs: ${Object.keys(diff.images)
        .map((name) => imageChange(from, name, diff.images[name]))
        .join(', ')}; ${isInPlace ? 'pods are updated in place' : anew}.`;
    case 'metadata':
    case 'none':
      return `What differs: labels or annotations; ${isInPlace ? 'pods stay' : anew}.`;
    case 'restart':
      return `What differs: the time of a restart that was asked for; ${anew}.`;
    case 'other': {
      const isKept = isInPlace && inPlaceUpdateStrategy?.fallback === 'Fail';
      const what = `What differs: more than images, first at spec.template.${diff.where}`;
      return `${what}; ${isKept ? 'pods of another revision are kept as they are (fallback: Fail)' : anew}.`;
    }
  }
}

function imageChange({ spec }: PodTemplateSpec, name: string, image = ''): string {
  const before = spec.containers.find((container) => container.name === name)?.image ?? 'none';
  return `the image of ${name} (${before} → ${image})`;
}
