/** The partition of a GameStatefulSet, whose pods have places: those below it stay old, whatever becomes of the others. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import { isAvailable } from './judged-pod.ts';
import type { TrackedPod } from './pod-replay.ts';
import { placeOf } from './promised-numbers.ts';
import type { Scene } from './promises.ts';

/** Made in order, and never all of its pods: one that does not serve is in the way of the rest, and is mended anywhere. */
const isUnfinished = ({ kind, spec, status }: GameWorkload): boolean =>
  kind === 'GameStatefulSet' && spec.podManagementPolicy !== 'Parallel' && status?.createdInFull !== true;

/** In service until we took it, as far as the log tells; what others took is none of ours. */
function servedUntilTaken({ object, lostActiveMs }: TrackedPod): boolean {
  const { deletionTimestamp: _, ...metadata } = object.metadata;
  return lostActiveMs === undefined && isAvailable({ ...object, metadata }, 0, Number.POSITIVE_INFINITY);
}

/** Undefined where the kind has no places. */
export function checkPlace(scene: Scene, partition: number): { broken?: string } | undefined {
  const { after, before, pods, inForce } = scene;
  const places = inForce.flatMap((workload) => placeOf(workload, after) ?? []);
  if (places.length === 0) return undefined;
  const place = Math.max(...places);
  const key = `${after.metadata.namespace}/${after.metadata.name}`;
  const taken = before ?? pods.findLast((pod) => pod.key === key);
  const isMended = inForce.some(isUnfinished) && (taken === undefined || !servedUntilTaken(taken));
  if (place >= partition || isMended) return {};
  return { broken: `it has place ${place}, and the partition is ${partition}` };
}
