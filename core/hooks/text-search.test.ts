/** Searching in texts: the same answers as the engine's own search, also where a text repeats itself. */
import { expect, it } from 'vitest';
import { Random } from '../model/random.ts';
import { containsText, replaceText } from './text-search.ts';

it.each([1, 2, 3])('finds and replaces as the engine does (seed %i)', (seed) => {
  const random = new Random(seed);
  const letters = (length: number) => Array.from({ length }, () => (random.chance(0.9) ? 'a' : 'b')).join('');
  for (let round = 0; round < 300; round += 1) {
    const part = letters(60 + random.below(20));
    const text = [letters(50), part, part, letters(40), part.slice(0, 70), part, letters(10)].join(
      letters(random.below(3)),
    );
    const other = letters(70);
    expect(containsText(text, other)).toBe(text.includes(other));
    expect(containsText(text, part)).toBe(true);
    expect(replaceText(text, part, '$&*')).toBe(text.replaceAll(part, () => '$&*'));
  }
});

it('what lies over another find is not found', () => {
  expect(replaceText('a'.repeat(250), 'a'.repeat(100), '*')).toBe(`**${'a'.repeat(50)}`);
});

it('a text that repeats itself takes no longer than another one', () => {
  const part = `ab${'a'.repeat(500_000)}`;
  expect(containsText('a'.repeat(1_000_000), part)).toBe(false);
  expect(replaceText('a'.repeat(1_000_000), part, '*')).toHaveLength(1_000_000);
});
