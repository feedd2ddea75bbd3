/**
 * One abort signal out of a caller's signal and a time limit. Unlike `AbortSignal.any` it leaves nothing behind on a
 * long-lived caller's signal.
 */

export type Ending = 'expired' | 'aborted';

export interface Deadline {
  readonly signal: AbortSignal;
  /** Which of the two ended it, if one did. */
  ended(): Ending | undefined;
  /** Takes the time limit away; the caller's signal still counts. */
  lift(): void;
  /** Must be called once the guarded work is over. */
  release(): void;
}

export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let ended: Ending | undefined;
  const end = (why: Ending) => {
    ended ??= why;
    controller.abort();
  };
  const onAbort = () => end('aborted');
  const timer = setTimeout(end, timeoutMs, 'expired');
  if (outer?.aborted) onAbort();
  else outer?.addEventListener('abort', onAbort, { once: true });
  const lift = () => clearTimeout(timer);
  return {
    signal: controller.signal,
    ended: () => ended,
    lift,
    release: () => {
      lift();
      outer?.removeEventListener('abort', onAbort);
    },
  };
}

/** Waits; returns false at once when the signal is or gets aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve(true);
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
