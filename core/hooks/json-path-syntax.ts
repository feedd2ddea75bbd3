/**
 * Reads kubectl's JSONPath: text with `{…}` pieces of `$`, `.name`, `['name']`, `[n]`, `[a:b:c]`, `[*]`, `[0,2]`, `..`, filters
 * `[?(@.a == "b")]`, quoted text, and `{range …}…{end}`. Pure.
 */

/** The path is not understood, or leads nowhere in this document. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

export type Step =
  | { type: 'key'; key: string }
  | { type: 'index'; index: number }
  | { type: 'slice'; from: number | undefined; to: number | undefined; by: number }
  | { type: 'all' }
  | { type: 'descend' }
  | { type: 'union'; steps: Step[] }
  | { type: 'filter'; left: Operand; comparison?: { operator: Comparison; right: Operand } };

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** `@` is the item that is looked at, `$` the document. */
export type Operand = { type: 'literal'; value: unknown } | { type: 'path'; root: '@' | '$'; steps: Step[] };

export type Piece =
  | { type: 'text'; text: string }
  | { type: 'path'; source: string; steps: Step[]; isFromRoot: boolean }
  | { type: 'range'; source: string; steps: Step[]; isFromRoot: boolean; pieces: Piece[] };

/** A path that has been read and can be applied to documents. */
export interface JsonPath {
  readonly pieces: readonly Piece[];
}

