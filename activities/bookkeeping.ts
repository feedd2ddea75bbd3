/** The activities that write down what a workload is: its revisions, its status, its events, its pause. They move no pod. */
import { type Attempt, currentAttempt, whileBeating } from './attempt.ts';
import { lookOnce } from './observe.ts';
import { type ReportPorts, report } from './report.ts';
import { recordRevision } from './revisions.ts';
import { joinFences } from './store-fence.ts';
import type { RecordRevisionRequest, RecordRevisionResult, WorkloadActivities } from './types.ts';
import { writePaused } from './write-paused.ts';

/** They belong to the task queue of writes. */
export function createBookkeepingActivities(
  ports: ReportPorts,
): Pick<WorkloadActivities, 'report' | 'recordRevision' | 'writePaused'> {
  return {
    async report(request) {
      const attempt = currentAttempt();
      return await whileBeating(attempt, () => report(ports, request, attempt));
    },
    async recordRevision(request) {
      const attempt = currentAttempt();
      return await whileBeating(attempt, () => recordAndLook(ports, request, attempt));
    },
    async writePaused(request) {
      const attempt = currentAttempt();
      return await whileBeating(attempt, () => writePaused(ports, request, attempt));
    },
  };
}

/** A look of its own would cost six events, and is what comes next in any case. */
async function recordAndLook(
  ports: ReportPorts,
  request: RecordRevisionRequest,
  attempt: Attempt,
): Promise<RecordRevisionResult> {
  const recorded = await recordRevision(ports, request, attempt);
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
