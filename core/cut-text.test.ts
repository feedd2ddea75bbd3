import { expect, it } from 'vitest';
import { cutText } from './cut-text.ts';

it.each<[title: string, text: string, length: number, want: string]>([
  ['what fits stays', 'abc', 3, 'abc'],
  ['what does not ends in a sign of it', 'abcd', 3, 'ab…'],
  ['a character of two halves is kept whole', '🎮🎮', 4, '🎮🎮'],
  ['or left out', 'a🎮🎮', 3, 'a…'],
  ['a half that came in is replaced', '\uDC00a\uD800', 9, '\uFFFDa\uFFFD'],
  ['also before the end', '\uDC00abcd', 3, '\uFFFDa…'],
])('%s', (_title, text, length, want) => {
  const cut = cutText(text, length);
  expect([cut, cut.isWellFormed(), cut.length <= length]).toEqual([want, true, true]);
});
