/** Whether a report would say anything new: the facts that a status is made of, in one text. */
import type { Blocker, Counts } from '../plan/types.ts';
import type { WorkloadState } from './state.ts';

interface Seen {
  generation: number;
  counts: Counts;
  partition: number;
  reached: boolean;
  blockers: Blocker[];
}

/** Equal digests mean equal statuses; events that wait make a report due by themselves. */
export function reportDigest(state: WorkloadState, seen: Seen, isMoving: boolean): string {
  const { stableRevision, updateRevision, invalid, rollout, notices, collisionCount, pauseTrouble } = state;
  const { generation, counts, partition, reached, blockers } = seen;
  const facts = { generation, counts, partition, reached, blockers };
  const own = {
    stableRevision,
    updateRevision,
    invalid,
    view: rollout?.view,
    collisionCount,
    trouble: pauseTrouble?.message,
  };
  return JSON.stringify([own, facts, isMoving, notices]);
}
