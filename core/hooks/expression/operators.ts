/**
 * What the binary operators do with two values. A pair of types an operator does not know is an error, never a false:
 * `"30" > 5` must not decide about a pod.
 */

import { containsText } from '../text-search.ts';
import type { Place } from './budget.ts';
import { EvaluationError } from './errors.ts';
import { typeName } from './functions.ts';
import { makeRange } from './lists.ts';
import { type BinaryOperator, LIMITS, type Value } from './syntax.ts';

/** `matches` needs its pattern read first, the other three decide whether their right side is looked at. */
type EagerOperator = Exclude<BinaryOperator, 'and' | 'or' | '??' | 'matches'>;

/**
 * `left operator right`.
 * @throws EvaluationError at the place's column when the types do not fit or the work is too much.
 */
export function applyBinary(operator: EagerOperator, left: Value, right: Value, place: Place): Value {
  switch (operator) {
    case '==':
      return areEqual(left, right, place);
    case '!=':
      return !areEqual(left, right, place);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(operator, left, right, place);
    case 'in':
      return isIn(left, right, place);
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return hasText(operator, left, right, place);
    case '..':
      return makeRange(left, right, place);
    case '+':
      return typeof left === 'string' && typeof right === 'string'
        ? concatenate(left, right, place)
        : compute(operator, left, right, place);
    default:
      return compute(operator, left, right, place);
  }
}

/** Everything may be compared with nil; otherwise both sides must have one type. */
function areEqual(left: Value, right: Value, place: Place): boolean {
  if (left === null || right === null) return left === right;
  if (typeName(left) !== typeName(right)) {
    throw new EvaluationError(`${typeName(left)} cannot equal ${typeName(right)}${advice(left, right)}`, place.column);
  }
  return isSame(left, right, place);
}

/** Structural equality; inside lists and objects different types are simply different. */
function isSame(left: Value, right: Value, place: Place, depth = 0): boolean {
  const { budget, column } = place;
  if (depth > LIMITS.depth) throw new EvaluationError('the values are nested too deeply to be compared', column);
  budget.spend(1, column);
  if (typeof left === 'string' && typeof right === 'string') return isSameText(left, right, place);
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  budget.spend(keys.length, column);
  if (keys.length !== Object.keys(right).length) return false;
  const [a, b] = [left as Record<string, Value>, right as Record<string, Value>];
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key] as Value, b[key] as Value, place, depth + 1));
}

function isSameText(left: string, right: string, { budget, column }: Place): boolean {
  if (left.length !== right.length) return false;
  budget.spendOnText(left.length, column);
  return left === right;
}

function isOrdered(operator: '<' | '<=' | '>' | '>=', left: Value, right: Value, place: Place): boolean {
  const areNumbers = typeof left === 'number' && typeof right === 'number';
  const areStrings = typeof left === 'string' && typeof right === 'string';
  if (!areNumbers && !areStrings) {
    const pair = `${typeName(left)} with ${typeName(right)}`;
    throw new EvaluationError(`${operator} cannot compare ${pair}${advice(left, right)}`, place.column);
  }
  if (areStrings) place.budget.spendOnText(Math.min(left.length, right.length), place.column);
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

/** Most type errors are a measured string beside a number. */
function advice(left: Value, right: Value): string {
  const types = new Set([typeof left, typeof right]);
  return types.has('string') && types.has('number') ? ', use asInt or asFloat' : '';
}

function isIn(needle: Value, haystack: Value, place: Place): boolean {
  if (Array.isArray(haystack)) return haystack.some((candidate) => isSame(candidate, needle, place));
  if (haystack !== null && typeof haystack === 'object' && typeof needle === 'string') {
    return Object.hasOwn(haystack, needle);
  }
  const pair = `${typeName(needle)} in ${typeName(haystack)}`;
  const hint = typeof haystack === 'string' && typeof needle === 'string' ? ', use contains' : '';
  throw new EvaluationError(`in cannot look for ${pair}${hint}`, place.column);
}

type TextOperator = 'contains' | 'startsWith' | 'endsWith';

function hasText(operator: TextOperator, left: Value, right: Value, { budget, column }: Place): boolean {
  if (typeof left !== 'string' || typeof right !== 'string') {
    throw new EvaluationError(`${operator} needs two strings, not ${typeName(left)} and ${typeName(right)}`, column);
  }
  budget.spendOnText(operator === 'contains' ? left.length + right.length : right.length, column);
  switch (operator) {
    case 'contains':
      return containsText(left, right);
    case 'startsWith':
      return left.startsWith(right);
    case 'endsWith':
      return left.endsWith(right);
  }
}

function concatenate(left: string, right: string, { budget, column }: Place): string {
  const length = left.length + right.length;
  if (length > LIMITS.textLength) throw new EvaluationError('the text becomes too long', column);
  budget.spendOnText(length, column);
  return left + right;
}

type Arithmetic = '+' | '-' | '*' | '/' | '%' | '**';

function compute(operator: Arithmetic, left: Value, right: Value, { column }: Place): number {
  if (typeof left !== 'number' || typeof right !== 'number') {
    const pair = `${typeName(left)} and ${typeName(right)}`;
    throw new EvaluationError(`${operator} cannot compute with ${pair}${advice(left, right)}`, column);
  }
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return remainder(left, right, column);
    case '**':
      return left ** right;
  }
}

/** Division by zero is infinite, as for Prometheus; a remainder by zero is nothing at all. */
function remainder(left: number, right: number, column: number): number {
  if (right === 0 || !Number.isInteger(left) || !Number.isInteger(right)) {
    throw new EvaluationError('% needs two whole numbers, the second not zero', column);
  }
  return left % right;
}
