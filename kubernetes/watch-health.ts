/**
 * Is what a store says still the truth? A watch is believed only while its stream is open, the first sync is done, the
 * server has answered lately, and nothing that we know to exist is missing for long. Monotonic clock, so that a process
 * which was frozen does not believe its own past.
 */

/** Without any answer for this long a watch is not believed. Probes go out every 2 s. */
export const UNANSWERED_AFTER_MS = 5_000;

export class WatchHealth {
  readonly #now: () => number;
  #isConnected = false;
  #isSynced = false;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #connectedAt = Number.NEGATIVE_INFINITY;
  #missingSince: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** May writes that spend availability be made on what the store says? */
  isFresh(): boolean {
    return this.#isSynced && this.#isConnected && this.silentMs() < UNANSWERED_AFTER_MS && !this.isOverdue();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** When the server last proved to be there; monotonic milliseconds. */
  get answersAt(): number {
    return this.#answeredAt;
  }

  /** How long the server has been silent. */
  silentMs(): number {
    return this.#now() - this.#answeredAt;
  }

  /** For how long something that is known to exist has been missing: what the store says is as old as that. 0 where nothing is. */
  behindMs(): number {
    return this.#missingSince === undefined ? 0 : this.#now() - this.#missingSince;
  }

  /** An object version that the server told us elsewhere has not come through the watch for too long. */
  isOverdue(): boolean {
    return Math.min(this.behindMs(), this.#now() - this.#connectedAt) >= UNANSWERED_AFTER_MS;
  }

  /** A stream is open. What is missing gets its time anew: the stream may be about to bring it. */
  connected(): void {
    this.#isConnected = true;
    this.#connectedAt = this.#now();
  }

  disconnected(): void {
    this.#isConnected = false;
  }

  synced(): void {
    this.#isSynced = true;
  }

  /** The server was there at this monotonic moment; now when absent. */
  answered(at: number = this.#now()): void {
    this.#answeredAt = Math.max(this.#answeredAt, at);
  }

  /** Since when something known to exist is missing from the watch, monotonic milliseconds; undefined where nothing is. */
  missing(sinceMs: number | undefined): void {
    this.#missingSince = sinceMs;
  }

  /** Of the clock that all moments here are of. */
  nowMs(): number {
    return this.#now();
  }
}
