/** How many pods were available at one time at most, read off the history of the model's API. */
import { isAvailable } from '../pods.ts';
import type { ModelApi } from './api.ts';

export class Peak {
  readonly #api: ModelApi;
  readonly #names = new Set<string>();
  #position = 0;
  #most = 0;

  constructor(api: ModelApi) {
    this.#api = api;
  }

  available(): number {
    for (; this.#position < this.#api.history.length; this.#position += 1) {
      const { name, pod } = this.#api.history[this.#position]!;
      if (pod !== undefined && isAvailable(pod, 0, this.#api.nowMs)) this.#names.add(name);
      else this.#names.delete(name);
      this.#most = Math.max(this.#most, this.#names.size);
    }
    return this.#most;
  }
}
