/**
 * Uids that were seen to go, so that "this pod must be gone" has a positive answer: absence alone may mean that the
 * store has not seen the pod yet. Bounded: the oldest are forgotten first.
 */

export class Tombstones {
  readonly #capacity: number;
  readonly #uids = new Set<string>();

  constructor(capacity = 20_000) {
    this.#capacity = capacity;
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  add(uid: string | undefined): void {
    if (uid === undefined) return;
    this.#uids.add(uid);
    if (this.#uids.size <= this.#capacity) return;
    const oldest = this.#uids.values().next();
    if (!oldest.done) this.#uids.delete(oldest.value);
  }
}
