/**
 * Limits how many writes per second this process sends. First come, first served; a waiter that is aborted or whose
 * fence passes first never takes a token.
 */
import { pause } from './deadline.ts';

interface TokenBucketOptions {
  /** Tokens per second. */
  qps: number;
  /** How many may be taken at once after a quiet time; at least 1. */
  burst: number;
  /** Monotonic milliseconds. */
  now?: () => number;
}

export class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #now: () => number;
  #tokens: number;
  #countedAt: number;

  constructor(options: TokenBucketOptions) {
    this.#qps = options.qps;
    this.#burst = Math.max(1, options.burst);
    this.#now = options.now ?? (() => performance.now());
    this.#tokens = this.#burst;
    this.#countedAt = this.#now();
  }

  /**
   * Waits for a token. False, and no token taken, when the signal is aborted or the token would come after `notAfter`
   * (monotonic milliseconds).
   */
  async take(limits: { signal?: AbortSignal; notAfter?: number } = {}): Promise<boolean> {
    if (limits.signal?.aborted) return false;
    this.#refill();
    const waitMs = this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#qps) * 1000;
    if (limits.notAfter !== undefined && this.#now() + waitMs > limits.notAfter) return false;
    // Debt keeps the order: the next waiter waits for this one's token too.
    this.#tokens -= 1;
    if (waitMs === 0 || (await pause(waitMs, limits.signal))) return true;
    this.#tokens += 1;
    return false;
  }

  #refill(): void {
    const now = this.#now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#countedAt) / 1000) * this.#qps);
    this.#countedAt = now;
  }
}
