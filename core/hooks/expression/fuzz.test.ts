/** Random expressions: nothing but plain data and our own errors comes out, and no work is without a bound. */
import { describe, expect, it } from 'vitest';
import { Random } from '../../model/random.ts';
import { ExpressionError } from './errors.ts';
import { evaluate } from './evaluator.ts';
import { parseExpression } from './parser.ts';
import type { Value } from './syntax.ts';

const RESULTS: readonly Value[] = [
  ...['45', 'abc', '', 12, Number.NaN, true, null],
  ...[[], [1, 2, 3], ['a', 'b'], { a: { b: [1] }, name: 'x' }, [{ name: 'a', players: 1 }, { name: 'b' }]],
];

/** A value, or our own error. */
function outcomeOf(source: string, result: Value): Value | ExpressionError {
  try {
    return evaluate(parseExpression(source, ['result']), { result });
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw new Error(source, { cause: error });
  }
}

/** @throws where anything but data came out: a function, a symbol, something with a prototype of its own. */
function judge(source: string, outcome: Value | ExpressionError): void {
  if (outcome instanceof ExpressionError) {
    const { column } = outcome;
    if (!(column >= 1 && column <= source.length + 1)) throw new Error(`${source} fails outside of itself: ${column}`);
  } else if (!isData(outcome)) throw new Error(`${source} is no plain data`);
}

function isData(value: Value): boolean {
  if (Array.isArray(value)) return value.every(isData);
  if (value === null || typeof value !== 'object')
    return ['number', 'string', 'boolean', 'object'].includes(typeof value);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isData);
}

const WORDS: readonly string[] = [
  ...[
    'result',
    'asInt',
    'len',
    'asFloat',
    'nil',
    'true',
    'false',
    '"a"',
    "'5'",
    '1',
    '.5',
    '3e4',
    'constructor',
    '`a`',
  ],
  ...['and', 'or', 'not', 'in', 'contains', '+', '-', '*', '/', '%', '**', '==', '!=', '<', '>=', '&&', '!', '?', '??'],
  ...[':', '.', ',', '(', ')', '[', ']', ' ', '"', '\\', '{', '}', '#', '__proto__', '\u0000', '😀', '..', '?.'],
  ...['matches', 'all', 'filter', 'map', 'default', 'isNil', '0x1f', 'prototype'],
];

describe('random words', () => {
  it.each([1, 2, 3, 4])('seed %i', (seed) => {
    const random = new Random(seed);
    let valued = 0;
    for (let round = 0; round < 8_000; round += 1) {
      const separator = random.chance(0.5) ? ' ' : '';
      const source = Array.from({ length: 1 + random.below(12) }, () => random.pick(WORDS)).join(separator);
      const outcome = outcomeOf(source, random.pick(RESULTS) as Value);
      judge(source, outcome);
      if (!(outcome instanceof ExpressionError)) valued += 1;
    }
    expect(valued).toBeGreaterThan(50);
  });
});

/** A text that parses, by the grammar: its parts fit in form, not always in type. */
class Writer {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  expression(depth: number, isInside = false): string {
    const { write, pick } = this.#tools(depth, isInside);
    if (depth === 0) return pick(['result', '1', '2.5', '"abc"', '`b+`', 'nil', 'true', isInside ? '#' : '[]', '1..5']);
    return pick<() => string>([
      () =>
        `${write()} ${pick(['+', '-', '*', '/', '%', '**', '==', '<', '>=', '??', '..', 'in', 'not in'])} ${write()}`,
      () => `${write()} ${pick(['and', 'or', '&&', 'contains', 'startsWith', 'matches', 'not matches'])} ${write()}`,
      () => `${pick(['not ', '!', '-'])}(${write()})`,
      () => `(${write()} ? ${write()} : ${write()})`,
      () => `(${write()})${pick(['.name', '?.a', '["b"]', '[0]', '[-1]', '[1:]', '[:2]', '.constructor'])}`,
      () => `(${write()})[${write()}]`,
      () => `${pick(['asInt', 'asFloat', 'len', 'isNaN', 'isNil'])}(${write()})`,
      () => `default(${write()}, ${write()})`,
      () => `[${write()}, ${write()}]`,
      () =>
        `${pick(['all', 'any', 'one', 'none', 'filter', 'map', 'count'])}(${write()}, {${this.expression(depth - 1, true)}})`,
    ])();
  }

