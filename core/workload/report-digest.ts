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

/** Equal digests mean equal statuses. Undefined: events wait, so a report is due by itself. */
export function reportDigest(state: WorkloadState, seen: Seen, isMoving: boolean): string | undefined {
  const { stableRevision, updateRevision, invalid, rollout, events, notices, collisionCount, pauseTrouble } = state;
  if (events.length > 0) return undefined;
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
