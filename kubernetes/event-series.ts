/**
 * Remembers which events were told lately, so that the same thing happening again raises a count instead of making a
 * new object, and says which of them still have to be written. Bounded in memory; no I/O.
 */
import { type EventNote, keyOfNote } from './event-notes.ts';

/** The same event within this time is one series. */
const SERIES_WINDOW_MS = 10 * 60_000;
/** A series is written again at most this often. */
const REWRITE_AFTER_MS = 5_000;

export interface Series {
  readonly note: EventNote;
  /** Part of the event's name. */
  readonly suffix: string;
  readonly firstAt: Date;
  lastAt: Date;
  count: number;
  /** What the apiserver knows; 0: not created yet. */
  writtenCount: number;
  /** Monotonic milliseconds. */
  notBefore: number;
  failures: number;
}

export interface SeriesClock {
  wall(): Date;
  monotonic(): number;
}

export class EventSeries {
  readonly #capacity: number;
  readonly #clock: SeriesClock;
  readonly #newSuffix: (at: Date) => string;
  /** In the order of the last occurrence. */
  readonly #byKey = new Map<string, Series>();
  readonly #unwritten = new Set<Series>();
  #dropped = 0;

  constructor(options: { capacity: number; clock: SeriesClock; newSuffix: (at: Date) => string }) {
    this.#capacity = options.capacity;
    this.#clock = options.clock;
    this.#newSuffix = options.newSuffix;
  }

  /** How many notes were lost because too many were waiting. */
  get dropped(): number {
    return this.#dropped;
  }

  get unwritten(): number {
    return this.#unwritten.size;
  }

  add(note: EventNote): void {
    const key = keyOfNote(note);
    const at = this.#clock.wall();
    this.#forgetOld(at);
    const known = this.#byKey.get(key);
    if (known === undefined && this.#unwritten.size >= this.#capacity) {
      this.#dropped += 1;
      return;
    }
    const series = known ?? this.#begin(note, at);
    series.count += 1;
    series.lastAt = at;
    this.#byKey.delete(key);
    this.#byKey.set(key, series);
    this.#unwritten.add(series);
    this.#bound();
  }

  /** The first one that may be written now (any, when `isUrgent`), or in how many milliseconds to ask again. */
  next(isUrgent: boolean): Series | number | undefined {
    const now = this.#clock.monotonic();
    let waitMs: number | undefined;
    for (const series of this.#unwritten) {
      if (isUrgent || series.notBefore <= now) return series;
      waitMs = Math.min(waitMs ?? Number.POSITIVE_INFINITY, series.notBefore - now);
    }
    return waitMs;
  }

  /** The apiserver knows `count` occurrences now. */
  written(series: Series, count: number): void {
    series.writtenCount = count;
    series.failures = 0;
    series.notBefore = this.#clock.monotonic() + REWRITE_AFTER_MS;
    if (series.count === count) this.#unwritten.delete(series);
  }

  /** The event is gone from the cluster: the next writing creates it anew. */
  vanished(series: Series): void {
    this.abandon(series);
    this.add(series.note);
  }

  retryIn(series: Series, ms: number): void {
    series.failures += 1;
    series.notBefore = this.#clock.monotonic() + ms;
  }

  /** Given up: not written, and a repetition starts a new series. */
  abandon(series: Series): void {
    this.#unwritten.delete(series);
    this.#byKey.delete(keyOfNote(series.note));
  }

  #begin(note: EventNote, at: Date): Series {
    return {
      note,
      suffix: this.#newSuffix(at),
      firstAt: at,
      lastAt: at,
      count: 0,
      writtenCount: 0,
      notBefore: 0,
      failures: 0,
    };
  }

  #forgetOld(now: Date): void {
    for (const [key, series] of this.#byKey) {
      if (now.getTime() - series.lastAt.getTime() < SERIES_WINDOW_MS) return;
      if (!this.#unwritten.has(series)) this.#byKey.delete(key);
    }
  }

  #bound(): void {
    for (const [key, series] of this.#byKey) {
      if (this.#byKey.size <= this.#capacity) return;
      if (!this.#unwritten.has(series)) this.#byKey.delete(key);
    }
  }
}
