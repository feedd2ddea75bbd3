/**
 * The process that rings: listens to the stores, rings what the board lets through, and now and then what looks stale. Lives
 * as long as this process is the elected one.
 */
import type { Logger } from '../../activities/ports.ts';
import { sayError } from '../startup-error.ts';
import type { Watched } from '../stores.ts';
import { type Bell, BellBoard } from './bell-board.ts';
import { listenForBells } from './bell-sources.ts';
import type { Ring } from './ringer.ts';

export interface DoorbellOptions {
  stores: Watched;
  ring: Ring;
  /** Keys of everything, for the beginning; of what looks stale, for later. */
  everything: () => string[];
  stale: () => string[];
  /** Says on objects what their stuck runs cannot say; answers keys to ring. Absent: nobody says it. */
  tellBlocked?: () => Promise<string[]>;
  /** Keys of runs whose object is gone. Absent: nobody looks for them. */
  orphaned?: () => Promise<string[]>;
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
const JITTER = 0.2;
const RINGS_AT_ONCE = 20;

/** Rings everything at once: what happened while nobody listened is not known. */
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
  #resync: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: DoorbellOptions) {
    this.#options = options;
    const { stores } = options;
    this.#stopListening = listenForBells({ stores, board: this.#board, onPress: () => this.#schedule() });
    this.#pressAll(options.everything());
    this.#askTemporal();
    this.#scheduleResync();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    clearTimeout(this.#resync);
    await Promise.all(this.#ringing);
  }

  #pressAll(keys: string[]): void {
    for (const key of keys) this.#board.press(key, 'resync', 'object');
    this.#schedule();
  }

  #askTemporal(): void {
    void this.#pressFound(this.#options.tellBlocked, 'stuck runs could not be looked for');
    void this.#pressFound(this.#options.orphaned, 'runs without an object could not be looked for');
  }

  async #pressFound(find: (() => Promise<string[]>) | undefined, trouble: string): Promise<void> {
    try {
      const keys = (await find?.()) ?? [];
      if (!this.#isStopped) this.#pressAll(keys);
    } catch (error) {
      this.#options.log.warn({ problem: sayError(error) }, trouble);
    }
  }

  #scheduleResync(): void {
    const everyMs = this.#options.resyncEveryMs ?? RESYNC_MS;
    const delayMs = everyMs * (1 + JITTER * (Math.random() - 0.5));
    this.#resync = setTimeout(() => {
      this.#pressStale();
      this.#askTemporal();
      this.#scheduleResync();
    }, delayMs);
  }

  /** A fault in it must not end the doorbell: what is missed now is found by the next one. */
  #pressStale(): void {
    const { stale, log } = this.#options;
    try {
      this.#pressAll(stale());
    } catch (error) {
      log.warn({ problem: sayError(error) }, 'stale objects could not be looked for');
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