/** What the CRD lets in, and the braces around the path of a field. */
const MAX_LENGTH = 4100;
const MAX_RANGES = 8;
/** Of filters, one in the path of another. */
const MAX_FILTERS = 8;
/** What ends a name stands escaped in it: `.game\.example/state`. */
const NAME_PART = String.raw`(?:[^\s.,:?*[\](){}<>=!@'"\\]|\\.)+`;
const NAME = new RegExp(String.raw`\.(${NAME_PART})`, 'suy');
const RECURSION = new RegExp(String.raw`\.\.(?:(${NAME_PART})|(\*)|(?=\[))`, 'suy');
const QUOTED = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")$/su;
const SLICE = /^(-?\d+)?:(-?\d+)?(?::(-?\d+))?$/;
const FILTER = /^\?\((.*)\)$/su;
/** What is quoted holds no operator. Blanks belong to the sides: each character is read in one way only. */
const COMPARISON = /^((?:[^'"<>=!]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")+)(==|!=|<=|>=|<|>)(.+)$/su;

/**
 * Reads a path.
 * @throws JsonPathError for what is no path, and for a text without any `{…}`: it would never look at the answer.
 */
export function parseJsonPath(source: string): JsonPath {
  if (source.length > MAX_LENGTH) throw new JsonPathError('the JSONPath is longer than 4096 characters');
  const open: { piece: Extract<Piece, { type: 'range' }>; pieces: Piece[] }[] = [];
  let pieces: Piece[] = [];
  let looks = false;
  for (const part of splitBraces(source)) {
    if (!part.isInner) pieces.push({ type: 'text', text: part.text });
    else if (part.text === 'end') {
      const range = open.pop();
      if (range === undefined) throw new JsonPathError('an {end} of the JSONPath has no {range}');
      range.piece.pieces = pieces;
      pieces = [...range.pieces, range.piece];
    } else {
      const piece = parseInner(part.text);
      looks ||= piece.type !== 'text';
      if (piece.type !== 'range') pieces.push(piece);
      else {
        if (open.push({ piece, pieces }) > MAX_RANGES)
          throw new JsonPathError('ranges of the JSONPath are nested too deeply');
        pieces = [];
      }
    }
  }
  if (open.length > 0) throw new JsonPathError('a {range} of the JSONPath has no {end}');
  if (!looks) throw new JsonPathError('the JSONPath has no {…} in it');
  return { pieces };
}

function* splitBraces(source: string): Generator<{ isInner: boolean; text: string }> {
  let at = 0;
  while (at < source.length) {
    const start = source.indexOf('{', at);
    if (start !== at) yield { isInner: false, text: source.slice(at, start < 0 ? source.length : start) };
    if (start < 0) return;
    const close = closing(source, start + 1, '}');
    if (close < 0) throw new JsonPathError('a { of the JSONPath is not closed');
    yield { isInner: true, text: source.slice(start + 1, close).trim() };
    at = close + 1;
  }
}

function parseInner(inner: string): Piece {
  if (inner === '') throw new JsonPathError('a {…} of the JSONPath is empty');
  const quoted = unquote(inner);
  if (quoted !== undefined) return { type: 'text', text: quoted.replaceAll('\\n', '\n').replaceAll('\\t', '\t') };
  const [, over] = /^range\s+(.+)$/su.exec(inner) ?? [];
  const source = over ?? inner;
  const path = { source, steps: parseSteps(source), isFromRoot: source.startsWith('$') };
  return over === undefined ? { type: 'path', ...path } : { type: 'range', ...path, pieces: [] };
}

/** `depth`: how many filters are around it. */
function parseSteps(source: string, depth = 0): Step[] {
  const body = source.replace(/^[$@]/, '');
  if (body === '.') return [];
  const steps: Step[] = [];
  let at = 0;
  while (at < body.length) {
    const read = readDots(body, at) ?? readBrackets(body, at, depth);
    if (read === undefined) throw notUnderstood(source, body.slice(at));
    steps.push(...read.steps);
    at = read.end;
  }
  return steps;
}

interface Read {
  steps: Step[];
  end: number;
}

function readDots(body: string, at: number): Read | undefined {
  RECURSION.lastIndex = at;
  const [recursion, below, all] = RECURSION.exec(body) ?? [];
  if (recursion !== undefined) {
    const next: Step[] = below !== undefined ? [{ type: 'key', key: unescaped(below) }] : all ? [{ type: 'all' }] : [];
    return { steps: [{ type: 'descend' }, ...next], end: at + recursion.length };
  }
  NAME.lastIndex = at;
  const [step, name] = NAME.exec(body) ?? [];
  if (step !== undefined && name !== undefined) {
    return { steps: [{ type: 'key', key: unescaped(name) }], end: at + step.length };
  }
  return body.startsWith('.*', at) ? { steps: [{ type: 'all' }], end: at + 2 } : undefined;
}

/** Also `.[`, as kubectl takes it. */
function readBrackets(body: string, at: number, depth: number): Read | undefined {
  const start = body.startsWith('.[', at) ? at + 1 : at;
  if (body[start] !== '[') return undefined;
  const close = closing(body, start + 1, ']');
  if (close < 0) throw new JsonPathError(`a [ is not closed: ${cut(body.slice(start))}`);
  const inner = body.slice(start + 1, close).trim();
  const [, condition] = FILTER.exec(inner) ?? [];
  if (condition !== undefined) return { steps: [parseFilter(condition.trim(), depth + 1)], end: close + 1 };
  const steps = splitCommas(inner).map((item) => parseItem(item, body.slice(at)));
  return { steps: steps.length === 1 ? steps : [{ type: 'union', steps }], end: close + 1 };
}

function parseItem(item: string, rest: string): Step {
  if (item === '*') return { type: 'all' };
  const key = unquote(item);
  if (key !== undefined) return { type: 'key', key };
  if (/^-?\d+$/.test(item)) return { type: 'index', index: Number(item) };
  const slice = SLICE.exec(item);
  if (slice === null) throw notUnderstood(rest, rest);
  const [from, to, by = 1] = slice.slice(1).map((text) => (text === undefined ? undefined : Number(text)));
  if (by < 1) throw new JsonPathError(`a slice goes forward: [${item}]`);
  return { type: 'slice', from, to, by };
}

function parseFilter(condition: string, depth: number): Step {
  if (depth > MAX_FILTERS) throw new JsonPathError('filters of the JSONPath are nested too deeply');
  const [, left, operator, right] = COMPARISON.exec(condition) ?? [];
  if (left === undefined || right === undefined) return { type: 'filter', left: parseOperand(condition, depth) };
  const comparison = { operator: operator as Comparison, right: parseOperand(right.trim(), depth) };
  return { type: 'filter', left: parseOperand(left.trim(), depth), comparison };
}

function parseOperand(text: string, depth: number): Operand {
  const root = text[0];
  if (root === '@' || root === '$') return { type: 'path', root, steps: parseSteps(text, depth) };
  const quoted = unquote(text);
  if (quoted !== undefined) return { type: 'literal', value: quoted };
  if (text === 'true' || text === 'false') return { type: 'literal', value: text === 'true' };
  if (/^-?\d+(\.\d+)?$/.test(text)) return { type: 'literal', value: Number(text) };
  throw new JsonPathError(`a filter compares paths, numbers, true, false and quoted text, not ${cut(text)}`);
}

function splitCommas(inner: string): string[] {
  const items: string[] = [];
  let start = 0;
  for (;;) {
    const comma = closing(inner, start, ',');
    items.push(inner.slice(start, comma < 0 ? undefined : comma).trim());
    if (comma < 0) return items;
    start = comma + 1;
  }
}

/** Where `sign` stands outside of quotes and of inner brackets; -1 when it does not. */
function closing(text: string, start: number, sign: string): number {
  let quote = '';
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === sign && depth === 0) return at;
    else if (character === '"' || character === "'") quote = character;
    else if ('[('.includes(character)) depth += 1;
    else if ('])'.includes(character)) depth -= 1;
  }
  return -1;
}

function unquote(text: string): string | undefined {
  const [, single, double] = QUOTED.exec(text) ?? [];
  const inner = single ?? double;
  return inner === undefined ? undefined : inner.replace(/\\([^nt])/gsu, '$1');
}

const unescaped = (name: string) => name.replace(/\\(.)/gsu, '$1');

const cut = (text: string) => text.slice(0, 20);

function notUnderstood(source: string, rest: string): JsonPathError {
  return new JsonPathError(`{${cut(source)}} is not understood from ${cut(rest)} on`);
}
