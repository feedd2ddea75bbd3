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
    ['0x1F + 0b11 + 0o17 + 5.', null, 54],
    ['asInt(7 / 2)', null, 3],
    ['"\\x41\\101\\U0001F600\\a" == `A` + "A😀\\u0007"', null, true],
    ['`\\d`', null, '\\d'],
  ];
  it.each(table)('%s with %j is %j', (source, result, want) => {
    expect(run(source, result)).toEqual(want);
  });
});

describe('texts and patterns', () => {
  const table: [source: string, result: Value, want: Value][] = [
    ['result matches "^v\\\\d+$"', 'v12', true],
    ['result matches `^v\\d+$`', 'v12', true],
    ['result matches "b"', 'abc', true],
    ['result not matches "^b"', 'abc', true],
    ['result not contains "b"', 'abc', false],
    ['result not startsWith "b" and result not endsWith "b"', 'abc', true],
    ['result[0].pattern matches result[1]', [{ pattern: 'aaa' }, '^a+$'], true],
    ['any(result, {# matches "^lobby-"})', ['arena-1', 'lobby-1'], true],
    ['result[1:3]', 'aä😀b', 'ä😀'],
    ['result[:-1]', 'abc', 'ab'],
  ];
  it.each(table)('%s with %j is %j', (source, result, want) => {
    expect(run(source, result)).toEqual(want);
  });
});

describe('lists', () => {
  const rooms = [
    { name: 'a', players: 0 },
    { name: 'b', players: 3 },
    { name: 'c', players: 0 },
  ];
  const table: [source: string, result: Value, want: Value][] = [
    ['1..4', null, [1, 2, 3, 4]],
    ['-1..1', null, [-1, 0, 1]],
    ['3..1', null, []],
    ['1..2+1', null, [1, 2, 3]],
    ['asInt(result) in 1..1000000', '77', true],
    ['asInt(result) not in 1..10', '11', true],
    ['2.5 in 1..3', null, false],
    ['len(1..10) == 10', null, true],
    ['result[1:3]', [1, 2, 3, 4], [2, 3]],
    ['result[:2] == [1, 2] and result[2:] == [3, 4] and result[:] == result', [1, 2, 3, 4], true],
    ['result[-2:]', [1, 2, 3, 4], [3, 4]],
    ['result[5:9]', [1, 2], []],
    ['result[true ? 1 : 0]', [1, 2], 2],
    ['all(result, {# > 10})', [11, 12], true],
    ['all(result, # > 10)', [11, 9], false],
    ['all(result, {# > 10})', [], true],
    ['any(result, {# > 5})', [1, 6], true],
    ['any(result, {# > 6})', [1, 6], false],
    ['none(result, {.players > 3})', rooms, true],
    ['one(result, {.players > 0})', rooms, true],
    ['one(result, {.players == 0})', rooms, false],
    ['filter(result, {#.players == 0})', rooms, rooms.filter(({ players }) => players === 0)],
    ['map(result, {.name})', rooms, ['a', 'b', 'c']],
    ['map(1..3, {# * 2})', null, [2, 4, 6]],
    ['map(map(1..2, {#}), {# * 10})', null, [10, 20]],
    ['map(1..2, {count(1..5, {# > 2})})', null, [3, 3]],
    ['count(result, {.players > 0}) == 1', rooms, true],
    ['len(filter(result, {.players > 0 and .name != "b"}))', rooms, 0],
    ['map(result, {.missing ?? "none"})', rooms, ['none', 'none', 'none']],
    ['map(result, {#})', [null, 1], [null, 1]],
  ];
  it.each(table)('%s with %j is %j', (source, result, want) => {
    expect(run(source, result)).toEqual(want);
  });
});

