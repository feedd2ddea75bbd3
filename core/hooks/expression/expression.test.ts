import { describe, expect, it } from 'vitest';
import { EvaluationError, ExpressionError, ExpressionSyntaxError } from './errors.ts';
import { evaluate } from './evaluator.ts';
import { parseExpression } from './parser.ts';
import type { Value } from './syntax.ts';

function run(source: string, result: Value = null): Value {
  return evaluate(parseExpression(source, ['result']), { result });
}

function failure(source: string, result: Value = null): ExpressionError {
  try {
    run(source, result);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`${source} has a value`);
}

describe('values', () => {
  const table: [source: string, result: Value, want: Value][] = [
    ['asInt(result) < 30', '45', false],
    ['asInt(result) > 30', '45', true],
    ['asFloat(result) >= .9', '0.95', true],
    ['1 + 2 * 3 ** 2', null, 19],
    ['(1 + 2) * 3', null, 9],
    ['2 ** 3 ** 2', null, 512],
    ['-2 ** 2', null, 4],
    ['10 - 2 - 3', null, 5],
    ['5 / 2', null, 2.5],
    ['7 % 4', null, 3],
    ['1_000 + 1e3 + .5', null, 2000.5],
    ['not false and true', null, true],
    ['!false && true || false', null, true],
    ['true or false and false', null, true],
    ['not result == "a"', 'b', true],
    ['!(result == "a")', 'b', true],
    ['true == not false', null, true],
    ['false and asInt("x") > 1', null, false],
    ['true or asInt("x") > 1', null, true],
    ['result == "ok" ? 1 : 2', 'ok', 1],
    ['false ? 1 : true ? 2 : 3', null, 2],
    ['result in ["a", "b"]', 'b', true],
    ['result not in ["a", "b"]', 'b', false],
    ['result in [1, 2]', 'b', false],
    ['"key" in result', { key: 1 }, true],
    ['"toString" in result', {}, false],
    ['result contains "ell"', 'hello', true],
    ['result startsWith "he" and result endsWith "lo"', 'hello', true],
    ['"a" + \'b\'', null, 'ab'],
    ['"\\u0041\\n\\"" + \'\\\'\'', null, 'A\n"\''],
    ['result.a.b', { a: { b: 7 } }, 7],
    ['result["a"][1]', { a: [1, 2] }, 2],
    ['result[-1]', [1, 2, 3], 3],
    ['result.missing == nil', {}, true],
    ['result.constructor == nil', {}, true],
    ['result["__proto__"] == nil', {}, true],
    ['len(result)', 'ä😀b', 3],
    ['len(result)', [1, 2], 2],
    ['len(result)', { a: 1 }, 1],
    ['len([])', null, 0],
    ['result == nil', null, true],
    ['result != nil', 'x', true],
    ['result == [1, 2][0]', 1, true],
    ['result == [1, [2]]', [1, [2]], true],
    ['asInt("-12") + asInt(3.9)', null, -9],
    ['asFloat("1e3") == 1000', null, true],
    ['asFloat("+Inf") > 5', null, true],
    ['asFloat("NaN") >= .9', null, false],
    ['1 / 0 > 100', null, true],
    ['"b" > "a"', null, true],
  ];
  it.each(table)('%s with %j is %j', (source, result, want) => {
    expect(run(source, result)).toEqual(want);
  });
});

describe('what has no value names the place', () => {
  const table: [source: string, result: Value, column: number, part: string][] = [
    ['result > 30', '45', 8, 'asInt'],
    ['result == 45', '45', 8, 'asInt'],
    ['result != 45', '45', 8, 'asInt'],
    ['1 + result', '45', 3, 'asInt'],
    ['result < 5', [], 8, 'a list with a number'],
    ['result < 5', null, 8, 'nil with a number'],
    ['1 < 2 < 3', null, 7, 'a boolean with a number'],
    ['result and true', 'yes', 1, 'and needs true or false, not a string'],
    ['not result', 'yes', 5, 'not needs true or false'],
    ['result ? 1 : 2', 1, 1, 'true or false'],
    ['-result', 'a', 1, '- needs a number'],
    ['result[0] > 1', [], 7, 'there is no item 0: the list has 0'],
    ['result[0.5]', [1], 7, 'whole number'],
    ['result[0]', 'abc', 7, 'a string cannot be indexed'],
    ['result.length', 'abc', 7, 'a string has no member length'],
    ['result.length', [1], 7, 'a list has no member length'],
    ['result.a.b', {}, 9, 'nil has no member b'],
    ['asInt(result)', '3.5', 1, '"3.5"'],
    ['asInt(result)', '', 1, 'whole number'],
    ['asInt(result)', '9007199254740993', 1, 'exactly'],
    ['asInt(result)', { a: 1 }, 1, 'an object'],
    ['asInt(1 / 0)', null, 1, 'exactly'],
    ['asFloat(result)', '0x10', 1, '"0x10"'],
    ['len(result)', 5, 1, 'a number'],
    ['5 % 0', null, 3, 'not zero'],
    ['5.5 % 2', null, 5, 'whole numbers'],
    ['result in "abc"', 'a', 8, 'in a string'],
    ['result contains 1', 'a', 8, 'two strings'],
  ];
  it.each(table)('%s with %j', (source, result, column, part) => {
    const error = failure(source, result);
    expect(error).toBeInstanceOf(EvaluationError);
    expect([error.column, error.message]).toEqual([column, expect.stringContaining(part)]);
  });

  it('a text that grows without bound', () => {
    const error = failure('result + result + result', 'x'.repeat(1_000_000));
    expect(error.message).toContain('too long');
  });

  it('values nested too deeply to be compared', () => {
    const nest = () => JSON.parse(`${'['.repeat(5000)}1${']'.repeat(5000)}`) as Value;
    expect(failure('result.a == result.b', { a: nest(), b: nest() }).message).toContain('too deeply');
  });
});

