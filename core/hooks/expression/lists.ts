/** Getting at the parts of a value: members, items, slices, ranges. Own properties of plain data only. */

import type { Place } from './budget.ts';
import { EvaluationError } from './errors.ts';
import { typeName } from './functions.ts';
import { LIMITS, type Value } from './syntax.ts';

/** An own property; a key that is not there is nil, as in the existing operators. */
export function property(target: Value, key: string, column: number): Value {
  return member(target, key, key, column);
}

/** `title` is what may be told of the key: one that was computed may be part of what was measured. */
function member(target: Value, key: string, title: string, column: number): Value {
  if (target === null || typeof target !== 'object' || Array.isArray(target)) {
    throw new EvaluationError(`${typeName(target)} has no member ${title}`, column);
  }
  return (Object.hasOwn(target, key) ? target[key] : undefined) ?? null;
}

/** `list[0]`, `list[-1]` (from the end), `object["key"]`. Outside a list is an error: no data is not a value. */
export function item(target: Value, index: Value, column: number): Value {
  if (!Array.isArray(target)) {
    if (typeof index === 'string') return member(target, index, 'of that name', column);
    throw new EvaluationError(`${typeName(target)} cannot be indexed with ${typeName(index)}`, column);
  }
  if (typeof index !== 'number' || !Number.isInteger(index)) {
    throw new EvaluationError(`a list is indexed with a whole number, not ${typeName(index)}`, column);
  }
  const value = target[index < 0 ? target.length + index : index];
  if (value === undefined) {
    throw new EvaluationError(`there is no such item: the list has ${target.length}`, column);
  }
  return value;
}

/** `target[from:to]` of a list or of a string's characters; as far as there are any, negative from the end. */
export function slice(target: Value, from: Value, to: Value, { budget, column }: Place): Value {
  const [first, last] = [bound(from, 0, column), bound(to, Number.MAX_SAFE_INTEGER, column)];
  if (Array.isArray(target)) {
    const part = target.slice(first, last);
    budget.spend(part.length, column);
    return part;
  }
  if (typeof target !== 'string') throw new EvaluationError(`${typeName(target)} cannot be sliced`, column);
  // Characters are not code units: a text is taken apart to be cut, which costs as much as so many items.
  budget.spend(target.length, column);
  return Array.from(target).slice(first, last).join('');
}

function bound(value: Value, whenAbsent: number, column: number): number {
  if (value === null) return whenAbsent;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw new EvaluationError(`a slice is bounded by whole numbers, not ${typeName(value)}`, column);
}

/** `first..last`, both included; none where the first is above the last. */
export function makeRange(first: Value, last: Value, { budget, column }: Place): number[] {
  const [from, to] = rangeBounds(first, last, column);
  const length = Math.max(to - from + 1, 0);
  if (length > LIMITS.listLength) {
    throw new EvaluationError(`the range has more than ${LIMITS.listLength} numbers`, column);
  }
  budget.spend(length, column);
  return Array.from({ length }, (_, index) => from + index);
}

/** `value in first..last` without making the list. */
export function isInRange(value: Value, first: Value, last: Value, column: number): boolean {
  const [from, to] = rangeBounds(first, last, column);
  if (typeof value !== 'number') {
    const hint = typeof value === 'string' ? ', use asInt' : '';
    throw new EvaluationError(`in cannot look for ${typeName(value)} in a range${hint}`, column);
  }
  return Number.isInteger(value) && value >= from && value <= to;
}

function rangeBounds(first: Value, last: Value, column: number): [number, number] {
  if (Number.isSafeInteger(first) && Number.isSafeInteger(last)) return [first as number, last as number];
  throw new EvaluationError(`a range needs two whole numbers, not ${typeName(first)} and ${typeName(last)}`, column);
}
