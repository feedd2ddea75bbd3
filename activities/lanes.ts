/**
 * How much a process writes to pods at once, whatever the number of its workloads. What is begun is then soon over: where all
 * workloads wrote at once, writes waited in the client for longer than the facts behind them may be old, and the second write to a
 * pod met its kubelet (docs/adr/0020).
 */
import { setTimeout as delay } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';

/** Runs `work` when its turn has come: first come, first served. */
type Lane = <T>(work: () => Promise<T>) => Promise<T>;

/** These two together are less than the client has connections: reads and statuses need some. */
export const MOVES_AT_ONCE = 16;
export const GATES_AT_ONCE = 6;
/** They write nothing, and are soon answered. */
const PROOFS_AT_ONCE = 8;

/**
 * A write that hangs gives its lane back after this long, and goes on: a slow webhook of one namespace must not hold up all others.
 * How many of them one batch may have is the batch's own affair.
 */
export const LENT_MS = 1_000;
/** Nor may they take all connections of the client: namespaces in which something hangs share these. */
export const HANGING_AT_ONCE = 16;
/** A batch does not wait longer than this for the others. */
const TURN_WITHIN_MS = 3_000;
/** Batches that are planned at the same time. */
const PLANS_AT_ONCE = 4;
const LOOK_EVERY_MS = 20;

export class Lanes {
  readonly #moves = pLimit(MOVES_AT_ONCE);
  readonly #gates = pLimit(GATES_AT_ONCE);
  readonly #proofs = pLimit(PROOFS_AT_ONCE);
  /** Small, so none is dropped when its namespace goes. */
  readonly #traffic = new Map<string, Traffic>();
  readonly #hanging = new Set<Traffic>();
  #plans = 0;

  /** For gates of new pods: they do not wait behind the creation of others. */
  readonly gates: Lane = (work) => lend(this.#gates, work);

  /**
   * For moves, each with all that it writes. Where those of its namespace hang, one waits outside of the lanes until others have
   * ended, or until `isOver`: then it has nothing to write.
   */
  moves<T>(namespace: string, isOver: () => boolean, work: () => Promise<T>): Promise<T> {
    return this.#pass(this.#moves, namespace, isOver, work);
  }

  /** For what asks the API about pods and stores nothing: webhooks hear of it, too. As `moves`. */
  proofs<T>(namespace: string, isOver: () => boolean, work: () => Promise<T>): Promise<T> {
    return this.#pass(this.#proofs, namespace, isOver, work);
  }

  async #pass<T>(limit: LimitFunction, namespace: string, isOver: () => boolean, work: () => Promise<T>): Promise<T> {
    const traffic = this.#trafficOf(namespace);
    // Those before it may begin to hang while it waits for a lane: then it waits again.
    const begin = async () => {
      if (isOver()) return { answer: await work() };
      return traffic.isJammed ? undefined : { answer: await traffic.carry(work) };
    };
    for (;;) {
      if (traffic.isFull) {
        await traffic.untilFree(isOver);
        if (isOver()) return await work();
      }
      const begun = await lend(limit, begin);
      if (begun !== undefined) return begun.answer;
    }
  }

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

  #trafficOf(namespace: string): Traffic {
    const traffic = this.#traffic.get(namespace) ?? new Traffic(this.#hanging);
    this.#traffic.set(namespace, traffic);
    return traffic;
  }

  #isBusy(): boolean {
    return this.#moves.pendingCount >= MOVES_AT_ONCE || this.#plans >= PLANS_AT_ONCE;
  }
}

/** The moves and proofs of one namespace. */
class Traffic {
  /** Of all namespaces: those of which one has taken long, and goes on. */
  readonly #hanging: Set<Traffic>;
  /** Who waits, the first one first. */
  readonly #waiting: object[] = [];
  #underWay = 0;
  #late = 0;

  constructor(hanging: Set<Traffic>) {
    this.#hanging = hanging;
  }

  /** While some hang, each namespace has its share: of one that has just begun nobody knows yet whether it will hang. */
  get isJammed(): boolean {
    return this.#hanging.size > 0 && this.#underWay >= this.#share();
  }

  #share(): number {
    const others = this.#hanging.size - (this.#hanging.has(this) ? 1 : 0);
    return Math.max(1, Math.floor(HANGING_AT_ONCE / (1 + others)));
  }

  get isFull(): boolean {
    return this.isJammed || this.#waiting.length > 0;
  }

  /** For one that finds it full: until it is the first one's turn, and there is room. */
  async untilFree(isOver: () => boolean): Promise<void> {
    const place = {};
    this.#waiting.push(place);
    while (!isOver() && (this.isJammed || this.#waiting[0] !== place)) await delay(LOOK_EVERY_MS);
    this.#waiting.splice(this.#waiting.indexOf(place), 1);
  }

  async carry<T>(work: () => Promise<T>): Promise<T> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#late += 1;
      this.#hanging.add(this);
    }, LENT_MS);
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      this.#underWay -= 1;
      if (isLate) this.#late -= 1;
      if (this.#late === 0) this.#hanging.delete(this);
    }
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
