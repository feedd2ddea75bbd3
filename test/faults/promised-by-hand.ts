/** Type OnDelete: others update pods, by deleting them. Ours go only where they are asked to, and none is changed. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { isActive, revisionOf } from './judged-pod.ts';
import { hasPlace, promisedNumbers } from './promised-numbers.ts';
import { isActiveFor, type Scene } from './promises.ts';

/** Named to go, or of an ordinal that the set does not use. */
function isAskedToGo(workload: GameWorkload, pod: Pod): boolean {
  if (workload.kind === 'GameStatefulSet') return !hasPlace(workload, pod);
  return workload.spec.scaleStrategy?.podsToDelete?.includes(pod.metadata.name) === true;
}

function checkDelete(pod: Pod, { pods, inForce, receivedMs, graceMs }: Scene): string | undefined {
  if (inForce.some((workload) => isAskedToGo(workload, pod))) return undefined;
  const isOfSet = inForce.some(({ kind }) => kind === 'GameStatefulSet');
  // It waits for a claim that is gone: its next life makes the claim again.
  if (isOfSet && pod.spec.nodeName === undefined) return undefined;
  if (isOfSet) return 'under OnDelete, where it has a place';
  const active = pods.filter((each) => isActiveFor(each, receivedMs - graceMs)).length;
  const fewest = Math.min(...inForce.map((workload) => promisedNumbers(workload).replicas));
  return active > fewest ? undefined : `under OnDelete, where ${active} pods are not more than ${fewest} replicas`;
}

export function checkByHand(scene: Scene): string | undefined {
  const { before, after, inForce } = scene;
  const isByHand = inForce.every(({ spec }) => spec.updateStrategy?.type === 'OnDelete');
  if (!before || !isActive(before.object) || !isByHand) return undefined;
  if (after.metadata.deletionTimestamp !== undefined) return checkDelete(before.object, scene);
  const revision = revisionOf(after);
  return revision === revisionOf(before.object) ? undefined : `under OnDelete it is brought to ${revision}`;
}
