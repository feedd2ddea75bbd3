import { describe, expect, it } from 'vitest';
import { anAttempt } from '../test/support/pod-scene.ts';
import { WriteFence } from './write-fence.ts';

interface Case {
  sentence: string;
  /** Moments at which something is asked; the last one is judged. */
  at: number[];
  isCancelled?: boolean;
  isWatchFresh?: boolean;
  isPlanFresh?: boolean;
  spends?: boolean;
  want: boolean;
}

const every = (stepMs: number, untilMs: number) =>
  Array.from({ length: Math.floor(untilMs / stepMs) + 1 }, (_, index) => index * stepMs);

const cases: Case[] = [
  { sentence: 'open at first', at: [0], want: true },
  { sentence: 'open for 40 s', at: every(5_000, 40_000), want: true },
  { sentence: 'closed after 40 s', at: [...every(5_000, 40_000), 40_001], want: false },
  { sentence: 'closed once cancelled', at: [0], isCancelled: true, want: false },
  { sentence: 'closed after a freeze, for good', at: [0, 15_000, 15_010], want: false },
  { sentence: 'closed for spending without a fresh watch', at: [0], isWatchFresh: false, spends: true, want: false },
  { sentence: 'closed for spending on an old plan', at: [0], isPlanFresh: false, spends: true, want: false },
  { sentence: 'open for others on an old plan', at: [0], isPlanFresh: false, want: true },
  { sentence: 'open for others without a fresh watch', at: [0], isWatchFresh: false, want: true },
  { sentence: 'open for spending with a fresh watch', at: [0], spends: true, want: true },
];

describe('WriteFence', () => {
  it.each(cases)('$sentence', ({ at, isCancelled, isWatchFresh = true, isPlanFresh = true, spends, want }) => {
    const attempt = anAttempt();
    let now = 0;
    const age = { isPodWatchFresh: () => isWatchFresh, planAgeMs: () => (isPlanFresh ? 4_500 : 4_501) };
    const options = { attempt, monotonicMs: () => now, ...age };
    const fence = new WriteFence(options);
    if (isCancelled) attempt.cancel();
    let isOpen: boolean | undefined;
    for (now of at) isOpen = fence.isOpen(spends ?? false);
    fence.close();
    expect(isOpen).toBe(want);
  });

  it.each<[string, boolean, number, number]>([
    ['a write that spends waits in the client no longer than its plan is fresh', true, 1_000, 3_500],
    ['and not at all on an old plan', true, 5_000, -500],
    ['others may be sent for 40 s', false, 5_000, 40_000],
  ])('%s', (_sentence, spends, ageMs, want) => {
    const options = { attempt: anAttempt(), monotonicMs: () => 0, isPodWatchFresh: () => true, planAgeMs: () => ageMs };
    const fence = new WriteFence(options);
    fence.close();
    expect(fence.notAfter(spends)).toBe(want);
  });
});
