/** Texts as long as an answer may be: what looks at them takes a time that grows with their length, not with its square. */
import { expect, it } from 'vitest';
import { parseDurationMs } from '../duration.ts';
import { evaluate } from './evaluator.ts';
import { parseExpression } from './parser.ts';

const run = (source: string, result: string) => evaluate(parseExpression(source, ['result']), { result });

// The square of their length would be hours.
it.each<[string, string, string]>([
  ['asInt', 'digits', `${'1'.repeat(1_000_000)}x`],
  ['asFloat', 'digits', `-${'1'.repeat(1_000_000)}e`],
  ['asFloat', 'decimals', `0.${'1'.repeat(1_000_000)}x`],
])('%s of many %s that are no number', (name, _title, text) => {
  expect(() => run(`${name}(result) > 0`, text)).toThrow(/cannot read a text of \d+ characters/);
});

it('a number of many digits is read', () => {
  expect(run('asFloat(result) > 1', '1'.repeat(1_000_000))).toBe(true);
  expect(run('asFloat(result) < 1', `0.${'1'.repeat(1_000_000)}`)).toBe(true);
});

it('a duration of many digits without a unit is none', () => {
  expect(parseDurationMs('1'.repeat(1_000_000))).toBeUndefined();
});

it('what repeats itself is looked for in what repeats itself', () => {
  const part = `${'a'.repeat(300)}b${'a'.repeat(3_600)}`;
  expect(run(`result contains "${part}"`, 'a'.repeat(1_000_000))).toBe(false);
});
