/** The activities of a rollout, made from what they need; each is implemented in a module of its own. */
import { currentAttempt, whileBeating } from './attempt.ts';
import { type RolloutRuns, startRollout } from './rollout-start.ts';
import { closeRollout } from './rollout-summary.ts';
import type { RolloutActivities } from './rollout-types.ts';
import { cancelStepHookRun, createStepHookRun, type StepHookPorts } from './step-hooks.ts';
import type { WorkloadActivities } from './types.ts';

export interface RolloutPorts extends StepHookPorts {
  runs: RolloutRuns;
}

/** `startRollout` belongs to the workflows' task queue, the others to the one of writes. */
export function createRolloutActivities(
  ports: RolloutPorts,
): RolloutActivities & Pick<WorkloadActivities, 'startRollout'> {
  return {
    async startRollout(request) {
      const attempt = currentAttempt();
      return await whileBeating(attempt, () => startRollout(ports.runs, request, attempt));
    },
    async createStepHookRun(request) {
      const attempt = currentAttempt();
      return await whileBeating(attempt, () => createStepHookRun(ports, request, attempt));
    },
    async cancelStepHookRun(request) {
      const attempt = currentAttempt();
      await whileBeating(attempt, () => cancelStepHookRun(ports, request, attempt));
    },
    async closeRollout(request) {
      const attempt = currentAttempt();
      await whileBeating(attempt, () => closeRollout(ports, request, attempt));
    },
  };
}
