/** One of the model's worker processes: a store that lags behind the API, and what it believes. */
import type { Pod } from '../../crds/kubernetes.ts';
import type { ModelApi } from './api.ts';

export class ModelWorker {
  readonly #api: ModelApi;
  readonly #pods = new Map<string, Pod>();
  #position = 0;
  #highest = 0;
  /** Its watch is stopped: it sees nothing and knows it, so it spends nothing (protocol §2, rule 7). */
  isCutOff = false;

  constructor(api: ModelApi) {
    this.#api = api;
  }

  /** Takes in at most `count` changes. */
  follow(count: number): void {
    if (this.isCutOff) return;
    for (let taken = 0; taken < count && this.#position < this.#api.history.length; taken += 1) this.#take();
  }

  /** A watch that is connected is never further behind than this. */
  catchUp(untilMs: number): void {
    while (!this.isCutOff && (this.#api.history[this.#position]?.atMs ?? Number.POSITIVE_INFINITY) <= untilMs)
      this.#take();
  }

  #take(): void {
    const change = this.#api.history[this.#position]!;
    this.#position += 1;
    this.#highest = change.version;
    if (change.pod === undefined) this.#pods.delete(change.name);
    else this.#pods.set(change.name, change.pod);
  }

  /** Waits for the fence; false where the watch is cut off and it was not reached. */
  reach(version: number): boolean {
    while (!this.isCutOff && this.#highest < version && this.#position < this.#api.history.length) this.#take();
    return this.#highest >= version;
  }

  /** Version of the newest change that was taken in. */
  get highest(): number {
    return this.#highest;
  }

  pods(): Pod[] {
    return [...this.#pods.values()];
  }
}
