/** Keeps `spec.updateStrategy.paused` in step with the pauses of the rollout, on workloads that ask for it (decision 9). */
import { ActivityFailure, proxyActivities } from '@temporalio/workflow';
import type {
  Observation,
  WorkloadActivities,
  WorkloadKey,
  WritePausedRequest,
  WritePausedResult,
} from '../../activities/types.ts';
import { raiseFence } from '../../core/workload/bookkeeping.ts';
import {
  endPauseTrouble,
  isPauseWriteDue,
  type PauseWrite,
  pauseWriteOf,
  sendPauseWrite,
  takePauseTrouble,
  takePauseWritten,
} from '../../core/workload/spec-pause.ts';
import type { WorkloadState } from '../../core/workload/state.ts';
import { MOVE_QUEUE } from '../queues.ts';
import { writesPauses } from './patches.ts';

/** Pods wait for the next look meanwhile: what does not succeed soon is tried again beside a later one. */
const { writePaused } = proxyActivities<WorkloadActivities>({
  taskQueue: MOVE_QUEUE,
  startToCloseTimeout: '20 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumAttempts: 3 },
});

/**
 * To be called before the status is written, which waits where the answer is true, for another look: whoever reads there that the
 * rollout is paused, and lifts the pause in the spec, must find it in the spec.
 */
export async function keepSpecPause(key: WorkloadKey, state: WorkloadState, seen: Observation): Promise<boolean> {
  const write = pauseWriteOf(state, seen.spec);
  if (write === null) endPauseTrouble(state);
  if (write === null || !isPauseWriteDue(state, write, Date.now()) || !writesPauses()) return false;
  sendPauseWrite(state, write);
  const result = await send({ key, uid: state.uid, generation: seen.generation, write });
  if (result.refused === undefined) takeResult(state, write, result);
  else takePauseTrouble(state, write, result.refused, Date.now());
  return result.refused === undefined;
}

async function send(request: WritePausedRequest): Promise<WritePausedResult> {
  const summary = SUMMARIES[request.write.act];
  try {
    return await writePaused.executeWithOptions({ summary }, [request]);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const why = error.cause?.message ?? error.message;
    return { written: {}, refused: `spec.updateStrategy.paused could not be written: ${why}` };
  }
}

const SUMMARIES: Record<PauseWrite['act'], string> = {
  set: 'set spec.updateStrategy.paused',
  'take-back': 'take spec.updateStrategy.paused back',
  forget: 'forget a pause that was lifted',
};

/** Whatever came of it, the object is looked at again: it is another one now, or was before. */
function takeResult(state: WorkloadState, write: PauseWrite, { pausedAt, written }: WritePausedResult): void {
  endPauseTrouble(state);
  raiseFence(state, written);
  const isDone = (write.act === 'set') === (pausedAt === write.mark);
  if (isDone) takePauseWritten(state, write);
  state.isRung = true;
}
