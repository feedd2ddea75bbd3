import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { fnv32, shortHash } from './hash.ts';

describe('hash', () => {
  it('is FNV-1a: the empty text gives the offset basis', () => {
    expect(fnv32('')).toBe(0x811c9dc5);
  });

  it.each(['', 'a', 'ä', '😀', 'x'.repeat(100_000)])('fits a label value and an object name (%#)', (text) => {
    expect(shortHash(text)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,7}$/);
  });

  it('tells characters apart that share a low byte', () => {
    expect(fnv32('a')).not.toBe(fnv32('š'));
  });
});

describe('canonicalJson', () => {
  it.each([
    ['the order of keys does not matter', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['an undefined field is no field', { a: 1, b: undefined }, { a: 1 }],
  ])('%s', (_name, left, right) => {
    expect(canonicalJson(left)).toBe(canonicalJson(right));
  });

  it.each([
    ['the order of a list matters', [1, 2], [2, 1]],
    ['a number is not its text', { a: 1 }, { a: '1' }],
    ['null is a value', { a: null }, {}],
  ])('%s', (_name, left, right) => {
    expect(canonicalJson(left)).not.toBe(canonicalJson(right));
  });
});
