/**
 * Pods that outlived their workload and still carry a mark or a closed gate: the run that was to let go of them was lost, or the
 * API refused it for too long. Found by the resync, so that they are let go however that ended. Reads the stores only.
 */
import { workloadStoreOf } from '../../activities/kinds.ts';
import { ORPHAN_INDEX, type Stores } from '../../activities/ports.ts';
import { isHeld } from '../../activities/release.ts';
import type { WorkloadKey } from '../../activities/types.ts';
import { makerOf } from '../../core/adoption.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { workloadId } from '../../workflows/ids.ts';

const keyOf = (pod: Pod): string | undefined => {
  const maker = isHeld(pod) ? makerOf(pod) : undefined;
  return maker === undefined ? undefined : workloadId(maker);
};

/** Keys of workloads that are not there any more. One that is there again adopts its pods. */
export function leftBehind(stores: Stores): string[] {
  const isGone = (pod: Pod) => {
    const maker = makerOf(pod);
    return maker !== undefined && workloadStoreOf(stores, maker.kind).get(maker) === undefined;
  };
  const keys = stores.pods
    .list()
    .filter((pod) => isHeld(pod) && isGone(pod))
    .map(keyOf);
  return [...new Set(keys)].filter((key) => key !== undefined);
}

/** Did pods of this workload outlive it? To be asked of one that is gone. */
export const hasLeftPods = ({ pods }: Stores, key: WorkloadKey): boolean =>
  [...pods.byIndex(ORPHAN_INDEX, key.namespace)].some((pod) => keyOf(pod) === workloadId(key));
