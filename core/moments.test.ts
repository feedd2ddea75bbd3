import { expect, test } from 'vitest';
import { momentOf } from './moments.ts';

test.each([
  ['2026-11-30T12:00:00Z', Date.UTC(2026, 10, 30, 12)],
  ['2026-11-30T13:00:00+01:00', Date.UTC(2026, 10, 30, 12)],
  ['soon', Number.NaN],
  ['', Number.NaN],
  [undefined, Number.NaN],
  [null, Number.NaN],
])('%s', (text, want) => {
  expect(momentOf(text)).toBe(want);
  expect(momentOf(text), 'again').toBe(want);
});

test.each([
  '2026-02-31T00:00:00Z',
  '2024-02-29T23:59:59Z',
  '2026-00-10T00:00:00Z',
  '2026-13-10T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-32T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T24:00:01Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:60Z',
  '0099-01-01T00:00:00Z',
  '2026-1a-01T00:00:00Z',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00:00z',
  '2026-01-01T00:00:00.123456Z',
])('%s means what Date.parse says', (text) => {
  expect(momentOf(text)).toBe(Date.parse(text));
});
