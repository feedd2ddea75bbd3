/** A timer of a rollout: as long as the wait is the same, it runs on, so that the Timeline reads as a story. */
import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { Wait } from '../core/rollout/wants.ts';

/** A wait without an end is a year's timer: it shows in the Timeline, and is begun again if a year passes. */
const YEAR_MS = 365 * 24 * 3_600_000;

export class StepTimer {
  #key?: string;
  #endsAtMs = 0;
  #scope?: CancellationScope;
  /** The timer has fired: the caller looks again at what it waits for. */
  isDue = false;

  /** Makes sure that a timer runs for this wait, or none. One that ends earlier than asked is kept: it fires and is set anew. */
  set(wait: Wait | undefined): void {
    if (wait) this.#keep(wait);
    else this.cancel();
  }

  #keep({ key, untilMs, summary }: Wait): void {
    const nowMs = Date.now();
    const endsAtMs = Math.min(untilMs ?? Number.POSITIVE_INFINITY, nowMs + YEAR_MS);
    if (this.#key === key && !this.isDue && this.#endsAtMs <= endsAtMs) return;
    this.cancel();
    this.#key = key;
    this.#endsAtMs = endsAtMs;
    this.#start(Math.max(1, endsAtMs - nowMs), summary);
  }

  cancel(): void {
    this.#scope?.cancel();
    this.#scope = undefined;
    this.#key = undefined;
    this.isDue = false;
  }

  #start(ms: number, summary: string): void {
    const scope = new CancellationScope();
    this.#scope = scope;
    scope
      .run(() => sleep(ms, { summary }))
      .then(() => {
        if (this.#scope === scope) this.isDue = true;
      })
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  }
}
