/**
 * When a workload's status is written (design §3): when nothing moves, or now and then beside waves; never what is in it. A
 * status that cannot be written keeps no pod from being moved.
 */
import { ActivityFailure, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Observation, ReportResult, WorkloadActivities, WorkloadKey } from '../../activities/types.ts';
import { shownKey } from '../../core/plan/wave.ts';
import { reportDigest } from '../../core/workload/report-digest.ts';
import type { WorkloadState } from '../../core/workload/state.ts';
import { BESIDE, doBeside } from '../beside.ts';
import { MOVE_QUEUE } from '../queues.ts';
import { isThrifty, wavesEndEarly } from './patches.ts';
import { contextOf } from './requests.ts';

/** Beside waves the status is written at most this often. */
const REPORT_EVERY_MS = 5_000;
/** In a wait without waves the pauses between reports grow to 80 s, beside waves to 40 s: each costs six events. */
const MOST_DOUBLINGS = { wait: 4, waves: 3 };
const EVENTS_KEPT = 50;

/** After a status that could not be written. */
const REPORT_AGAIN_MS = 30_000;
/** What moves for less than this is shown when it has moved; one that moves for longer, from then on. */
const SHOWN_AFTER_MS = 1_500;

/** One that fails is tried again beside the next look. */
const { report } = proxyActivities<WorkloadActivities>({
  taskQueue: MOVE_QUEUE,
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds', maximumAttempts: 4 },
});

const beside = proxyLocalActivities<Pick<WorkloadActivities, 'report'>>(BESIDE);

interface Writer {
  key: WorkloadKey;
  state: () => WorkloadState;
}

interface ShownWhile {
  isMoving: boolean;
  /** It needs a person, or the rollout. */
  isUrgent: boolean;
  /** Moves are being carried out at the same time. */
  isInWave: boolean;
}

