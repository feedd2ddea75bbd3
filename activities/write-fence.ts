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
  /** Moment of the monotonic clock after which nothing may be sent. */
  readonly notAfter?: number;
}

export interface WriteFenceOptions {
  attempt: Attempt;
  monotonicMs: () => number;
  /** The pod watch of this process is connected and answered. */
  isPodWatchFresh: () => boolean;
  /** The facts behind the plan are young enough to spend on (`SPEND_WITHIN_MS`). */
  isPlanFresh: () => boolean;
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

  get notAfter(): number {
    return this.#startedAt + SEND_WINDOW_MS;
  }

  /** Asked right before every write. `spends` asks for a fresh pod watch and a fresh plan, too. */
  isOpen(spends: boolean): boolean {
    this.#tick();
    const { attempt, monotonicMs, isPodWatchFresh, isPlanFresh } = this.#options;
    if (attempt.signal.aborted || this.#wasSilent || monotonicMs() > this.notAfter) return false;
    return !spends || (isPodWatchFresh() && isPlanFresh());
  }

  /** The facts behind the plan are too old to spend on: what is left must be planned again. */
  isPlanOld(): boolean {
    return !this.#options.isPlanFresh();
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
