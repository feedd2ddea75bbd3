/** The results of all rollouts that have come to their end, each read once. */
import type { Client } from '@temporalio/client';
import type { RolloutResult } from '../../core/rollout/types.ts';
import type { EndedRollout } from '../faults/rollout-log.ts';

const QUERY = 'WorkflowType = "rollout" AND ExecutionStatus = "Completed"';
/** `gamedeployment/<namespace>/<name>/rollout` */
const WORKLOAD = /^[^/]+\/([^/]+\/[^/]+)\/rollout$/;

export class EndedRollouts {
  readonly #byRun = new Map<string, EndedRollout>();

  async read({ workflow }: Client): Promise<EndedRollout[]> {
    for await (const { workflowId, runId } of workflow.list({ query: QUERY })) {
      if (this.#byRun.has(runId)) continue;
      const [, workload = workflowId] = WORKLOAD.exec(workflowId) ?? [];
      const result = (await workflow.getHandle(workflowId, runId).result()) as RolloutResult;
      this.#byRun.set(runId, { workload, result });
    }
    return [...this.#byRun.values()];
  }
}
