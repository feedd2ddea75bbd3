/**
 * The functions an expression may call. Each gets plain values and either answers or says in a sentence what does not
 * fit, without the value; the evaluator adds the column.
 */

import type { Value } from './syntax.ts';

type Outcome = { value: Value } | { problem: string };
type LanguageFunction = (first: Value, second: Value) => Outcome;

const INTEGER = /^[+-]?\d+$/;
// Digits can be read in one way only: two ways to share them out would be tried for each, a million of them for hours.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITY = /^[+-]?inf(?:inity)?$/i;

const FUNCTIONS: ReadonlyMap<string, { arity: number; call: LanguageFunction }> = new Map([
  ['asInt', { arity: 1, call: asInt }],
  ['asFloat', { arity: 1, call: asFloat }],
  ['len', { arity: 1, call: length }],
  ['isNaN', { arity: 1, call: ofNumber('isNaN', Number.isNaN) }],
  ['isInf', { arity: 1, call: ofNumber('isInf', (value) => Math.abs(value) === Number.POSITIVE_INFINITY) }],
  ['isNil', { arity: 1, call: (value: Value) => ({ value: value === null }) }],
  ['default', { arity: 2, call: (value: Value, fallback: Value) => ({ value: value ?? fallback }) }],
]);

/** How many arguments each function takes. */
export const FUNCTION_ARITIES: ReadonlyMap<string, number> = new Map(
  [...FUNCTIONS].map(([name, { arity }]) => [name, arity]),
);

/** Calls a function by name; a name that is none is a problem too. */
export function callFunction(name: string, [first = null, second = null]: readonly Value[]): Outcome {
  return FUNCTIONS.get(name)?.call(first, second) ?? { problem: `there is no function ${name}` };
}

/** The type of a value, as messages call it. */
export function typeName(value: Value): string {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}

function asInt(argument: Value): Outcome {
  if (typeof argument === 'number') return integer(Math.trunc(argument));
  if (typeof argument !== 'string') return { problem: `asInt cannot convert ${typeName(argument)}` };
  if (INTEGER.test(argument)) return integer(Number(argument));
  const hint = DECIMAL.test(argument) ? ', use asFloat' : '';
  return { problem: `asInt cannot read ${shapeOf(argument)} as a whole number${hint}` };
}

/** Beyond 2^53 two different numbers would compare equal; an answer that might be wrong is refused. */
function integer(value: number): Outcome {
  if (Number.isSafeInteger(value)) return { value: value + 0 };
  return { problem: 'asInt cannot hold so large a number exactly, use asFloat' };
}

function asFloat(argument: Value): Outcome {
  if (typeof argument === 'number') return { value: argument };
  if (typeof argument !== 'string') return { problem: `asFloat cannot convert ${typeName(argument)}` };
  if (DECIMAL.test(argument)) return { value: Number(argument) };
  if (INFINITY.test(argument)) return { value: argument.startsWith('-') ? -Infinity : Infinity };
  if (/^nan$/i.test(argument)) return { value: Number.NaN };
  return { problem: `asFloat cannot read ${shapeOf(argument)} as a number` };
}

/** Characters of a string (not bytes), items of a list, keys of an object. */
function length(argument: Value): Outcome {
  if (typeof argument === 'string') return { value: countCharacters(argument) };
  if (Array.isArray(argument)) return { value: argument.length };
  if (argument !== null && typeof argument === 'object') return { value: Object.keys(argument).length };
  return { problem: `len cannot measure ${typeName(argument)}` };
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

function ofNumber(name: string, holds: (value: number) => boolean): LanguageFunction {
  return (value) =>
    typeof value === 'number'
      ? { value: holds(value) }
      : { problem: `${name} needs a number, not ${typeName(value)}, use asFloat` };
}

/** What may be told of a measured text: messages go where values must not, such as a history. */
function shapeOf(text: string): string {
  if (text === '') return 'an empty text';
  return text.length === 1 ? 'a text of 1 character' : `a text of ${countCharacters(text)} characters`;
}
