/** The activity by which a process is elected to ring: it rings while its attempt beats, and no longer (design §7). */
import { setTimeout as delay } from 'node:timers/promises';
import { currentAttempt, whileBeating } from '../activities/attempt.ts';
import type { Doorbell } from './watchers/doorbell.ts';

/** Then the attempt ends in peace, and the workflow continues as new. */
const TERM_MS = 6 * 3_600_000;
const LOOK_EVERY_MS = 1_000;
/** Who does not see the cluster for this long lets another process ring. */
const BLIND_AFTER_MS = 30_000;

export interface DoorbellElectionOptions {
  open: () => Doorbell;
  /** Are the stores fresh? */
  canSee: () => boolean;
  onElected: (isElected: boolean) => void;
}

export function createDoorbellActivity({ open, canSee, onElected }: DoorbellElectionOptions): () => Promise<void> {
  return async () => {
    const attempt = currentAttempt();
    const doorbell = open();
    onElected(true);
    try {
      await whileBeating(attempt, () => untilOver(attempt.signal, canSee));
    } finally {
      onElected(false);
      await doorbell.stop();
    }
  };
}

/** @throws the signal's reason; Error when the cluster cannot be seen. */
async function untilOver(signal: AbortSignal, canSee: () => boolean): Promise<void> {
  const endsAt = performance.now() + TERM_MS;
  let sawAt = performance.now();
  while (performance.now() < endsAt) {
    if (canSee()) sawAt = performance.now();
    else if (performance.now() - sawAt > BLIND_AFTER_MS) throw new Error('this process cannot see the cluster');
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}
