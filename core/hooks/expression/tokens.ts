/**
 * Turns an expression's text into tokens. Knows the shape of words, numbers and strings; knows nothing of grammar.
 */

import { ExpressionSyntaxError } from './errors.ts';
import { LIMITS } from './syntax.ts';

export type Token =
  | { type: 'number'; value: number; column: number }
  | { type: 'string'; value: string; column: number }
  | { type: 'name'; value: string; column: number }
  /** Operators and punctuation; `&&`, `||` come as `and`, `or`; words such as `in` come as their own text. */
  | { type: 'operator'; value: string; isWord: boolean; column: number }
  | { type: 'end'; value: ''; column: number };

const OPERATOR_WORDS: ReadonlySet<string> = new Set([
  ...['and', 'or', 'not', 'in', 'contains', 'startsWith', 'endsWith', 'matches'],
]);
// `?.` begins no conditional whose first value is .5
const SYMBOL = /(?:\*\*|==|!=|<=|>=|&&|\|\||\.\.|\?\?|\?\.(?!\d)|[-+*/%<>!?:.,()[\]{}#])/y;
const BLANK = /[ \t\r\n]+/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
// The dot of `1..3` is the range's.
const NUMBER =
  /0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*(?:\.(?!\.)[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'|`[^`]*`/y;
const ESCAPE =
  /\\(?:u([0-9A-Fa-f]{4})|U(0010[0-9A-Fa-f]{4}|000[0-9A-Fa-f]{5})|x([0-9A-Fa-f]{2})|([0-3][0-7]{2})|(.))/gsu;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...([['a', '\u0007'] as const, ['b', '\b'] as const, ['f', '\f'] as const, ['n', '\n'] as const] as const),
  ...([['r', '\r'] as const, ['t', '\t'] as const, ['v', '\v'] as const, ['\\', '\\'] as const] as const),
  ...([['"', '"'] as const, ["'", "'"] as const] as const),
]);
const SYMBOL_NAMES: ReadonlyMap<string, string> = new Map([
  ['&&', 'and'],
  ['||', 'or'],
]);

/**
 * All tokens of `source`, ended by one of type `end`.
 * @throws ExpressionSyntaxError when the source is longer than 4096 characters or holds something that is no token.
 */
export function tokenize(source: string): Token[] {
  if (source.length > LIMITS.sourceLength) {
    throw new ExpressionSyntaxError(`the expression is longer than ${LIMITS.sourceLength} characters`, 1);
  }
  const tokens: Token[] = [];
  let at = skipBlank(source, 0);
  while (at < source.length) {
    const { token, end } = readToken(source, at);
    tokens.push(token);
    at = skipBlank(source, end);
  }
  tokens.push({ type: 'end', value: '', column: source.length + 1 });
  return tokens;
}

function readToken(source: string, at: number): { token: Token; end: number } {
  const column = at + 1;
  const number = match(NUMBER, source, at);
  if (number !== undefined) return { token: numberToken(number, column), end: at + number.length };
  const word = match(WORD, source, at);
  if (word !== undefined) return { token: wordToken(word, column), end: at + word.length };
  const text = match(STRING, source, at);
  if (text !== undefined) return { token: stringToken(text, column), end: at + text.length };
  const symbol = match(SYMBOL, source, at);
  if (symbol === undefined) throw unreadable(source, at);
  const value = SYMBOL_NAMES.get(symbol) ?? symbol;
  return { token: { type: 'operator', value, isWord: false, column }, end: at + symbol.length };
}

function unreadable(source: string, at: number): ExpressionSyntaxError {
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  const isQuote = ['"', "'", '`'].includes(character);
  const sentence = isQuote ? 'the string is not closed' : `'${character}' is not part of the language`;
  return new ExpressionSyntaxError(sentence, at + 1);
}

/** Beyond 2^53 the number would become its neighbour; what is written is what is compared with. */
function numberToken(text: string, column: number): Token {
  const value = Number(text.replaceAll('_', ''));
  const isInexact = Number.isInteger(value) && !Number.isSafeInteger(value) && !/[.eE]/.test(text);
  if (Number.isNaN(value)) throw new ExpressionSyntaxError(`${text} is not a number`, column);
  if (isInexact) throw new ExpressionSyntaxError(`${text} cannot be held exactly, compare it as a string`, column);
  return { type: 'number', value, column };
}

function wordToken(word: string, column: number): Token {
  return OPERATOR_WORDS.has(word)
    ? { type: 'operator', value: word, isWord: true, column }
    : { type: 'name', value: word, column };
}

/** Between backquotes nothing is an escape. */
function stringToken(text: string, column: number): Token {
  const inner = text.slice(1, -1);
  return { type: 'string', value: text.startsWith('`') ? inner : readEscapes(inner, column), column };
}

function readEscapes(text: string, column: number): string {
  return text.replace(ESCAPE, (whole, short, long, byte, octal, escaped, offset) => {
    const hex = short ?? long ?? byte;
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const plain = ESCAPES.get(escaped);
    if (plain === undefined) throw new ExpressionSyntaxError(`${whole} is not an escape`, column + 1 + offset);
    return plain;
  });
}

function skipBlank(source: string, at: number): number {
  return at + (match(BLANK, source, at)?.length ?? 0);
}

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}
