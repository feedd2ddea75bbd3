/**
 * The activity `report`: the only writer of a workload's status, and of the events that tell its story. It decides nothing:
 * what is shown is computed by core/status from facts as fresh as the fence asks for.
 */
import type { Plan } from '../core/plan/types.ts';
import { shownKey } from '../core/plan/wave.ts';
import { sentence } from '../core/status/sentence.ts';
import { computeStatus, equalStatus } from '../core/status/status.ts';
import { transitionsOf } from '../core/status/transitions.ts';
import type { GameWorkload, GameWorkloadStatus } from '../crds/game-workload.ts';
import type { ControllerRevision } from '../crds/kubernetes.ts';
import { isApiError } from '../kubernetes/errors.ts';
import { referenceTo } from '../kubernetes/event-notes.ts';
import type { EventRecorder } from '../kubernetes/event-recorder.ts';
import type { Attempt } from './attempt.ts';
import { workloadTypeOf } from './kinds.ts';
import { type Facts, planOf, readFacts } from './observation.ts';
import type { Ports } from './ports.ts';
import { liveNames, truncateHistory } from './revision-history.ts';
import { removeStrayRuns } from './stray-runs.ts';
import type { EventNote, ReportRequest, ReportResult } from './types.ts';

/** Rounds of reading and writing when others write the object at the same time; then Temporal tries again. */
const ROUNDS = 4;
/** Of the events that we write: they are about the state that a status shows. */
const ACTION = 'Report';

export interface ReportPorts extends Ports {
  recorder: Pick<EventRecorder, 'record'>;
}

/** The object at the version that was observed, and its next status; none where the workflow has yet to see its spec. */
interface Draft {
  workload: GameWorkload;
  status: GameWorkloadStatus | null;
  /** `shownKey` of that status. */
  shown: string;
  revisions: ControllerRevision[];
  input: Facts['input'];
}

/**
 * Writes the status at the observed resourceVersion, unless it is the same (decision 43); then cuts the history, whose limit may
 * be all that was edited, tells the events, and removes HookRuns that nobody waits for.
 * @throws ApiError when the API cannot be reached or the object changes all the time.
 */
export async function report(
  ports: ReportPorts,
  request: ReportRequest,
  attempt: Attempt,
): Promise<ReportResult | undefined> {
  for (let round = 1; ; round += 1) {
    const draft = await draftOf(ports, request, round > 1 || attempt.number > 1, attempt.signal);
    if (draft === null) return undefined;
    try {
      const told = await writeDraft(ports, draft, request, attempt.signal);
      await cutHistory(ports, draft, request, attempt.signal);
      record(ports, draft.workload, [...told, ...request.events]);
      await removeStrayRuns(ports, draft.input, attempt.signal);
      return draft.status === null ? undefined : { shown: draft.shown };
    } catch (error) {
      if (isApiError(error, 'notFound')) return undefined;
      if (!isApiError(error, 'conflict') || round === ROUNDS) throw error;
    }
  }
}

/** null: the object is gone, being deleted or another one. */
async function draftOf(
  ports: ReportPorts,
  request: ReportRequest,
  quorum: boolean,
  signal: AbortSignal,
): Promise<Draft | null> {
  const sighting = await readFacts(ports, { ...request, quorum }, signal);
  if (sighting.state !== 'live') return null;
  const { workload, input, controllerRevisions: revisions, blockers } = sighting.facts;
  const plan = planOf({ input: { ...input, stableRevision: request.stableRevision }, blockers });
  const isKnownSpec = input.updateRevision === request.updateRevision;
  const status = isKnownSpec ? statusOf(sighting.facts, plan, request) : null;
  const shown = shownKey(workload.metadata.generation ?? 0, plan.counts, plan.blockers);
  return { workload, status, shown, revisions, input };
}

/** A pod that a create sent may still bring about carries its revision as much as one that is there. */
async function cutHistory(ports: ReportPorts, draft: Draft, request: ReportRequest, signal: AbortSignal) {
  const { workload, status, revisions } = draft;
  if (status === null) return;
  const issued = request.context.issued.map(({ revision }) => revision);
  const live = liveNames(workload, [request.updateRevision, request.stableRevision, ...issued]);
  await truncateHistory(ports.client, workload, revisions, live, signal);
}

function statusOf({ input }: Facts, plan: Plan, request: ReportRequest): GameWorkloadStatus {
  const facts = { ...input, stableRevision: request.stableRevision };
  const { view, moving, consumedResume, collisionCount, pauseTrouble, since, context } = request;
  const { invalid } = context;
  return computeStatus({ facts, plan, view, invalid, moving, consumedResume, collisionCount, pauseTrouble, since });
}

/** Answers the events of what changed; none where nothing was written. */
async function writeDraft(
  { client }: ReportPorts,
  { workload, status }: Draft,
  { rolledTo }: ReportRequest,
  signal: AbortSignal,
) {
  const previous = workload.status ?? {};
  if (status === null || equalStatus(previous, status)) return [];
  // Computed for the workload's own kind.
  const next = { ...workload, status } as GameWorkload;
  await client.replaceStatus(workloadTypeOf(workload.kind), next, { signal });
  return transitionsOf(previous, status, rolledTo);
}

function record({ recorder }: ReportPorts, workload: GameWorkload, notes: EventNote[]): void {
  const regarding = referenceTo(workload);
  for (const { type, reason, message } of notes)
    recorder.record({ regarding, type, reason, action: ACTION, note: sentence(message) });
}
