/** The spec's template has no revision yet: it is recorded and proven before anything moves to it (protocol §5). */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Observation, ObserveRequest, WorkloadActivities, WorkloadKey } from '../../activities/types.ts';
import { raiseFence } from '../../core/workload/bookkeeping.ts';
import type { WorkloadState } from '../../core/workload/state.ts';
import { BESIDE, doBeside } from '../beside.ts';
import { MOVE_QUEUE } from '../queues.ts';
import { isThrifty } from './patches.ts';

/** An outage of the API is over for revisions soon after it is over. */
const { recordRevision } = proxyActivities<WorkloadActivities>({
  taskQueue: MOVE_QUEUE,
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
});
const beside = proxyLocalActivities<Pick<WorkloadActivities, 'recordRevision'>>(BESIDE);

/** Answers what is seen of the workload right after; undefined where that is left to the next look. */
export async function recordTemplate(
  key: WorkloadKey,
  state: WorkloadState,
  { generation, updateRevision: known }: Observation,
  look: () => ObserveRequest,
): Promise<Observation | undefined> {
  const stable = state.stableRevision === '' ? {} : { stableRevision: state.stableRevision };
  const summary = `record the revision of generation ${generation}`;
  const request = { key, uid: state.uid, ...stable, fence: state.fence, ...(isThrifty() ? { look: look() } : {}) };
  const remote = () => recordRevision.executeWithOptions({ summary }, [request]);
  const local = () => beside.recordRevision.executeWithOptions({ summary }, [request]);
  const { updateRevision, invalid, written, collisionCount, seen } = await (isThrifty()
    ? doBeside(local, remote)
    : remote());
  raiseFence(state, written);
  state.proof = { revision: known ?? updateRevision, generation };
  if (collisionCount !== undefined) state.collisionCount = collisionCount;
  noteRefusal(state, updateRevision, invalid);
  return seen;
}

/** One that is refused again is refused since the first time. */
function noteRefusal(state: WorkloadState, revision: string, message: string | undefined): void {
  const { revision: before, sinceMs = Date.now() } = state.invalid ?? {};
  if (message === undefined) delete state.invalid;
  else state.invalid = { revision, message, sinceMs: before === revision ? sinceMs : Date.now() };
}
