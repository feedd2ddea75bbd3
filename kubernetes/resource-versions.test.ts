import { expect, test } from 'vitest';
import { compareResourceVersions } from './resource-versions.ts';

test.each([
  ['9', '10', -1],
  ['10', '9', 1],
  ['10', '10', 0],
  ['9007199254740993', '9007199254740992', 1],
  [5n, '4', 1],
])('%s against %s', (left, right, want) => {
  expect(compareResourceVersions(left, right)).toBe(want);
});

test('a version that is no number is refused, not guessed', () => {
  expect(() => compareResourceVersions('abc', '1')).toThrow('resourceVersion "abc" is not a number');
  expect(() => compareResourceVersions('', '1')).toThrow();
});
