/**
 * Revisions that pods name and that are gone (docs/adr/0017). Where the pods provably run the template that the spec asks for, it
 * is recorded again under their name, so that none of them moves for a name. Of any other template nothing can be known.
 */
import { inPlaceStageOf } from '../core/in-place.ts';
import { isRevisionName } from '../core/label-syntax.ts';
import { equalTemplates } from '../core/normalise.ts';
import { isActive, revisionOf } from '../core/pods.ts';
import { newControllerRevision, nextRevisionNumber, templateOf } from '../core/revisions.ts';
import { isProven } from '../core/template-evidence.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import type { ControllerRevision, Pod } from '../crds/kubernetes.ts';
import type { ReportPorts } from './report.ts';
import { createOrFind, tellRecordedAgain } from './revision-history.ts';
import { belongingsInStores } from './sources.ts';
import { examplePod } from './template-proof.ts';

/** Answers what was recorded again; costs no request where no pod names a revision that is gone. @throws ApiError to be tried again. */
export async function restoreProven(
  ports: ReportPorts,
  workload: GameWorkload,
  owned: ControllerRevision[],
  signal: AbortSignal,
): Promise<ControllerRevision[]> {
  const lost = lostRevisions(ports, workload, owned);
  if (lost.size === 0) return [];
  const example = await examplePod(ports, workload, signal);
  if (example === undefined) return [];
  const restored: ControllerRevision[] = [];
  for (const [name, pods] of lost) {
    if (!pods.every((pod) => isProven(workload, example, pod))) continue;
    const wanted = newControllerRevision(workload, numberAmong([...owned, ...restored], workload), name);
    const object = await createOrFind(ports, workload, wanted, signal);
    if (object === null) continue;
    tellRecordedAgain(ports, workload, name);
    restored.push(object);
  }
  return restored;
}

/** By name, the pods that can tell: not those in the middle of an update, whose label and images may differ. */
function lostRevisions(
  { stores }: ReportPorts,
  workload: GameWorkload,
  owned: ControllerRevision[],
): Map<string, Pod[]> {
  const known = new Set(owned.map(({ metadata }) => metadata.name));
  const lost = new Map<string, Pod[]>();
  for (const pod of belongingsInStores(stores, workload).pods) {
    const name = revisionOf(pod);
    const canTell = isActive(pod) && inPlaceStageOf(pod).stage === 'none';
    if (canTell && isRevisionName(name) && !known.has(name)) lost.set(name, [...(lost.get(name) ?? []), pod]);
  }
  return lost;
}

/** The newest where it alone stands for the template; else below all, so that the one of now stays what it is. */
function numberAmong(owned: ControllerRevision[], { spec }: GameWorkload): number {
  const isEqual = owned.some((revision) => {
    const template = templateOf(revision);
    return template !== null && equalTemplates(template, spec.template);
  });
  const lowest = Math.min(...owned.map(({ revision }) => revision));
  return isEqual ? Math.max(0, lowest - 1) : nextRevisionNumber(owned);
}
