/** Carries out the moves of one observation: at most 200 items an activity, all activities at once, none abandoned. */
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type {
  MoveRequest,
  MoveResult,
  Observation,
  PlanContext,
  WorkloadActivities,
  WorkloadKey,
} from '../../activities/types.ts';
import type { Act, Move } from '../../core/plan/types.ts';
import { issueNames, takeEfforts, takeOutcomes, waveEvents } from '../../core/workload/bookkeeping.ts';
import type { WorkloadState } from '../../core/workload/state.ts';
import { MOVE_QUEUE } from '../queues.ts';

const ITEMS_PER_ACTIVITY = 200;

/** A move is never abandoned: what it did must be known before the next plan (protocol §2, rules 3 and 8). */
const moves = proxyActivities<WorkloadActivities>({
  taskQueue: MOVE_QUEUE,
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
});

type MoveActivity = 'createPods' | 'deletePods' | 'updatePodsInPlace' | 'markPods';

const ACTIVITY_OF: Record<Act, MoveActivity> = {
  create: 'createPods',
  delete: 'deletePods',
  'close-gate': 'updatePodsInPlace',
  'patch-images': 'updatePodsInPlace',
  'patch-metadata': 'updatePodsInPlace',
  'open-gate': 'updatePodsInPlace',
  mark: 'markPods',
  unmark: 'markPods',
  fence: 'markPods',
};

const WORDS: Record<MoveActivity, string> = {
  createPods: 'create',
  deletePods: 'delete',
  updatePodsInPlace: 'update in place',
  markPods: 'mark or unmark',
};

interface Batch {
  activity: MoveActivity;
  items: Move[];
}

function batchesOf(items: Move[]): Batch[] {
  const byActivity = new Map<MoveActivity, Move[]>();
  for (const move of items) {
    const activity = ACTIVITY_OF[move.act];
    byActivity.set(activity, [...(byActivity.get(activity) ?? []), move]);
  }
  return [...byActivity].flatMap(([activity, group]) => {
    const batches: Batch[] = [];
    for (let at = 0; at < group.length; at += ITEMS_PER_ACTIVITY) {
      batches.push({ activity, items: group.slice(at, at + ITEMS_PER_ACTIVITY) });
    }
    return batches;
  });
}

/** For the Timeline: `update in place 3 pods, partition 2`. */
const summaryOf = ({ activity, items }: Batch, { partition }: Observation): string =>
  `${WORDS[activity]} ${items.length} pods${partition > 0 ? `, partition ${partition}` : ''}`;

/** Everything that a move needs to plan again on its own. */
export interface WaveInput {
  key: WorkloadKey;
  state: WorkloadState;
  context: () => PlanContext;
  observation: Observation;
}

export async function carryOut({ key, state, context, observation }: WaveInput): Promise<void> {
  issueNames(state, observation.moves);
  const request: Omit<MoveRequest, 'items'> = {
    key,
    uid: state.uid,
    context: context(),
    fence: state.fence,
    updateRevision: state.updateRevision,
    stableRevision: state.stableRevision,
    asOfMs: observation.asOfMs,
  };
  const results = await Promise.all(
    batchesOf(observation.moves).map((batch) =>
      moves[batch.activity].executeWithOptions({ summary: summaryOf(batch, observation) }, [
        { ...request, items: batch.items },
      ]),
    ),
  );
  settle(state, observation, results);
}

function settle(state: WorkloadState, observation: Observation, results: MoveResult[]): void {
  takeOutcomes(state, observation.moves, results);
  const refusal = results.find((result) => result.refusal !== undefined)?.refusal;
  takeEfforts(state, results, observation.replacesFailed, observation.asOfMs);
  state.events.push(...waveEvents(observation.moves, refusal));
}