export class Reporting {
  readonly #writer: Writer;
  #reportedAtMs = 0;
  /** Made in a row while nothing moved: a pod that flaps is shown ever less often. */
  #ofWait = 0;
  /** Made in a row beside waves, and in the short waits between them: a rollout that takes long changes little in 40 s. */
  #ofWaves = 0;
  /** Since when something has moved; undefined while nothing does. */
  #movingSinceMs: number | undefined;
  /** Since when a status is due that was left to the next moment. */
  #leftSinceMs: number | undefined;
  /** After a resync the status is compared with the object's own, whatever was reported last; so after a failure. */
  isRepairDue = true;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** For observe: what the status says, and from when on it may be written again. */
  shown(): { key: string; againAtMs: number } {
    const doublings = Math.max(Math.min(this.#ofWait, MOST_DOUBLINGS.wait), this.#doublingsOfWaves());
    const waitMs = REPORT_EVERY_MS * 2 ** doublings;
    return {
      key: this.#writer.state().told.shown,
      againAtMs: Math.max(this.#reportedAtMs + waitMs, this.#shownFromMs()),
    };
  }

  /** What moves, or was left to the next moment, is shown from then on. */
  #shownFromMs(): number {
    const sinceMs = this.#leftSinceMs ?? this.#movingSinceMs;
    return sinceMs === undefined ? 0 : sinceMs + SHOWN_AFTER_MS;
  }

  /** Answers false where the next moment, which says more than this one, takes too long to come: then this one is shown. */
  leaveToNext(): boolean {
    this.#leftSinceMs ??= Date.now();
    return Date.now() < this.#leftSinceMs + SHOWN_AFTER_MS;
  }

  /** Milliseconds until a status is to be written, whatever happens; undefined where none is due. */
  dueInMs(): number | undefined {
    if (this.#leftSinceMs !== undefined) return Math.max(1, this.#leftSinceMs + SHOWN_AFTER_MS - Date.now());
    return this.isRepairDue ? REPORT_AGAIN_MS : undefined;
  }

  /** Of waves only: in a wait the observation has kept to what `shown` says, by its own clock. */
  #isTooEarly(isWave: boolean): boolean {
    const isNew = wavesEndEarly();
    const waitMs = REPORT_EVERY_MS * 2 ** (isNew ? this.#doublingsOfWaves() : 0);
    const isEarly = Date.now() < this.#reportedAtMs + waitMs || Date.now() < this.#shownFromMs();
    return (isWave || !isNew) && isEarly;
  }

  /** Runs of before show at once that something moves. */
  #noteMoving(isMoving: boolean): void {
    if (!isMoving) this.#movingSinceMs = undefined;
    else if (isThrifty()) this.#movingSinceMs ??= Date.now();
  }

  /** At once on a transition (`isUrgent`, or nothing moves any more), else beside a wave now and then. */
  async show(observation: Observation, { isMoving, isUrgent, isInWave }: ShownWhile): Promise<void> {
    this.#noteMoving(isMoving);
    if (isMoving && !isUrgent && this.#isTooEarly(observation.moves.length > 0)) return;
    this.#leftSinceMs = undefined;
    const state = this.#writer.state();
    const { told } = state;
    const { generation, counts, blockers, moves } = observation;
    const seen = shownKey(generation, counts, blockers);
    const digest = reportDigest(state, observation, isMoving);
    const hasEvents = state.events.length > 0;
    if (!hasEvents && digest === told.report && !this.isRepairDue) {
      told.shown = seen;
      return;
    }
    const written = await this.#write(isMoving, isInWave);
    this.isRepairDue = written === undefined;
    this.#count(isMoving, moves.length > 0);
    // Pods may have changed after the look: then the next one must not take its own sight for what is shown.
    const isAsSeen = written !== undefined && (written.shown ?? seen) === seen;
    // Runs of before write again what came with events.
    told.report = isAsSeen && (isThrifty() || !hasEvents) ? digest : '';
    if (written !== undefined) told.shown = written.shown ?? seen;
  }

  #doublingsOfWaves(): number {
    return Math.min(this.#ofWaves, MOST_DOUBLINGS.waves);
  }

  #count(isMoving: boolean, isWave: boolean): void {
    this.#ofWait = isMoving && !isWave ? this.#ofWait + 1 : 0;
    if (!isMoving) this.#ofWaves = 0;
    else if (isWave) this.#ofWaves += 1;
  }

  /** Undefined: it could not be written. Its events are kept for the next one. */
  async #write(moving: boolean, isInWave: boolean): Promise<Partial<ReportResult> | undefined> {
    const { key } = this.#writer;
    const state = this.#writer.state();
    const { uid, fence, updateRevision, stableRevision, collisionCount, pauseTrouble } = state;
    const events = state.events.splice(0);
    const request = {
      ...{ key, uid, context: contextOf(state), fence, updateRevision, stableRevision, moving, events },
      ...(collisionCount === undefined ? {} : { collisionCount }),
      ...(pauseTrouble === undefined ? {} : { pauseTrouble: pauseTrouble.message }),
      ...(state.told.since === undefined ? {} : { since: state.told.since }),
      view: state.rollout?.view ?? null,
      rolledTo: state.rollout?.toRevision,
      consumedResume: state.rollout?.view?.consumedResume ?? [],
    };
    const summary = 'write the status';
    const remote = () => report.executeWithOptions({ summary }, [request]);
    const local = () => beside.report.executeWithOptions({ summary }, [request]);
    try {
      // What is beside the workflow holds up its commands: a wave does not wait for a status.
      const answer = await (isThrifty() && !isInWave ? doBeside(local, remote) : remote());
      // Of a spec that is yet to be seen no status was written: it is due.
      return answer ?? (isThrifty() ? undefined : {});
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      state.events = [...events, ...state.events].slice(0, EVENTS_KEPT);
      return undefined;
    } finally {
      this.#reportedAtMs = Date.now();
    }
  }
}
