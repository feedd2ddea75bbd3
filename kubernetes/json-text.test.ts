import { expect, test } from 'vitest';
import { jsonText } from './json-text.ts';

test('signs that Go escapes are escaped as Go does, and mean the same', () => {
  const value = { args: ['play && rest <in >out', 'a\u2028b', 'é "quoted"'] };
  expect(jsonText(value)).toBe(
    String.raw`{"args":["play \u0026\u0026 rest \u003cin \u003eout","a\u2028b","é \"quoted\""]}`,
  );
  expect(JSON.parse(jsonText(value))).toEqual(value);
});
