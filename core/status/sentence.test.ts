import { describe, expect, it } from 'vitest';
import { bytesOf, cutToBytes, either, sentence, timestamp } from './sentence.ts';

describe('sentence', () => {
  it.each([
    ['several\n  lines', 'several lines.'],
    ['ends already!', 'ends already!'],
    ['', ''],
  ])('%j reads %j', (text, want) => {
    expect(sentence(text)).toBe(want);
  });

  it.each(['x', 'ä', '€', '😀'])('is at most 1 KiB of UTF-8, made of %s', (character) => {
    const cut = sentence(character.repeat(2000));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(1015);
    expect(cut.endsWith('…')).toBe(true);
    expect(bytesOf(cut)).toBe(Buffer.byteLength(cut));
  });

  it('is not cut where it fits', () => {
    expect(cutToBytes('€€', 6)).toBe('€€');
    expect(cutToBytes('€€€', 8)).toBe('€…');
  });
});

describe('either', () => {
  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a or b'],
    [['a', 'b', 'c'], 'a, b or c'],
  ])('%j', (ways, want) => {
    expect(either(ways)).toBe(want);
  });
});

it('times are RFC 3339 with whole seconds', () => {
  expect(timestamp(1_000_000_000_999)).toBe('2001-09-09T01:46:40Z');
});
