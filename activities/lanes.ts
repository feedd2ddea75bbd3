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
/** They write nothing, and are soon answered. */
const PROOFS_AT_ONCE = 8;

/**
 * A write that hangs gives its lane back after this long, and goes on: a slow webhook of one namespace must not hold up all others.
 * How many of them one batch may have is the batch's own affair.
 */
export const LENT_MS = 1_000;
/** Nor may they take all connections of the client: so many hang at once, of all namespaces whose moves hang together. */
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
  readonly #slow = new Set<Traffic>();
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
      while (traffic.isJammed && !isOver()) await delay(LOOK_EVERY_MS);
      const begun = await lend(limit, begin, traffic.noteLong);
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
    const traffic = this.#traffic.get(namespace) ?? new Traffic(this.#slow);
    this.#traffic.set(namespace, traffic);
    return traffic;
  }

  #isBusy(): boolean {
    return this.#moves.pendingCount >= MOVES_AT_ONCE || this.#plans >= PLANS_AT_ONCE;
  }
}

/** The moves and proofs of one namespace. */
class Traffic {
  /** Of all namespaces: those of which one took long, and none has ended soon since. */
  readonly #slow: Set<Traffic>;
  #underWay = 0;

  constructor(slow: Set<Traffic>) {
    this.#slow = slow;
  }

  get isJammed(): boolean {
    return this.#slow.has(this) && this.#underWay >= this.#share();
  }

  #share(): number {
    const others = [...this.#slow].filter((each) => each !== this && each.#underWay > 0);
    return Math.max(1, Math.floor(HANGING_AT_ONCE / (1 + others.length)));
  }

  /** One that ends soon says that the others may go on. */
  async carry<T>(work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (performance.now() - since < LENT_MS) this.#slow.delete(this);
    }
  }

  readonly noteLong = (): void => {
    this.#slow.add(this);
  };
}

async function lend<T>(limit: LimitFunction, work: () => Promise<T>, onLong?: () => void): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  await limit(() => {
    const started = work();
    resolve(started);
    return forAMoment(started, onLong);
  });
  return await promise;
}

/** Resolves when it has ended, however, or has taken long. */
async function forAMoment(work: Promise<unknown>, onLong?: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const long = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LENT_MS);
  }).then(onLong);
  await Promise.race([work.catch(() => undefined), long]);
  clearTimeout(timer);
}
