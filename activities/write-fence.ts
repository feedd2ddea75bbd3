/**
 * Whether a move attempt may still send a write (protocol §2, rules 7 and 8). A process that was frozen and woke up must
 * find out here, before it talks to the apiserver.
 */
import type { Attempt } from './attempt.ts';

/** A move attempt has 60 s; nothing is sent in the last 20, so that every answer or timeout falls inside. */
export const SEND_WINDOW_MS = 40_000;
/**
 * A spending write leaves at most this long after the facts that it was planned on: what others did counts from 5 s after
 * it happened (protocol §6), also where a batch is slow.
 */
export const SPEND_WITHIN_MS = 4_500;
/** An attempt that was silent for longer than its heartbeat timeout has been given to somebody else. */
const SILENCE_LIMIT_MS = 9_000;
const TICK_MS = 250;

/** Whoever writes to pods asks this before every write. */
export interface SendPermit {
  isOpen(spends: boolean): boolean;
  /** Moment of the monotonic clock after which the write may not leave the client any more, also after waiting in it. */
  notAfter?(spends: boolean): number;
}

export interface WriteFenceOptions {
  attempt: Attempt;
  monotonicMs: () => number;
  /** The pod watch of this process is connected and answered. */
  isPodWatchFresh: () => boolean;
  /** How old the facts behind the plan are. */
  planAgeMs: () => number;
}

export class WriteFence implements SendPermit {
  readonly #options: WriteFenceOptions;
  readonly #startedAt: number;
  readonly #timer: NodeJS.Timeout;
  #aliveAt: number;
  #wasSilent = false;

  constructor(options: WriteFenceOptions) {
    this.#options = options;
    this.#startedAt = options.monotonicMs();
    this.#aliveAt = this.#startedAt;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** A write that spends must not wait in the client's token bucket, or for a 429, until its facts are too old. */
  notAfter(spends: boolean): number {
    const end = this.#startedAt + SEND_WINDOW_MS;
    const { monotonicMs, planAgeMs } = this.#options;
    return spends ? Math.min(end, monotonicMs() + SPEND_WITHIN_MS - planAgeMs()) : end;
  }

  /** Asked right before every write. `spends` asks for a fresh pod watch and a fresh plan, too. */
  isOpen(spends: boolean): boolean {
    this.#tick();
    const { attempt, monotonicMs, isPodWatchFresh } = this.#options;
    if (attempt.signal.aborted || this.#wasSilent || monotonicMs() > this.notAfter(false)) return false;
    return !spends || (isPodWatchFresh() && !this.isPlanOld());
  }

  /** The facts behind the plan are too old to spend on: what is left must be planned again. */
  isPlanOld(): boolean {
    return this.#options.planAgeMs() > SPEND_WITHIN_MS;
  }

  /** Must be called when the attempt ends. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** The gap is looked at before it is closed: whichever runs first after a freeze sees it. */
  #tick(): void {
    const now = this.#options.monotonicMs();
    if (now - this.#aliveAt > SILENCE_LIMIT_MS) this.#wasSilent = true;
    this.#aliveAt = now;
  }
}
