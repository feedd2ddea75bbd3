/**
 * Tells people what happened, as Kubernetes events. Telling is never worth a failure: nothing here throws into the
 * caller, waits for the caller or grows without bound; what cannot be written is counted and dropped.
 */
import { randomBytes } from 'node:crypto';
import { Backoff } from './backoff.ts';
import type { KubernetesClient } from './client.ts';
import { pause } from './deadline.ts';
import { isApiError, isOutcomeUnknown } from './errors.ts';
import { type EventNote, type EventReporter, eventObject, eventSuffix, eventTimes } from './event-notes.ts';
import { EventSeries, type Series, type SeriesClock } from './event-series.ts';
import { events } from './resource-types.ts';

interface EventRecorderOptions extends EventReporter {
  client: Pick<KubernetesClient, 'create' | 'patch'>;
  /** How many different events may wait or be remembered; 1,000 when absent. */
  capacity?: number;
  clock?: SeriesClock;
  /** Told of events that could not be written. */
  onProblem?: (error: unknown) => void;
}

export interface EventRecorder {
  /** Returns at once. The same note within 10 minutes raises the count of the first one. */
  record(note: EventNote): void;
  /** Notes lost because too many were waiting. */
  readonly dropped: number;
  /** Waits until everything recorded is written or given up; false when the time is over. */
  flush(timeoutMs?: number): Promise<boolean>;
}

const MAX_FAILURES = 4;
const SYSTEM_CLOCK: SeriesClock = { wall: () => new Date(), monotonic: () => performance.now() };

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new QueueingRecorder(options);
}

class QueueingRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series: EventSeries;
  readonly #backoff = new Backoff({ firstMs: 500, maxMs: 10_000 });
  #isWriting = false;
  #begun = 0;
  /** Ends the pause between two writings. */
  #wake = new AbortController();
  #flushes = 0;
  #idle: (() => void)[] = [];

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#series = new EventSeries({
      capacity: options.capacity ?? 1_000,
      clock: options.clock ?? SYSTEM_CLOCK,
      newSuffix: (at) => eventSuffix(at, this.#begun++, randomBytes(4).toString('hex')),
    });
  }

  get dropped(): number {
    return this.#series.dropped;
  }

  record(note: EventNote): void {
    this.#series.add(note);
    this.#work();
  }

  async flush(timeoutMs = 5_000): Promise<boolean> {
    if (this.#series.unwritten === 0) return true;
    const timeUp = new AbortController();
    const idle = new Promise<boolean>((resolve) => this.#idle.push(() => resolve(true)));
    this.#flushes += 1;
    this.#work();
    try {
      const isLate = pause(timeoutMs, timeUp.signal).then(() => false);
      return await Promise.race([idle, isLate]);
    } finally {
      this.#flushes -= 1;
      timeUp.abort();
    }
  }

  #work(): void {
    this.#wake.abort();
    if (this.#isWriting) return;
    this.#isWriting = true;
    void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      this.#wake = new AbortController();
      const next = this.#series.next(this.#flushes > 0);
      if (next === undefined) break;
      if (typeof next === 'number') await pause(next, this.#wake.signal);
      else await this.#write(next);
    }
    this.#isWriting = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #write(series: Series): Promise<void> {
    const { count } = series;
    try {
      if (series.writtenCount === 0) await this.#create(series, count);
      else await this.#raise(series, count);
      this.#backoff.reset();
    } catch (error) {
      this.#failed(series, error);
    }
  }

  async #create(series: Series, count: number): Promise<void> {
    try {
      await this.#options.client.create(events, this.#event(series, count));
    } catch (error) {
      // Ours, of an attempt whose answer was lost: the name is random.
      if (!isApiError(error, 'alreadyExists')) throw error;
    }
    this.#series.written(series, count);
  }

  async #raise(series: Series, count: number): Promise<void> {
    const { name, namespace } = this.#event(series, count).metadata;
    const body = { ...eventTimes(count, series.lastAt) };
    try {
      await this.#options.client.patch(events, { name, namespace }, { kind: 'merge', body });
      this.#series.written(series, count);
    } catch (error) {
      // Events live an hour.
      if (!isApiError(error, 'notFound')) throw error;
      this.#series.vanished(series);
    }
  }

  #event({ note, suffix, firstAt: at, lastAt }: Series, count: number) {
    return eventObject(note, this.#options, suffix, { at, ...eventTimes(count, lastAt) });
  }

  #failed(series: Series, error: unknown): void {
    const mayPass = isOutcomeUnknown(error) || isApiError(error, 'network', 'timeout', 'tooManyRequests');
    if (mayPass && series.failures + 1 < MAX_FAILURES) {
      this.#series.retryIn(series, this.#backoff.next());
      return;
    }
    this.#series.abandon(series);
    try {
      this.#options.onProblem?.(error);
    } catch {
      // A listener that fails must not stop the telling.
    }
  }
}
