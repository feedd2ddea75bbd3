import { describe, expect, test } from 'vitest';
import { readBenchArguments } from './arguments.ts';

describe('arguments of the bench', () => {
  test('the numbers of the issue are the defaults', () => {
    const { pods, slowPods } = readBenchArguments([]);
    expect({ pods, slowPods }).toEqual({ pods: 500, slowPods: 1000 });
  });

  test.each([
    ['--pods', '0'],
    ['--pods', 'many'],
    ['--slow-pods', '1.5'],
    ['--slow-seconds', '0'],
  ])('%s %s is refused by name', (flag, value) => {
    expect(() => readBenchArguments([flag, value])).toThrow(`${flag} must be a whole number`);
  });

  test('0 slow pods leaves the slow part out', () => {
    expect(readBenchArguments(['--slow-pods', '0']).slowPods).toBe(0);
  });
});
