/** Waiting for a server that is away: what time heals must not end the process. */
import { setTimeout as delay } from 'node:timers/promises';
import { sayError } from './startup-error.ts';

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 15_000;

export interface Patience {
  /** Time may heal it. */
  isPassing: (error: unknown) => boolean;
  /** Told of each failure in one sentence. */
  onProblem: (problem: string) => void;
  signal: AbortSignal;
}

/** Tries until it works, ever more slowly. @throws what time does not heal; AbortError after the signal. */
export async function withPatience<T>(open: () => Promise<T>, { isPassing, onProblem, signal }: Patience): Promise<T> {
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
    try {
      return await open();
    } catch (error) {
      if (!isPassing(error)) throw error;
      onProblem(sayError(error));
    }
    await delay(retryMs, undefined, { signal });
  }
}
