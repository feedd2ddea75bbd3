/**
 * What the binary operators do with two values. A pair of types an operator does not know is an error, never a false:
 * `"30" > 5` must not decide about a pod.
 */

import { EvaluationError } from './errors.ts';
import { typeName } from './functions.ts';
import { type BinaryOperator, LIMITS, type Value } from './syntax.ts';

type EagerOperator = Exclude<BinaryOperator, 'and' | 'or'>;

/**
 * `left operator right`.
 * @throws EvaluationError at `column` when the types do not fit.
 */
export function applyBinary(operator: EagerOperator, left: Value, right: Value, column: number): Value {
  switch (operator) {
    case '==':
      return areEqual(left, right, column);
    case '!=':
      return !areEqual(left, right, column);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(operator, left, right, column);
    case 'in':
      return isIn(left, right, column);
    case 'not in':
      return !isIn(left, right, column);
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return matchesText(operator, left, right, column);
    case '+':
      return typeof left === 'string' && typeof right === 'string'
        ? concatenate(left, right, column)
        : compute(operator, left, right, column);
    default:
      return compute(operator, left, right, column);
  }
}

/** Everything may be compared with nil; otherwise both sides must have one type. */
function areEqual(left: Value, right: Value, column: number): boolean {
  if (left === null || right === null) return left === right;
  if (typeName(left) !== typeName(right)) {
    throw new EvaluationError(`${typeName(left)} cannot equal ${typeName(right)}${advice(left, right)}`, column);
  }
  return isSame(left, right, column);
}

/** Structural equality; inside lists and objects different types are simply different. */
function isSame(left: Value, right: Value, column: number, depth = 0): boolean {
  if (depth > LIMITS.depth) throw new EvaluationError('the values are nested too deeply to be compared', column);
  if (left === right) return true;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  const [a, b] = [left as Record<string, Value>, right as Record<string, Value>];
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key] as Value, b[key] as Value, column, depth + 1));
}

function isOrdered(operator: '<' | '<=' | '>' | '>=', left: Value, right: Value, column: number): boolean {
  const areNumbers = typeof left === 'number' && typeof right === 'number';
  const areStrings = typeof left === 'string' && typeof right === 'string';
  if (!areNumbers && !areStrings) {
    const pair = `${typeName(left)} with ${typeName(right)}`;
    throw new EvaluationError(`${operator} cannot compare ${pair}${advice(left, right)}`, column);
  }
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

function isIn(needle: Value, haystack: Value, column: number): boolean {
  if (Array.isArray(haystack)) return haystack.some((candidate) => isSame(candidate, needle, column));
  if (haystack !== null && typeof haystack === 'object' && typeof needle === 'string') {
    return Object.hasOwn(haystack, needle);
  }
  throw new EvaluationError(`in cannot look for ${typeName(needle)} in ${typeName(haystack)}`, column);
}

function matchesText(
  operator: 'contains' | 'startsWith' | 'endsWith',
  left: Value,
  right: Value,
  column: number,
): boolean {
  if (typeof left !== 'string' || typeof right !== 'string') {
    throw new EvaluationError(`${operator} needs two strings, not ${typeName(left)} and ${typeName(right)}`, column);
  }
  switch (operator) {
    case 'contains':
      return left.includes(right);
    case 'startsWith':
      return left.startsWith(right);
    case 'endsWith':
      return left.endsWith(right);
  }
}

function concatenate(left: string, right: string, column: number): string {
  if (left.length + right.length > LIMITS.textLength) throw new EvaluationError('the text becomes too long', column);
  return left + right;
}

function compute(operator: '+' | '-' | '*' | '/' | '%' | '**', left: Value, right: Value, column: number): number {
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
