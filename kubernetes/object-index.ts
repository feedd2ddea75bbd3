/** Objects by some text of theirs, kept in step with a store. One object may stand under many keys. */

export class ObjectIndex<T> {
  readonly #keysOf: (object: T) => readonly string[];
  readonly #byKey = new Map<string, Set<T>>();

  constructor(keysOf: (object: T) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  get(key: string): readonly T[] {
    const found = this.#byKey.get(key);
    return found === undefined ? [] : [...found];
  }

  keys(): IterableIterator<string> {
    return this.#byKey.keys();
  }

  keysOf(object: T): readonly string[] {
    return this.#keysOf(object);
  }

  add(object: T): void {
    for (const key of this.#keysOf(object)) {
      const found = this.#byKey.get(key);
      if (found === undefined) this.#byKey.set(key, new Set([object]));
      else found.add(object);
    }
  }

  remove(object: T): void {
    for (const key of this.#keysOf(object)) {
      const found = this.#byKey.get(key);
      found?.delete(object);
      if (found?.size === 0) this.#byKey.delete(key);
    }
  }
}
