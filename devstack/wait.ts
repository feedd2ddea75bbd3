/** Polling with a deadline: the only way devstack waits. It never sleeps for a fixed time and then hopes. */
import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is awaited, as the subject of "… did not happen". */
  what: string;
  timeoutMs: number;
  intervalMs?: number;
}

/**
 * Calls `check` until it returns something other than `undefined` or `false`, and returns that.
 * An error thrown by `check` counts as "not yet" and is quoted when the deadline passes.
 */
export async function waitFor<T>(check: () => Promise<T | undefined | false>, options: WaitOptions): Promise<T> {
  const deadline = performance.now() + options.timeoutMs;
  let seen = 'nothing';
  for (;;) {
    try {
      const value = await check();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      if (error instanceof GaveUp) throw error;
      seen = error instanceof Error ? error.message : String(error);
    }
    if (performance.now() > deadline) {
      throw new Error(`${options.what} did not happen within ${options.timeoutMs / 1000} s; last seen: ${seen}`);
    }
    await delay(options.intervalMs ?? 100);
  }
}

/** Thrown inside a check when waiting longer is useless; `waitFor` passes it on at once. */
export class GaveUp extends Error {}
