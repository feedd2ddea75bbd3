/** What the rollouts cost in Temporal: events of a workload's histories, over all runs of its id. */
import type { Operator } from '../devstack/operator.ts';
import { rolloutId, workloadId } from '../workflows/ids.ts';
import type { GameRef } from './game.ts';

export interface HistoryCost {
  /** Of the workload's own workflow. */
  events: number;
  /** How often it looked at the world. */
  looks: number;
  /** Move activities: a wave is one look and what follows from it. */
  moves: number;
  /** Of the workload's rollouts. */
  rolloutEvents: number;
}

const MOVES = new Set(['createPods', 'deletePods', 'updatePodsInPlace', 'markPods', 'adoptPods']);

/** All that there is so far; the difference of two is what lies between them. */
export async function historyCost({ temporal }: Operator, { kind, name }: GameRef): Promise<HistoryCost> {
  const key = { kind, namespace: 'default', name };
  const own = await activitiesOf(temporal, workloadId(key));
  const rollout = await activitiesOf(temporal, rolloutId(key));
  return {
    events: own.events,
    looks: own.names.filter((each) => each === 'observe').length,
    moves: own.names.filter((each) => MOVES.has(each)).length,
    rolloutEvents: rollout.events,
  };
}

export function costBetween(before: HistoryCost, after: HistoryCost): HistoryCost {
  return {
    events: after.events - before.events,
    looks: after.looks - before.looks,
    moves: after.moves - before.moves,
    rolloutEvents: after.rolloutEvents - before.rolloutEvents,
  };
}

export function averageCost(costs: readonly HistoryCost[]): HistoryCost {
  const average = (of: keyof HistoryCost) => costs.reduce((sum, cost) => sum + cost[of], 0) / costs.length;
  return {
    events: average('events'),
    looks: average('looks'),
    moves: average('moves'),
    rolloutEvents: average('rolloutEvents'),
  };
}

async function activitiesOf(temporal: Operator['temporal'], workflowId: string) {
  let events = 0;
  const names: string[] = [];
  for await (const { runId } of temporal.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    const history = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
    const all = history.events ?? [];
    events += all.length;
    const scheduled = all.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    names.push(...scheduled.filter((name) => typeof name === 'string'));
  }
  return { events, names };
}