  #tools(depth: number, isInside: boolean) {
    return {
      write: () => this.expression(Math.max(0, depth - 1 - this.#random.below(2)), isInside),
      pick: <T>(items: readonly T[]): T => this.#random.pick(items) as T,
    };
  }
}

describe('random expressions of the grammar', () => {
  it.each([1, 2, 3, 4])('seed %i', (seed) => {
    const random = new Random(seed);
    const writer = new Writer(random);
    let valued = 0;
    for (let round = 0; round < 5_000; round += 1) {
      const source = writer.expression(random.below(5));
      const outcome = outcomeOf(source, random.pick(RESULTS) as Value);
      judge(source, outcome);
      if (!(outcome instanceof ExpressionError)) valued += 1;
    }
    expect(valued).toBeGreaterThan(500);
  });
});

/** Values of every type in which each part is known again: a text, a key, a number. */
const MARKED: readonly Value[] = [
  ...['Zq8', 'Zq8(', '(Zq8', '[Zq8', '\\Zq8', '31415926535897932384', '31415926.5', 31415926, -31415926],
  ...[['Zq8', 31415926], { name: 'Zq8', a: 31415926, Zq8: ['Zq8'] }, [{ name: 'Zq8(', players: 31415926 }]],
];

describe('no message tells anything of what was measured', () => {
  it.each([5, 6, 7, 8])('seed %i', (seed) => {
    const random = new Random(seed);
    const writer = new Writer(random);
    let failed = 0;
    for (let round = 0; round < 10_000; round += 1) {
      const outcome = outcomeOf(writer.expression(1 + random.below(4)), random.pick(MARKED) as Value);
      if (!(outcome instanceof ExpressionError)) continue;
      failed += 1;
      expect(outcome.message).not.toMatch(/Zq8|31415/);
    }
    expect(failed).toBeGreaterThan(5_000);
  });

  it.each<[string, Value]>([
    ['result[0][result[1]]', ['x', 'Zq8']],
    ['1[result]', 'Zq8'],
    ['"a" matches result', '(Zq8'],
    ['result[0][result[1]]', [[1], 31415926]],
    ['1..result', 31415926],
    ['all([result], {#})', 'Zq8'],
  ])('%s', (source, result) => {
    const outcome = outcomeOf(source, result);
    expect(outcome).toBeInstanceOf(ExpressionError);
    expect((outcome as ExpressionError).message).not.toMatch(/Zq8|31415/);
  });
});

describe('work', () => {
  const many: Value = Array.from({ length: 50_000 }, (_, index) => index);
  const long = 'a'.repeat(1_000_000);
  const table: [title: string, source: string, result: Value][] = [
    ['lists in lists', 'map(1..10000, {map(1..10000, {#})})', null],
    ['lists in lists in lists', 'all(1..9999, {all(1..9999, {all(1..9999, {# > 0})})})', null],
    ['ranges that are only made', 'all(1..10000, {len(1..10000) > 0})', null],
    ['slices that are only made', 'all(result, {len(result[1:]) > 0})', many],
    ['lists compared with each of their items', 'all(result, {result == result})', many],
    ['texts searched again and again', 'all(1..10000, {result not contains "b"})', long],
    ['texts compared again and again', 'all(1..10000, {result == result + ""})', long],
    ['texts measured again and again', 'all(1..10000, {len(result) > 0})', long],
    ['texts that grow', 'all(1..10000, {result + result != ""})', long],
    ['texts that are cut', 'all(1..10000, {result[1:] != ""})', long],
    ['a pattern over a long text', '[result] == [""] or result matches "(a|aa|aaa)+b"', long],
    ['patterns again and again', 'all(1..10000, {result matches "(a+)+$"})', 'a'.repeat(500)],
    ['other patterns again and again', 'all(map(1..10000, {["(a{500})?" + "x"][0]}), {result matches #})', long],
    ['a deep search', 'all(result, {# in result or true})', many],
  ];
  it.each(table)('%s end with an error', (_title, source, result) => {
    const outcome = outcomeOf(source, result);
    expect(outcome).toBeInstanceOf(ExpressionError);
    expect((outcome as ExpressionError).message).toMatch(/too many steps|too long/);
  });

  it('what is usual is far from the bound', () => {
    const rooms = Array.from({ length: 5_000 }, (_, index) => ({ name: `room-${index}`, players: index % 7 }));
    expect(outcomeOf('count(result, {.players == 0 and .name startsWith "room-"}) > 100', rooms)).toBe(true);
    expect(outcomeOf('result matches "ready"', `${'x'.repeat(500_000)} ready`)).toBe(true);
  });
});

describe('there is no way out of the data', () => {
  const table: [source: string, result: Value][] = [
    ['result.constructor', { a: 1 }],
    ['result["constructor"]', { a: 1 }],
    ['result.__proto__', { a: 1 }],
    ['result["__proto__"]', { a: 1 }],
    ['result?.prototype', { a: 1 }],
    ['map([result], {.toString})[0]', { a: 1 }],
    ['result.hasOwnProperty', { a: 1 }],
  ];
  it.each(table)('%s is nil', (source, result) => {
    expect(outcomeOf(source, result)).toBe(null);
  });

  it.each(['result.length', 'result["length"]', '"a".constructor', '(1).toFixed', 'this', 'globalThis', 'arguments'])(
    '%s is refused',
    (source) => {
      expect(outcomeOf(source, 'text')).toBeInstanceOf(ExpressionError);
    },
  );

  it('a key named __proto__ that came with the data is data', () => {
    const result = JSON.parse('{"__proto__": {"a": 1}}') as Value;
    expect(outcomeOf('result["__proto__"].a == 1 and "__proto__" in result', result)).toBe(true);
    expect(outcomeOf('result.a == nil', result)).toBe(true);
  });
});
