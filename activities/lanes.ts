/**
 * How much a process writes to pods at once, whatever the number of its workloads. What is begun is then soon over: where all
 * workloads wrote at once, writes waited in the client for longer than the facts behind them may be old, and the second write to a
 * pod met its kubelet (docs/adr/0020).
 */
import { setTimeout as delay } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';

/** Runs `work` when its turn has come: first come, first served. */
type Lane = <T>(work: () => Promise<T>) => Promise<T>;

/** Together less than the client has connections: reads and statuses need some. */
export const MOVES_AT_ONCE = 16;
export const GATES_AT_ONCE = 6;

/**
 * A write that hangs gives its lane back after this long, and goes on: a slow webhook of one namespace must not hold up all others.
 * How many of them one batch may have is the batch's own affair.
 */
export const LENT_MS = 1_000;
/** A batch does not wait longer than this for the others. */
const TURN_WITHIN_MS = 3_000;
/** Batches that are planned at the same time. */
const PLANS_AT_ONCE = 4;
const LOOK_EVERY_MS = 20;

export class Lanes {
  readonly #moves = pLimit(MOVES_AT_ONCE);
  readonly #gates = pLimit(GATES_AT_ONCE);
  #plans = 0;

  /** For moves, each with all that it writes. */
  readonly moves: Lane = (work) => lend(this.#moves, work);
  /** For gates of new pods: they do not wait behind the creation of others. */
  readonly gates: Lane = (work) => lend(this.#gates, work);

  /**
   * Lets a batch begin when little waits for a lane: what it then plans does not grow old there, which would be planned again and
   * again. One that is over is let in at once, any other within 3 s. `begin` plans, and hands its first moves to the lanes.
   */
  async enter<T>(isOver: () => boolean, begin: () => Promise<T>): Promise<T> {
    const endsAt = performance.now() + TURN_WITHIN_MS;
    while (this.#isBusy() && !isOver() && performance.now() < endsAt) await delay(LOOK_EVERY_MS);
    this.#plans += 1;
    const begun = begin();
    void forAMoment(begun).then(() => {
      this.#plans -= 1;
    });
    return await begun;
  }

  #isBusy(): boolean {
    return this.#moves.pendingCount >= MOVES_AT_ONCE || this.#plans >= PLANS_AT_ONCE;
  }
}

async function lend<T>(limit: LimitFunction, work: () => Promise<T>): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  await limit(() => {
    const started = work();
    resolve(started);
    return forAMoment(started);
  });
  return await promise;
}

/** Resolves when it has ended, however, or has taken long. */
async function forAMoment(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const long = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LENT_MS);
  });
  await Promise.race([work.catch(() => undefined), long]);
  clearTimeout(timer);
}
