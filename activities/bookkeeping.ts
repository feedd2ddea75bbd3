/** The activities that write down what a workload is: its revisions, its status, its events, its pause. They move no pod. */
import { currentAttempt, whileBeating } from './attempt.ts';
import { recordAndLook } from './recording.ts';
import { type ReportPorts, report } from './report.ts';
import type { WorkloadActivities } from './types.ts';
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
