/**
 * A clock that is not behind Temporal's. A person's word has the server's time, and passes what had failed by then: a worker whose
 * clock is behind would write an end that is too early, and the word would pass a failure that came after it.
 */

/** `sinceMs`: when the attempt was due by the server's clock, which is the past by now. */
export function notBehind(nowMs: () => number, sinceMs: number, monotonicMs = () => performance.now()): () => number {
  const begunMs = monotonicMs();
  return () => Math.max(nowMs(), sinceMs + Math.floor(monotonicMs() - begunMs));
}
