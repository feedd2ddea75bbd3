/** How a rollout is started: its one argument, and how it is made from the request of the workload. Pure. */
import type { StartRolloutRequest, WorkloadKey } from '../activities/types.ts';
import { type RolloutStart, type RolloutState, RULES_VERSION } from '../core/rollout/state.ts';
import { workloadId } from './ids.ts';

export interface RolloutArgs {
  key: WorkloadKey;
  uid: string;
  start: RolloutStart;
  /** State of the run before; only continue-as-new sets it. */
  carried?: RolloutState;
}

/** Arguments for `client.workflow.start('rollout', …)`; a rollout started now keeps today's rules to its end. */
export function rolloutArgs({ key, uid, spec, ...request }: StartRolloutRequest): RolloutArgs {
  const { number, fromRevision, toRevision, rolledBack, resumeAt } = request;
  const { steps, stepsHash, pausedByUser, resumeToken, progressDeadlineSeconds } = spec;
  return {
    key,
    uid,
    start: {
      ...{ rulesVersion: RULES_VERSION, workload: workloadId(key), number, fromRevision, toRevision, rolledBack },
      ...{ steps, stepsHash, pausedByUser, resumeToken, progressDeadlineSeconds, resumeAt },
    },
  };
}

/** One line for the list of runs; `staticSummary` of the start. */
export const rolloutSummary = ({ start }: RolloutArgs): string =>
  `${start.workload}: ${start.fromRevision} → ${start.toRevision}, rollout ${start.number}`.slice(0, 390);
