/** The activity `recordRevision` as workflows know it: the record, what is seen right after it, and a word where the API refuses it. */
import { sentence } from '../core/status/sentence.ts';
import { isSaid, REVISION_REFUSED, refusedStatus } from '../core/status/stalled.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import { type ApiError, isApiError } from '../kubernetes/errors.ts';
import type { Attempt } from './attempt.ts';
import { lookOnce } from './observe.ts';
import type { ReportPorts } from './report.ts';
import { NOTHING_RECORDED, readLive, recordOf } from './revisions.ts';
import { sayStalled } from './stalls.ts';
import { joinFences } from './store-fence.ts';
import type { RecordRevisionRequest, RecordRevisionResult } from './types.ts';

/**
 * A look of its own would cost six events, and is what comes next in any case.
 * @throws as `recordRevision` does; where the API refuses the record the workload says so first, since its workflow waits here.
 */
export async function recordAndLook(
  ports: ReportPorts,
  request: RecordRevisionRequest,
  attempt: Attempt,
): Promise<RecordRevisionResult> {
  const recorded = await recordOrTell(ports, request, attempt);
  const { updateRevision, invalid, written } = recorded;
  if (request.look === undefined || updateRevision === '') return recorded;
  const { context, fence } = request.look;
  const refused =
    invalid === undefined ? { invalid: undefined } : { invalid: { revision: updateRevision, message: invalid } };
  const look = {
    ...request.look,
    fence: joinFences(fence, { written, gone: [] }),
    context: { ...context, ...refused },
  };
  return { ...recorded, seen: await lookOnce(ports, look, attempt.signal) };
}

async function recordOrTell(
  ports: ReportPorts,
  request: RecordRevisionRequest,
  attempt: Attempt,
): Promise<RecordRevisionResult> {
  const workload = await readLive(ports, request);
  if (workload === undefined) return NOTHING_RECORDED;
  try {
    return await recordOf(ports, workload, request, attempt);
  } catch (error) {
    if (isApiError(error, 'forbidden', 'invalid', 'badRequest')) await tellRefusal(ports, workload, error, attempt);
    throw error;
  }
}

/**
 * What time does not heal by itself: a quota, a policy, a right that is missing. Written to the very object whose template was refused:
 * of one that was edited meanwhile nobody knows that yet.
 */
async function tellRefusal(
  ports: ReportPorts,
  workload: GameWorkload,
  { message: why }: ApiError,
  { signal }: Attempt,
): Promise<void> {
  const message = sentence(
    `The API server refuses to record the revision of this template: ${why.replace(/\.$/, '')}. Nothing moves until it takes it; it is asked again by itself`,
  );
  try {
    const finding = { reason: REVISION_REFUSED, message };
    if (isSaid(workload.status?.conditions, { ...finding, generation: workload.metadata.generation })) return;
    await sayStalled(ports, workload, finding, { action: 'RecordRevision', statusOf: refusedStatus, signal });
  } catch (error) {
    // Somebody was faster, or the API takes no status either: the next attempt tries again.
    const { kind, metadata } = workload;
    const key = { kind, namespace: metadata.namespace, name: metadata.name };
    ports.log.warn({ err: error, workload: key }, 'a refused revision could not be told');
  }
}
