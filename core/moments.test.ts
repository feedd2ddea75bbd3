import { expect, test } from 'vitest';
import { momentOf } from './moments.ts';

test.each([
  ['2026-11-30T12:00:00Z', Date.UTC(2026, 10, 30, 12)],
  ['2026-11-30T13:00:00+01:00', Date.UTC(2026, 10, 30, 12)],
  ['soon', Number.NaN],
  ['', Number.NaN],
  [undefined, Number.NaN],
])('%s', (text, want) => {
  expect(momentOf(text)).toBe(want);
  expect(momentOf(text), 'again').toBe(want);
});

test('more texts than are kept are told apart', () => {
  const texts = Array.from({ length: 10_500 }, (_, at) => new Date(at * 1000).toISOString());
  expect(texts.map(momentOf)).toEqual(texts.map((_, at) => at * 1000));
  expect(momentOf(texts[0])).toBe(0);
});
