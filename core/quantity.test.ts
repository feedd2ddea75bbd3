import { describe, expect, it } from 'vitest';
import { canonicalQuantity } from './quantity.ts';

describe('canonicalQuantity', () => {
  it.each([
    ['1', 1],
    ['500m', '0.5'],
    ['1Gi', '1024Mi'],
    ['1Gi', '1073741824'],
    ['1e3', '1k'],
    ['1E3', '1000'],
    ['1E', '1e18'],
    ['.5', '500m'],
    ['1.', '1'],
    ['+2', 2],
    ['0', '-0'],
    ['100u', '100000n'],
    ['1.5Gi', '1536Mi'],
    ['0.1n', '1n'],
  ])('%s equals %s', (left, right) => {
    expect(canonicalQuantity(left)).toBe(canonicalQuantity(right));
  });

  it.each([
    ['1', '2'],
    ['1M', '1Mi'],
    ['1', '-1'],
    ['1m', '1M'],
  ])('%s differs from %s', (left, right) => {
    expect(canonicalQuantity(left)).not.toBe(canonicalQuantity(right));
  });

  it.each([['much'], [''], ['.'], ['1e999'], ['1 Gi'], [true]])('%s is no quantity and stays as it is', (value) => {
    expect(canonicalQuantity(value)).toBe(value);
  });
});