describe('what is missing, and numbers that are none', () => {
  const table: [source: string, result: Value, want: Value][] = [
    ['result.a ?? 5', {}, 5],
    ['result.a ?? 5', { a: 0 }, 0],
    ['result.a ?? result.b ?? 7', {}, 7],
    ['result.a ?? 1 + 1', { a: 1 }, 2],
    ['-result.a ?? 1', {}, -1],
    ['result?.a?.b', {}, null],
    ['result?.a?.b', { a: { b: 1 } }, 1],
    ['result.a?.5:1', { a: true }, 0.5],
    ['result.in', { in: 3 }, 3],
    ['default(result.a, 5)', {}, 5],
    ['default(result.a, 5)', { a: false }, false],
    ['isNil(result.a)', {}, true],
    ['isNil(result)', 0, false],
    ['isNaN(asFloat(result))', 'NaN', true],
    ['isNaN(result)', 1, false],
    ['isInf(asFloat(result))', '-Inf', true],
    ['isInf(1 / 0) and not isInf(1)', null, true],
    ['result >= .9 or isNaN(result)', Number.NaN, true],
    ['asInt(-0.5) == 0', null, true],
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
    ['result[0] > 1', [], 7, 'there is no such item: the list has 0'],
    ['result[0.5]', [1], 7, 'whole number'],
    ['result[0]', 'abc', 7, 'a string cannot be indexed'],
    ['1[result]', 'abc', 2, 'a number has no member of that name'],
    ['result.length', 'abc', 7, 'a string has no member length'],
    ['result.length', [1], 7, 'a list has no member length'],
    ['result.a.b', {}, 9, 'nil has no member b'],
    ['asInt(result)', '3.5', 1, 'asInt cannot read a text of 3 characters as a whole number, use asFloat'],
    ['asInt(result)', 'many', 1, 'asInt cannot read a text of 4 characters as a whole number ('],
    ['asInt(result)', '', 1, 'asInt cannot read an empty text as a whole number'],
    ['asInt(result)', '9007199254740993', 1, 'asInt cannot hold so large a number exactly, use asFloat'],
    ['asInt(result)', { a: 1 }, 1, 'an object'],
    ['asInt(1 / 0)', null, 1, 'exactly'],
    ['asFloat(result)', '0x10', 1, 'asFloat cannot read a text of 4 characters as a number'],
    ['asFloat(result)', 'x', 1, 'a text of 1 character as'],
    ['len(result)', 5, 1, 'a number'],
    ['5 % 0', null, 3, 'not zero'],
    ['5.5 % 2', null, 5, 'whole numbers'],
    ['result in "abc"', 'a', 8, 'in a string'],
    ['result contains 1', 'a', 8, 'two strings'],
    ['result in "abc"', 'a', 8, 'use contains'],
    ['result matches 1', 'a', 8, 'two strings'],
    ['result matches "a" + "("', 'a', 20, 'the computed pattern is not understood'],
    ['any(1..60, {"x" matches "(a{1000}){4}" + result[#:]})', 'b'.repeat(60), 40, 'too many steps'],
    ['1 .. "3"', null, 3, 'two whole numbers'],
    ['1..20000', null, 2, 'more than 10000 numbers'],
    ['result in 1..3', '2', 12, 'use asInt'],
    ['result[1:2]', 5, 7, 'a number cannot be sliced'],
    ['result["a":]', [1], 7, 'bounded by whole numbers'],
    ['all(result, {# > 1})', 5, 1, 'all needs a list, not a number'],
    ['all(result, {#})', [1], 14, 'all needs true or false'],
    ['filter(result, {.a.b})', [{}], 19, 'nil has no member b'],
    ['isNaN(result)', 'NaN', 1, 'use asFloat'],
    ['isInf(result)', null, 1, 'not nil'],
    ['result?.a', 'x', 7, 'a string has no member a'],
    ['asInt(result)', '99999999999999999999', 1, 'exactly'],
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

  it('a pattern that is longer than an expression, and a class that tests too much', () => {
    expect(failure('"a" matches result', 'a'.repeat(4097)).message).toContain('the computed pattern is not understood');
    const letters = 'result matches "^[^abcdefghijklmnopqrstuvwxyz]*$"';
    expect(failure(letters, '1'.repeat(200_000)).message).toContain('too many steps');
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
    ['result matches "("', 16, 'the pattern: a ( is not closed'],
    ['result matches "(a{1000}){3}" or result matches "b{1000}c{1000}"', 49, 'more than 5000 parts together'],
    ['# > 1', 1, 'outside the predicate'],
    ['.a', 1, 'outside the predicate'],
    ['all(#, {# > 1})', 5, 'outside the predicate'],
    ['all(result)', 11, 'all takes a list and a predicate'],
    ['all()', 1, 'all takes a list and a predicate'],
    ['all(result, {# > 1)', 19, '} is missing'],
    ['all(result, {# > 1}, 2)', 20, ') is missing'],
    ['{# > 1}', 1, '{ is not expected here'],
    ['result[1:2:3]', 11, '] is missing'],
    ['result.&&', 8, 'a name must follow the dot'],
    ['default(result)', 1, 'takes 2 arguments, not 1'],
    ['result == 9007199254740993', 11, 'cannot be held exactly'],
    ['0x_', 1, 'not a number'],
    ['`abc', 1, 'not closed'],
    ['result not > 1', 8, 'not is not expected here'],
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
