/**
 * The part of kubectl's JSONPath that hooks use: text with `{…}` pieces of `$`, `.name`, `['name']`, `[n]`, `[-n]` and
 * `[*]`. Filters, slices, recursion and `range` are refused by name. Pure, on own properties only.
 */

/** The path is not understood, or leads nowhere in this document. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

type Step = { type: 'key'; key: string } | { type: 'index'; index: number } | { type: 'all' };
type Piece = { type: 'text'; text: string } | { type: 'path'; source: string; steps: Step[] };

/** A path that has been read and can be applied to documents. */
export interface JsonPath {
  readonly pieces: readonly Piece[];
}

const STEP = /\.([\p{L}\p{N}_$-]+)|\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+)|(\*))\s*\]|\.(\*)/uy;

/**
 * Reads a path.
 * @throws JsonPathError for syntax outside the subset, and for a text without any `{…}`: it would never look at the answer.
 */
export function parseJsonPath(source: string): JsonPath {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf('{', at);
    if (open !== at) pieces.push({ type: 'text', text: source.slice(at, open < 0 ? source.length : open) });
    if (open < 0) break;
    const close = closingBrace(source, open);
    const inner = source.slice(open + 1, close).trim();
    pieces.push({ type: 'path', source: inner, steps: parseSteps(inner) });
    at = close + 1;
  }
  if (!pieces.some((piece) => piece.type === 'path')) throw new JsonPathError('the JSONPath has no {…} in it');
  return { pieces };
}

/**
 * What the path finds, as text: strings as they are, everything else as JSON, several finds separated by a blank.
 * @throws JsonPathError when nothing is there.
 */
export function readJsonPath(path: JsonPath, document: unknown): string {
  return path.pieces.map((piece) => (piece.type === 'text' ? piece.text : renderFinds(piece, document))).join('');
}

function renderFinds(piece: Piece & { type: 'path' }, document: unknown): string {
  let finds = [document];
  for (const step of piece.steps) finds = finds.flatMap((value) => follow(value, step, piece.source));
  return finds.map((find) => (typeof find === 'string' ? find : JSON.stringify(find))).join(' ');
}

function follow(value: unknown, step: Step, source: string): unknown[] {
  const isContainer = typeof value === 'object' && value !== null;
  if (step.type === 'all' && isContainer) return Object.values(value);
  if (step.type === 'index' && Array.isArray(value)) {
    const index = step.index < 0 ? value.length + step.index : step.index;
    if (index >= 0 && index < value.length) return [value[index]];
    throw new JsonPathError(`{${source}} asks for item ${step.index} of a list of ${value.length}`);
  }
  if (step.type === 'key' && isContainer && !Array.isArray(value) && Object.hasOwn(value, step.key)) {
    return [(value as Record<string, unknown>)[step.key]];
  }
  throw new JsonPathError(`{${source}} finds nothing: there is no ${describe(step)}`);
}

function describe(step: Step): string {
  if (step.type === 'key') return step.key;
  return step.type === 'index' ? `item ${step.index}` : 'list or object for *';
}

/** The brace that ends a piece: not one inside quotes. */
function closingBrace(source: string, open: number): number {
  let quote = '';
  for (let at = open + 1; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '}') return at;
  }
  throw new JsonPathError('a { of the JSONPath is not closed');
}

function parseSteps(inner: string): Step[] {
  const body = inner.startsWith('$') ? inner.slice(1) : inner;
  if (body === '' || body === '.') {
    if (inner === '') throw new JsonPathError('a {…} of the JSONPath is empty');
    return [];
  }
  const steps: Step[] = [];
  let at = 0;
  while (at < body.length) {
    STEP.lastIndex = at;
    const found = STEP.exec(body);
    if (found === null) throw new JsonPathError(`{${inner}} is not understood from ${body.slice(at, at + 20)} on`);
    steps.push(toStep(found));
    at = STEP.lastIndex;
  }
  return steps;
}

function toStep([, name, single, double, index]: RegExpExecArray): Step {
  const key = name ?? (single ?? double)?.replace(/\\(.)/gsu, '$1');
  if (key !== undefined) return { type: 'key', key };
  if (index !== undefined) return { type: 'index', index: Number(index) };
  return { type: 'all' };
}
