import { expect, it } from 'vitest';
import { notBehind } from './server-clock.ts';

const SERVER_MS = Date.parse('2026-01-01T00:00:00Z');

it.each([
  ['that is behind is put forward', -30_000, 5_000],
  ['that is right, or ahead, is taken', 40_000, 45_000],
])('a clock %s', (_title, aheadMs, expected) => {
  let passedMs = 700.5;
  const now = notBehind(
    () => SERVER_MS + aheadMs + passedMs - 700.5,
    SERVER_MS,
    () => passedMs,
  );
  expect(now() - SERVER_MS).toBe(Math.max(0, aheadMs));
  passedMs += 5_000;
  expect(now() - SERVER_MS).toBe(expected);
});
