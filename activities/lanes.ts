/**
 * How much a process writes to pods at once, whatever the number of its workloads. What is begun is then soon over: where all
 * workloads wrote at once, writes waited in the client for longer than the facts behind them may be old, and the second write to a
 * pod met its kubelet (docs/adr/0020).
 */
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';

/** Runs `work` when its turn has come: first come, first served. */
export type Lane = <T>(work: () => Promise<T>) => Promise<T>;

/** Together less than the client has connections: reads and statuses need some. */
export const MOVES_AT_ONCE = 16;
export const GATES_AT_ONCE = 6;

/** Batches that are planned at the same time. */
const DOORS = 4;
const LOOK_EVERY_MS = 20;

export class Lanes {
  readonly #moves = pLimit(MOVES_AT_ONCE);
  readonly #doors = pLimit(DOORS);
  /** For moves, each with all that it writes. */
  readonly moves: Lane = this.#moves;
  /** For gates of new pods: they do not wait behind the creation of others. */
  readonly gates: Lane = pLimit(GATES_AT_ONCE);

  /**
   * Lets a batch begin when little waits for a lane: what it then plans does not grow old there, which would be planned again and
   * again. One that is over is let in at once. `begin` plans, and hands its first moves to the lanes.
   */
  async enter<T>(isOver: () => boolean, begin: () => Promise<T>): Promise<T> {
    return await this.#doors(async () => {
      while (this.#moves.pendingCount >= MOVES_AT_ONCE && !isOver()) await delay(LOOK_EVERY_MS);
      return await begin();
    });
  }
}
