import { expect, it } from 'vitest';
import { sinceWhen } from './since.ts';

const AT = Date.parse('2026-11-30T12:00:00.400Z');

it.each([
  ['Pod a waits for HookRun b.', AT, 'Pod a waits for HookRun b (since 2026-11-30T12:00:00Z).'],
  ['Pod a should be gone since 2026-11-30T11:00:00Z.', AT, 'Pod a should be gone since 2026-11-30T11:00:00Z.'],
  ['Nobody knows.', undefined, 'Nobody knows.'],
  ['Nobody knows.', 0, 'Nobody knows.'],
  ['Nobody knows.', Number.NaN, 'Nobody knows.'],
])('%s %s', (message, sinceMs, want) => {
  expect(sinceWhen({ message, sinceMs })).toBe(want);
});
