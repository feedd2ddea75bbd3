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
  | { type: 'operator'; value: string; column: number }
  | { type: 'end'; value: ''; column: number };

const OPERATOR_WORDS: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'contains', 'startsWith', 'endsWith']);
const SYMBOL = /(?:\*\*|==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]])/y;
const BLANK = /[ \t\r\n]+/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', '"': '"', "'": "'" };
const SYMBOL_NAMES: Readonly<Record<string, string>> = { '&&': 'and', '||': 'or' };

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
  return { token: { type: 'operator', value: SYMBOL_NAMES[symbol] ?? symbol, column }, end: at + symbol.length };
}

function unreadable(source: string, at: number): ExpressionSyntaxError {
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  const sentence =
    character === '"' || character === "'" ? 'the string is not closed' : `'${character}' is not part of the language`;
  return new ExpressionSyntaxError(sentence, at + 1);
}

function numberToken(text: string, column: number): Token {
  return { type: 'number', value: Number(text.replaceAll('_', '')), column };
}

function wordToken(word: string, column: number): Token {
  return { type: OPERATOR_WORDS.has(word) ? 'operator' : 'name', value: word, column };
}

function stringToken(text: string, column: number): Token {
  const value = text.slice(1, -1).replace(/\\(?:u([0-9A-Fa-f]{4})|(.))/gsu, (whole, hex, escaped, offset) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    const plain = Object.hasOwn(ESCAPES, escaped) ? ESCAPES[escaped] : undefined;
    if (plain === undefined) throw new ExpressionSyntaxError(`${whole} is not an escape`, column + 1 + offset);
    return plain;
  });
  return { type: 'string', value, column };
}

function skipBlank(source: string, at: number): number {
  return at + (match(BLANK, source, at)?.length ?? 0);
}

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}
