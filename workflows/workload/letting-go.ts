/** Pods that outlive the object (an orphan delete) are left as if nobody had ever moved them (decision 45). */
import { ActivityFailure, log, proxyActivities } from '@temporalio/workflow';
import type { WorkloadActivities, WorkloadKey } from '../../activities/types.ts';
import { MOVE_QUEUE } from '../queues.ts';

/** The name may have another object by then, which waits. Pods that are left are found again by the resync of the doorbell. */
const RELEASE_WITHIN = '5 minutes';

const { releasePods } = proxyActivities<WorkloadActivities>({
  taskQueue: MOVE_QUEUE,
  startToCloseTimeout: '60 seconds',
  scheduleToCloseTimeout: RELEASE_WITHIN,
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
});

/** `uid` is empty where this run never knew the object. */
export async function letGoOfPods(key: WorkloadKey, uid: string): Promise<void> {
  try {
    await releasePods.executeWithOptions({ summary: 'let go of pods' }, [{ key, uid }]);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    log.warn('not all pods could be let go', { error: error.message });
  }
}
