/**
 * Applies kubectl's JSONPath to a document (json-path-syntax.ts reads it). Pure, on own properties only, and bounded: what looks
 * at too much of a document is an error like any other.
 */

import {
  type Comparison,
  type JsonPath,
  JsonPathError,
  type Operand,
  type Piece,
  type Step,
} from './json-path-syntax.ts';

export { type JsonPath, JsonPathError, parseJsonPath } from './json-path-syntax.ts';

/** Values that one path may look at, and characters that it may bring back. */
const MAX_VISITS = 200_000;
const MAX_TEXT_LENGTH = 2_097_152;
/** Comparing so many characters takes no longer than visiting one value. */
const CHARACTERS_PER_VISIT = 1024;

/**
 * What the path finds, as text: strings as they are, everything else as JSON, several finds separated by a blank.
 * @throws JsonPathError when nothing is there.
 */
export function readJsonPath(path: JsonPath, document: unknown): string {
  return new Search(document).render(path.pieces, document);
}

class Search {
  readonly #document: unknown;
  #visits = 0;
  #length = 0;

  constructor(document: unknown) {
    this.#document = document;
  }

  render(pieces: readonly Piece[], current: unknown): string {
    return pieces.map((piece) => this.#renderPiece(piece, current)).join('');
  }

  #renderPiece(piece: Piece, current: unknown): string {
    if (piece.type === 'text') return this.#bounded(piece.text);
    const finds = this.#findAll(piece, piece.isFromRoot ? this.#document : current);
    if (piece.type === 'range') return finds.map((find) => this.render(piece.pieces, find)).join('');
    return finds.map((find) => this.#bounded(toText(find))).join(' ');
  }

  /** Asked of each text as soon as it is made, before the next one is. With its separator: many empty texts are work, too. */
  #bounded(text: string): string {
    this.#length += text.length + 1;
    if (this.#length > MAX_TEXT_LENGTH) throw new JsonPathError('the JSONPath brings back too much');
    return text;
  }

  /** A step that finds something in none of the values is a miss, as it is for kubectl. */
  #findAll({ steps, source }: { steps: Step[]; source: string }, start: unknown): unknown[] {
    let finds: unknown[] = [start];
    for (const step of steps) {
      const next = this.#follow(finds, step, source);
      if (next.length === 0) throw new JsonPathError(`{${source}} finds nothing: ${describe(step)}`);
      finds = next;
    }
    return finds;
  }

  #follow(values: unknown[], step: Step, source: string): unknown[] {
    const found: unknown[] = [];
    for (const value of values) {
      for (const next of this.#followOne(value, step, source)) {
        this.#visit(source);
        found.push(next);
      }
    }
    return found;
  }

  #visit(source: string, visits = 1): void {
    this.#visits += visits;
    if (this.#visits > MAX_VISITS) throw new JsonPathError(`{${source}} looks at more than ${MAX_VISITS} values`);
  }

  #followOne(value: unknown, step: Step, source: string): unknown[] {
    switch (step.type) {
      case 'key':
        return memberOf(value, step.key);
      case 'index':
        return itemOf(value, step.index, source);
      case 'slice':
        return sliceOf(value, step, source);
      case 'all':
        return childrenOf(value);
      case 'descend':
        return this.#descend(value, source);
      case 'union':
        return step.steps.flatMap((one) => {
          // Also one that finds nothing took its time.
          this.#visit(source);
          return this.#follow([value], one, source);
        });
      case 'filter':
        return childrenOf(value).filter((item) => {
          this.#visit(source);
          return this.#holds(item, step, source);
        });
    }
  }

  /** The value and everything below it, without recursion: a document may be nested as deeply as it is long. */
  #descend(value: unknown, source: string): unknown[] {
    const found: unknown[] = [];
    const open = [value];
    while (open.length > 0) {
      const next = open.pop();
      found.push(next);
      this.#visit(source);
      for (const child of childrenOf(next).reverse()) open.push(child);
    }
    return found;
  }

  #holds(item: unknown, { left, comparison }: Step & { type: 'filter' }, source: string): boolean {
    const lefts = this.#operand(left, item, source);
    if (comparison === undefined) return lefts.length > 0;
    const rights = this.#operand(comparison.right, item, source);
    if (lefts.length === 0 || rights.length === 0) return false;
    if (lefts.length > 1 || rights.length > 1) throw new JsonPathError(`{${source}} compares several values at once`);
    this.#visit(source, charactersOf(lefts[0], rights[0]) / CHARACTERS_PER_VISIT);
    return compare(lefts[0], comparison.operator, rights[0], source);
  }

  #operand(operand: Operand, item: unknown, source: string): unknown[] {
    if (operand.type === 'literal') return [operand.value];
    let finds: unknown[] = [operand.root === '@' ? item : this.#document];
    for (const step of operand.steps) {
      if (finds.length === 0) break;
      finds = this.#follow(finds, step, source);
    }
    return finds;
  }
}

function memberOf(value: unknown, key: string): unknown[] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, key) ? [(value as Record<string, unknown>)[key]] : [];
}

function itemOf(value: unknown, at: number, source: string): unknown[] {
  if (!Array.isArray(value)) return [];
  const index = at < 0 ? value.length + at : at;
  if (index >= 0 && index < value.length) return [value[index]];
  throw new JsonPathError(`{${source}} asks for item ${at} of a list of ${value.length}`);
}

/** Both ends must be there, as for kubectl. */
function sliceOf(value: unknown, { from = 0, to, by }: Step & { type: 'slice' }, source: string): unknown[] {
  if (!Array.isArray(value)) return [];
  const { length } = value;
  const start = from < 0 ? length + from : from;
  const end = to === undefined ? length : to < 0 ? length + to : to;
  if (start < 0 || end > length || start > end) {
    throw new JsonPathError(`{${source}} asks for items ${start} to ${end} of a list of ${length}`);
  }
  const items: unknown[] = [];
  for (let at = start; at < end; at += by) items.push(value[at]);
  return items;
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function compare(left: unknown, operator: Comparison, right: unknown, source: string): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  if (typeof left === 'number' && typeof right === 'number') return isOrdered(left - right, operator);
  if (typeof left === 'string' && typeof right === 'string') {
    return isOrdered(left < right ? -1 : left > right ? 1 : 0, operator);
  }
  throw new JsonPathError(`{${source}} compares by ${operator} what are not two numbers or two texts`);
}

/** That must be looked at to compare the two. */
function charactersOf(left: unknown, right: unknown): number {
  return typeof left === 'string' && typeof right === 'string' ? Math.min(left.length, right.length) : 0;
}

function isOrdered(difference: number, operator: Comparison): boolean {
  if (operator === '<') return difference < 0;
  if (operator === '<=') return difference <= 0;
  return operator === '>' ? difference > 0 : difference >= 0;
}

function describe(step: Step): string {
  if (step.type === 'key') return `there is no ${step.key}`;
  if (step.type === 'filter') return 'no item passes the filter';
  return step.type === 'all' ? 'there is no list or object for *' : 'there is no list';
}

function toText(find: unknown): string {
  if (typeof find === 'string') return find;
  try {
    return JSON.stringify(find);
  } catch (error) {
    if (error instanceof RangeError) throw new JsonPathError('what the JSONPath finds is nested too deeply');
    throw error;
  }
}
