import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LOOK_BEAT_MS, whileBeating } from './attempt.ts';

const beating = (everyMs?: number) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const attempt = { number: 1, signal: new AbortController().signal, heartbeat: vi.fn<() => void>() };
  const end = whileBeating(attempt, () => promise, everyMs);
  const finish = async () => {
    resolve();
    await end;
  };
  return { beats: attempt.heartbeat, end: finish };
};

describe('an attempt', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('that is over at once costs no beat', async () => {
    const { beats, end } = beating();
    vi.advanceTimersByTime(1_900);
    await end();
    vi.advanceTimersByTime(60_000);
    expect(beats).not.toHaveBeenCalled();
  });

  it('beats often enough for its timeout of 10 s, also where a beat is lost', async () => {
    for (const everyMs of [undefined, LOOK_BEAT_MS]) {
      const { beats, end } = beating(everyMs);
      vi.advanceTimersByTime(10_000);
      expect(beats.mock.calls.length).toBeGreaterThanOrEqual(2);
      await end();
    }
  });
});
