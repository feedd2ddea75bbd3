/**
 * Which bells wait to be rung, and when each may be (design §3). Merges bells per key: one a second, growing to ten for a
 * key whose bells change nothing. Bells of pods are held back while the workload's status says that it is moving. Pure: the
 * clock is handed in; ringing is done elsewhere.
 */

/** `object`: a person or the API changed the workload itself. `pods`: something about what belongs to it. */
export type BellClass = 'object' | 'pods';

export interface Bell {
  key: string;
  reason: string;
}

interface Entry {
  /** Why, while a bell waits. */
  pending: { reason: string; class: BellClass } | undefined;
  /** Bells of pods that came while the workload moved. */
  isDirty: boolean;
  isMoving: boolean;
  /** Monotonic milliseconds, as all times here. */
  rungAt: number;
  /** Rings since something changed. */
  quietRings: number;
  retryAt: number;
  failures: number;
}

const FIRST_INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 10_000;
/** After such a silence a bell is the first one again. */
const CALM_MS = 60_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

export class BellBoard {
  readonly #entries = new Map<string, Entry>();
  /** Keys with a bell that waits, the oldest first. */
  readonly #waiting = new Set<string>();

  /** A bell wants to be rung. An `object` bell is never held back and makes the key lively again. */
  press(key: string, reason: string, bellClass: BellClass): void {
    const entry = this.#entry(key);
    if (bellClass === 'object') entry.quietRings = 0;
    else if (entry.isMoving) {
      entry.isDirty = true;
      return;
    }
    if (entry.pending === undefined || (entry.pending.class === 'pods' && bellClass === 'object'))
      this.#await(key, entry, { reason, class: bellClass });
  }

  /** What the workload's status says of it; a workload that has come to rest gets the one bell it was owed. */
  sawMoving(key: string, isMoving: boolean): void {
    const entry = this.#entry(key);
    entry.isMoving = isMoving;
    if (isMoving || !entry.isDirty) return;
    entry.isDirty = false;
    this.press(key, 'settled', 'pods');
  }

  /** The last bell changed something: the next one may come sooner. */
  sawEffect(key: string): void {
    this.#entry(key).quietRings = 0;
  }

  /** Takes the bells that may be rung now. Each must be answered by `rung` or `failed`. */
  take(now: number, limit = Number.POSITIVE_INFINITY): Bell[] {
    const bells: Bell[] = [];
    for (const key of this.#waiting) {
      if (bells.length >= limit) break;
      const entry = this.#entry(key);
      if (entry.pending === undefined || dueAt(entry) > now) continue;
      bells.push({ key, reason: entry.pending.reason });
      this.#waiting.delete(key);
      const quietRings = now - entry.rungAt > CALM_MS ? 1 : entry.quietRings + 1;
      Object.assign(entry, { pending: undefined, rungAt: now, quietRings });
    }
    return bells;
  }

  rung({ key }: Bell): void {
    this.#entry(key).failures = 0;
  }

  /** The bell is not lost: it waits again, longer with each failure. */
  failed({ key, reason }: Bell, now: number): void {
    const entry = this.#entry(key);
    if (entry.pending === undefined) this.#await(key, entry, { reason, class: 'object' });
    entry.retryAt = now + Math.min(FIRST_RETRY_MS * 2 ** entry.failures, MAX_RETRY_MS);
    entry.failures += 1;
  }

  /** When `take` will have something; undefined while nothing waits. */
  nextAt(): number | undefined {
    if (this.#waiting.size === 0) return undefined;
    let next = Number.POSITIVE_INFINITY;
    for (const key of this.#waiting) next = Math.min(next, dueAt(this.#entry(key)));
    return next;
  }

  /** The object is gone; a bell that waits is still rung. */
  forget(key: string): void {
    if (!this.#waiting.has(key)) this.#entries.delete(key);
  }

  #await(key: string, entry: Entry, pending: NonNullable<Entry['pending']>): void {
    entry.pending = pending;
    this.#waiting.add(key);
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const never = Number.NEGATIVE_INFINITY;
    const fresh: Entry = {
      ...{ pending: undefined, isDirty: false, isMoving: false },
      ...{ rungAt: never, quietRings: 0, retryAt: never, failures: 0 },
    };
    this.#entries.set(key, fresh);
    return fresh;
  }
}

/** The first ring is at once, the second a second later, then 2, 4, 8 and 10 s while nothing changes. */
function dueAt({ rungAt, quietRings, retryAt }: Entry): number {
  const interval = Math.min(FIRST_INTERVAL_MS * 2 ** Math.max(0, quietRings - 1), MAX_INTERVAL_MS);
  return Math.max(rungAt + interval, retryAt);
}
