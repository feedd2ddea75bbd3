/** What a workload's activities are told of its state: what the planner needs of it, and what a look is about. */
import type { ObserveRequest, PlanContext, WorkloadKey } from '../../activities/types.ts';
import type { WorkloadState } from '../../core/workload/state.ts';
import { type Asked, isReachedTold } from '../../core/workload/telling.ts';

export function contextOf(state: WorkloadState): PlanContext {
  const { stableRevision, rollout, invalid, unresolved, issued, backOff, failures, gates, createdInFull } = state;
  const stable = stableRevision === '' ? {} : { stableRevision };
  const allowance = rollout?.allowance ?? null;
  const refused = invalid === undefined ? {} : { invalid };
  const created = createdInFull === true ? { createdInFull } : {};
  return { ...stable, allowance, ...refused, unresolved, issued, backOff, failures, gates, ...created };
}

export function lookRequest(
  key: WorkloadKey,
  state: WorkloadState,
  asked: Asked,
  shown: ObserveRequest['shown'],
): ObserveRequest {
  const { uid, fence, needsQuorum: quorum, handled, told } = state;
  const toldReached = isReachedTold(state, asked);
  return {
    key,
    ...(uid === '' ? {} : { uid }),
    ...{ context: contextOf(state), fence, quorum },
    handled,
    ...{ toldReached, toldBlocked: told.blockers, shown },
  };
}
