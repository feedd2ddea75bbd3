/** Who wants to hear of changes, for everything or for one key. A listener that throws harms nobody else. */

export type Unsubscribe = () => void;

export class Listeners<E> {
  readonly #byTopic = new Map<string, Set<(event: E) => void>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(topic: string, listener: (event: E) => void): Unsubscribe {
    // Wrapped: the same function may be added twice and each is removed on its own.
    const entry = (event: E) => listener(event);
    const found = this.#byTopic.get(topic);
    if (found === undefined) this.#byTopic.set(topic, new Set([entry]));
    else found.add(entry);
    return () => this.#remove(topic, entry);
  }

  emit(topic: string, event: E): void {
    const found = this.#byTopic.get(topic);
    if (found === undefined) return;
    // A copy: listeners may unsubscribe while they are called.
    for (const listener of [...found]) {
      try {
        listener(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  #remove(topic: string, entry: (event: E) => void): void {
    const found = this.#byTopic.get(topic);
    found?.delete(entry);
    if (found?.size === 0) this.#byTopic.delete(topic);
  }
}