describe('what is no expression', () => {
  const table: [source: string, column: number, part: string][] = [
    ['', 1, 'empty'],
    ['   ', 1, 'empty'],
    ['1 +', 4, 'ends too early'],
    ['(1', 3, ') is missing'],
    ['[1, 2', 6, '] is missing'],
    ['1 2', 3, '2 is not expected here'],
    ['result "a"', 8, 'a string is not expected here'],
    ['a > 1', 1, 'a is not defined, only result is'],
    ['process', 1, 'process is not defined'],
    ['foo(1)', 1, 'there is no function foo, only asInt'],
    ['len()', 1, 'takes 1 argument, not 0'],
    ['len(1, 2)', 1, 'takes 1 argument, not 2'],
    ['result.constructor("x")', 19, '( is not expected here'],
    ['"abc', 1, 'not closed'],
    ['"a\\qb"', 3, 'not an escape'],
    ['result = 1', 8, "'=' is not part of the language"],
    ['result & 1', 8, "'&'"],
    ['result; 1', 7, "';'"],
    ['result.1', 7, '.1 is not expected here'],
    ['result.', 8, 'ends too early'],
    ['true ? 1', 9, ': is missing'],
    ['result matches "a"', 8, 'matches is not expected here'],
    [`1${' + 1'.repeat(2000)}`, 1, 'longer than 4096'],
    [`${'('.repeat(100)}1`, 65, 'deeper than 64'],
    [`${'!'.repeat(100)}true`, 65, 'deeper than 64'],
    [`1${'+1'.repeat(600)}`, 1000, 'more than 1000 parts'],
  ];
  it.each(table.map(([source, ...rest]) => [source.slice(0, 24), source, ...rest] as const))(
    '%s',
    (_title, source, column, part) => {
      const error = failure(source);
      expect(error).toBeInstanceOf(ExpressionSyntaxError);
      expect(error.message).toContain(part);
      expect(error.column).toBe(column);
    },
  );
});

describe('fuzz', () => {
  /** A small generator of pseudo-random numbers (mulberry32), so that a failure can be repeated. */
  function random(seed: number): () => number {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    };
  }
  const words = [
    ...['result', 'asInt', 'len', 'asFloat', 'nil', 'true', 'false', '"a"', "'5'", '1', '.5', '3e4', 'constructor'],
    ...['and', 'or', 'not', 'in', 'contains', '+', '-', '*', '/', '%', '**', '==', '!=', '<', '>=', '&&', '!', '?'],
    ...[':', '.', ',', '(', ')', '[', ']', ' ', '"', '\\', '{', '#', '__proto__', '\u0000', '😀', '..'],
  ];
  const results: Value[] = ['45', 'abc', 12, true, null, [1, 2], { a: { b: [1] } }];

  it.each([1, 2, 3, 4])(
    'random text throws nothing but its own errors and only computes plain data (seed %i)',
    (seed) => {
      const next = random(seed);
      const pick = <T>(items: readonly T[]) => items[Math.floor(next() * items.length)] as T;
      let valued = 0;
      for (let round = 0; round < 20_000; round += 1) {
        const source = Array.from({ length: 1 + Math.floor(next() * 12) }, () => pick(words)).join(
          next() < 0.5 ? ' ' : '',
        );
        try {
          expect(['number', 'string', 'boolean', 'object']).toContain(typeof run(source, pick(results)));
          valued += 1;
        } catch (error) {
          if (!(error instanceof ExpressionError)) throw new Error(`seed ${seed}: ${source}`, { cause: error });
          expect(error.column).toBeGreaterThan(0);
        }
      }
      expect(valued).toBeGreaterThan(100);
    },
  );
});
