/**
 * The process that rings: listens to the stores, rings what the board lets through, and now and then what looks stale. Lives
 * as long as this process is the elected one.
 */
import type { Logger, Stores } from '../../activities/ports.ts';
import { sayError } from '../startup-error.ts';
import { type Bell, BellBoard } from './bell-board.ts';
import { listenForBells } from './bell-sources.ts';
import type { Ring } from './ringer.ts';

export interface DoorbellOptions {
  stores: Stores;
  ring: Ring;
  /** Keys of what looks stale. */
  stale: () => Promise<string[]>;
  /** Says on objects what their stuck runs cannot say; answers keys to ring. Absent: nobody says it. */
  tellBlocked?: () => Promise<string[]>;
  /** Keys of runs without their object, and of objects without their run. Absent: nobody looks for them. */
  unmatched?: () => Promise<string[]>;
  /** Keys of objects whose run, or whose rollout's, was lost lately. Absent: the resync finds them. */
  lost?: () => Promise<string[]>;
  log: Logger;
  onRung: (reason: string, result: 'rung' | 'failed') => void;
  /** 5 minutes when absent. */
  resyncEveryMs?: number;
}

export interface Doorbell {
  /** Ends after the bells that are being rung. */
  stop(): Promise<void>;
}

const RESYNC_MS = 300_000;
const MATCH_AGAIN_MS = 30_000;
/** One list of Temporal's, empty nearly always. */
const LOST_EVERY_MS = 15_000;
const JITTER = 0.2;
const RINGS_AT_ONCE = 20;

/** Rings at once what looks stale: what happened while nobody listened is told by what it left behind (ADR 0007). */
export function startDoorbell(options: DoorbellOptions): Doorbell {
  return new StoreDoorbell(options);
}

class StoreDoorbell implements Doorbell {
  readonly #options: DoorbellOptions;
  readonly #board = new BellBoard();
  readonly #ringing = new Set<Promise<void>>();
  readonly #stopListening: () => void;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #nextResync: NodeJS.Timeout | undefined;
  #nextMatch: NodeJS.Timeout | undefined;
  #nextLost: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: DoorbellOptions) {
    this.#options = options;
    const { stores } = options;
    this.#stopListening = listenForBells({ stores, board: this.#board, onPress: () => this.#schedule() });
    this.#resync();
    this.#seekLost();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    clearTimeout(this.#nextResync);
    clearTimeout(this.#nextMatch);
    clearTimeout(this.#nextLost);
    await Promise.all(this.#ringing);
  }

  #pressAll(keys: string[]): void {
    for (const key of keys) this.#board.press(key, 'resync', 'object');
    this.#schedule();
  }

  #resync(): void {
    const { resyncEveryMs = RESYNC_MS, stale, tellBlocked } = this.#options;
    const afterMs = resyncEveryMs * (1 + JITTER * (Math.random() - 0.5));
    this.#nextResync = setTimeout(() => this.#resync(), afterMs);
    void this.#pressFound(stale, 'stale objects could not be looked for');
    void this.#pressFound(tellBlocked, 'stuck runs could not be looked for');
    void this.#pressUnmatched();
  }

  /** One look at a time, however slowly Temporal answers. */
  async #pressLost(): Promise<void> {
    await this.#pressFound(this.#options.lost, 'lost runs could not be looked for');
    if (!this.#isStopped) this.#seekLost();
  }

  #seekLost(): void {
    this.#nextLost = setTimeout(() => void this.#pressLost(), LOST_EVERY_MS);
  }

  /** A workload whose run is gone is looked after by nobody until that is found: it is asked again before the next resync. */
  async #pressUnmatched(): Promise<void> {
    clearTimeout(this.#nextMatch);
    const isAnswered = await this.#pressFound(this.#options.unmatched, 'runs and objects could not be compared');
    if (isAnswered || this.#isStopped) return;
    this.#nextMatch = setTimeout(() => void this.#pressUnmatched(), MATCH_AGAIN_MS);
  }

  /** False: it could not be found out. That must not end the doorbell; the next resync asks again. */
  async #pressFound(find: (() => Promise<string[]>) | undefined, trouble: string): Promise<boolean> {
    try {
      const keys = (await find?.()) ?? [];
      if (!this.#isStopped) this.#pressAll(keys);
      return true;
    } catch (error) {
      this.#options.log.warn({ problem: sayError(error) }, trouble);
      return false;
    }
  }

  /** One timer, for the first bell that may be rung; a full house is continued by the next ring that ends. */
  #schedule(): void {
    if (this.#isStopped || this.#ringing.size >= RINGS_AT_ONCE) return;
    const nextAt = this.#board.nextAt();
    if (nextAt === undefined || nextAt >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = nextAt;
    this.#timer = setTimeout(() => this.#ringDue(), Math.max(0, nextAt - performance.now()));
  }

  #ringDue(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    for (const bell of this.#board.take(performance.now(), RINGS_AT_ONCE - this.#ringing.size)) {
      const ringing = this.#ring(bell).finally(() => {
        this.#ringing.delete(ringing);
        this.#schedule();
      });
      this.#ringing.add(ringing);
    }
    this.#schedule();
  }

  async #ring(bell: Bell): Promise<void> {
    const { ring, log, onRung } = this.#options;
    try {
      await ring(bell);
      this.#board.rung(bell);
      onRung(bell.reason, 'rung');
    } catch (error) {
      this.#board.failed(bell, performance.now());
      onRung(bell.reason, 'failed');
      log.warn({ bell: bell.key, reason: bell.reason, problem: sayError(error) }, 'a bell could not be rung yet');
    }
  }
}
