import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Backoff } from './backoff.ts';
import { TokenBucket } from './token-bucket.ts';

describe('the token bucket', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  test('lets a burst pass and then the rate, in order', async () => {
    const bucket = new TokenBucket({ qps: 10, burst: 2 });
    const startedAt = performance.now();
    const passed: [number, number][] = [];
    const takes = [0, 1, 2, 3].map(async (i) => {
      expect(await bucket.take()).toBe(true);
      passed.push([i, Math.round(performance.now() - startedAt)]);
    });
    await vi.runAllTimersAsync();
    await Promise.all(takes);
    expect(passed).toEqual([
      [0, 0],
      [1, 0],
      [2, 100],
      [3, 200],
    ]);
  });

  test('a token that would come too late is not waited for', async () => {
    const bucket = new TokenBucket({ qps: 1, burst: 1 });
    await bucket.take();
    expect(await bucket.take({ notAfter: performance.now() + 500 })).toBe(false);
    expect(await bucket.take({ signal: AbortSignal.abort() })).toBe(false);
  });

  test('a waiter that is aborted gives its place back', async () => {
    const bucket = new TokenBucket({ qps: 1, burst: 1 });
    await bucket.take();
    const stop = new AbortController();
    const aborted = bucket.take({ signal: stop.signal });
    stop.abort();
    expect(await aborted).toBe(false);
    const next = bucket.take();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await next).toBe(true);
  });

  test('a long quiet time fills it to the burst and no further', async () => {
    const bucket = new TokenBucket({ qps: 1, burst: 2 });
    await vi.advanceTimersByTimeAsync(60_000);
    await bucket.take();
    await bucket.take();
    expect(await bucket.take({ notAfter: performance.now() + 900 })).toBe(false);
  });
});

test('pauses double up to their limit, half of each is chance, and a reset starts over', () => {
  const certain = new Backoff({ firstMs: 100, maxMs: 500, random: () => 1 });
  expect([1, 2, 3, 4, 5].map(() => certain.next())).toEqual([100, 200, 400, 500, 500]);
  certain.reset();
  expect(certain.next()).toBe(100);
  const low = new Backoff({ firstMs: 100, maxMs: 500, random: () => 0 });
  expect([1, 2].map(() => low.next())).toEqual([50, 100]);
});
