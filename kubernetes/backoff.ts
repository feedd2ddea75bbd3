/** Growing pauses between attempts, with jitter so that many clients do not return in the same instant. */

export interface BackoffOptions {
  firstMs: number;
  maxMs: number;
  random?: () => number;
}

export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** The next pause: doubles from `firstMs` to `maxMs`, and half of it is random. */
  next(): number {
    const { firstMs, maxMs, random = Math.random } = this.#options;
    const full = Math.min(maxMs, firstMs * 2 ** this.#failures);
    this.#failures += 1;
    return full / 2 + (full / 2) * random();
  }

  reset(): void {
    this.#failures = 0;
  }
}
