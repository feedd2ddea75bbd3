/** Many calls, a few at a time: what a move activity does, and what a client's deadlines are made for. */

/** As many as keep a small API server busy. */
export const CONCURRENCY = 20;

/** Runs `work` for 0 to `count` − 1 and answers the milliseconds that it took. @throws the first error of `work`. */
export async function inLanes(count: number, work: (index: number) => Promise<void>): Promise<number> {
  const started = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return performance.now() - started;
}
