/**
 * Carries out the moves of one observation: at most 200 items an activity, all activities at once, none abandoned. Another
 * word of the rollout (a pause, an abort) ends the wave early: nothing more is sent, and what was sent is waited for.
 */
import { ActivityCancellationType, ActivityFailure, CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { MoveRequest, MoveResult, Observation, WorkloadActivities, WorkloadKey } from '../../activities/types.ts';
import { spends } from '../../core/plan/spending.ts';
import type { Act, Move } from '../../core/plan/types.ts';
import { unresolvedItem } from '../../core/plan/unresolved.ts';
import { issueNames, takeEfforts, takeOutcomes } from '../../core/workload/bookkeeping.ts';
import type { WorkloadState } from '../../core/workload/state.ts';
import { type Asked, forbidsMore } from '../../core/workload/telling.ts';
import { waveEvents } from '../../core/workload/wave-events.ts';
import { MOVE_QUEUE } from '../queues.ts';
import type { WorkloadBox } from './inbox.ts';
import { wavesEndEarly } from './patches.ts';
import { contextOf } from './requests.ts';

const ITEMS_PER_ACTIVITY = 200;

/** A move is never abandoned: what it did must be known before the next plan (protocol §2, rules 3 and 8). */
const moves = proxyActivities<WorkloadActivities>({
  taskQueue: MOVE_QUEUE,
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
});

type MoveActivity = 'createPods' | 'deletePods' | 'updatePodsInPlace' | 'markPods' | 'adoptPods';

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
  'end-hook': 'markPods',
  adopt: 'adoptPods',
  release: 'adoptPods',
};

const WORDS: Record<MoveActivity, string> = {
  createPods: 'create',
  deletePods: 'delete',
  updatePodsInPlace: 'update in place',
  markPods: 'mark or unmark',
  adoptPods: 'adopt or let go',
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
  box: WorkloadBox;
  /** The word of the rollout under which the moves were planned. */
  asked: Asked;
  observation: Observation;
}

export async function carryOut({ key, box, asked, observation }: WaveInput): Promise<void> {
  const { state } = box;
  issueNames(state, observation.moves);
  const request: Omit<MoveRequest, 'items'> = {
    key,
    uid: state.uid,
    context: contextOf(state),
    fence: state.fence,
    updateRevision: state.updateRevision,
    stableRevision: state.stableRevision,
    asOfMs: observation.asOfMs,
  };
  const scope = new CancellationScope();
  const mayEnd = wavesEndEarly();
  box.interrupt = () => {
    if (mayEnd && forbidsMore(state, asked)) scope.cancel();
  };
  const batches = batchesOf(observation.moves);
  const send = (batch: Batch) =>
    sendBatch(batch, { ...request, items: batch.items, ...siblingsOf(batch, batches) }, observation, scope);
  const results = await scope.run(() => Promise.all(batches.map(send)));
  box.interrupt = undefined;
  settle(state, observation, results);
}

/** What the other batches spend at the same time; absent where they spend nothing. */
function siblingsOf(batch: Batch, batches: Batch[]): Pick<MoveRequest, 'siblings'> {
  const others = batches.filter((each) => each !== batch).flatMap(({ items }) => items.filter(spends));
  return others.length === 0 ? {} : { siblings: others.map((item) => unresolvedItem(item, 'unknown')) };
}

async function sendBatch(
  batch: Batch,
  request: MoveRequest,
  observation: Observation,
  scope: CancellationScope,
): Promise<MoveResult> {
  try {
    return await moves[batch.activity].executeWithOptions({ summary: summaryOf(batch, observation) }, [request]);
  } catch (error) {
    if (!(error instanceof ActivityFailure && scope.consideredCancelled)) throw error;
    return unheardOf(batch);
  }
}

/** The wave was ended while nobody carried the batch out: an attempt before may have sent anything of it. */
const unheardOf = ({ items }: Batch): MoveResult => ({
  ...{ done: 0, moved: 0, written: {}, gone: [], quorum: true },
  unresolved: items.map((item) => unresolvedItem(item, 'unknown')),
});

function settle(state: WorkloadState, observation: Observation, results: MoveResult[]): void {
  takeOutcomes(state, observation.moves, results);
  const isAnyDone = results.some(({ done }) => done > 0);
  takeEfforts(state, results, isAnyDone ? observation.replacesFailed : 0, observation.asOfMs);
  state.events.push(...waveEvents(observation.moves, results));
}
