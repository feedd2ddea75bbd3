/** Sets of characters: `.`, `\d`, `[a-z]`, `[[:alpha:]]`, `\p{L}`. ASCII where RE2 is ASCII. */

import { type CharacterSet, PatternError } from './syntax.ts';

type CharacterTest = CharacterSet['has'];

const code = (character: string): number => character.codePointAt(0) as number;

/** Measured: a test by a regular expression takes as long as so many comparisons. */
const UNICODE_COST = 4;
/** To find the other cases of a character, of which there are so many with it; mostly two. */
const CASE_COST = 8;
const CASES = 3;

const isDigit: CharacterTest = (point) => point >= 48 && point <= 57;
const isLower: CharacterTest = (point) => point >= 97 && point <= 122;
const isUpper: CharacterTest = (point) => point >= 65 && point <= 90;
const isAlpha: CharacterTest = (point) => isLower(point) || isUpper(point);
const isAlphanumeric: CharacterTest = (point) => isAlpha(point) || isDigit(point);
const isGraphic: CharacterTest = (point) => point > 32 && point < 127;
const isBlank: CharacterTest = (point) => point === 32 || point === 9;

const isWord: CharacterTest = (point) => isAlphanumeric(point) || point === 95;

/** `[\t\n\f\r ]`, without the vertical tab: as RE2 has it. */
const isPerlSpace: CharacterTest = (point) => isBlank(point) || point === 10 || point === 12 || point === 13;

const set = (has: CharacterTest, cost = 1): CharacterSet => ({ has, cost });

/** `[a-zA-Z0-9_]`: what `\w` and `\b` mean by a word. */
export const WORD = set(isWord);

/** By the letter after the backslash; its capital is everything else. */
export const PERL_SETS: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', set(isDigit)],
  ['s', set(isPerlSpace)],
  ['w', WORD],
]);

const POSIX_SETS: ReadonlyMap<string, CharacterTest> = new Map([
  ['alnum', isAlphanumeric],
  ['alpha', isAlpha],
  ['ascii', (point) => point < 128],
  ['blank', isBlank],
  ['cntrl', (point) => point < 32 || point === 127],
  ['digit', isDigit],
  ['graph', isGraphic],
  ['lower', isLower],
  ['print', (point) => isGraphic(point) || point === 32],
  ['punct', (point) => isGraphic(point) && !isAlphanumeric(point)],
  ['space', (point) => isPerlSpace(point) || point === 11],
  ['upper', isUpper],
  ['word', isWord],
  ['xdigit', (point) => isDigit(point) || (point >= 97 && point <= 102) || (point >= 65 && point <= 70)],
]);

/** `[:name:]` inside a class. @throws PatternError for a name that is none. */
export function posixSet(name: string): CharacterSet {
  const has = POSIX_SETS.get(name);
  if (has === undefined) throw new PatternError(`[:${name}:] is no class of characters`);
  return set(has);
}

/** `\p{L}`, `\p{Greek}`. @throws PatternError for a name that is neither a general category nor a script. */
export function unicodeSet(name: string): CharacterSet {
  const expression = /^[A-Za-z_]+$/.test(name) ? (property(name) ?? property(`Script=${name}`)) : undefined;
  if (expression === undefined) throw new PatternError(`\\p{${name}} is no class of characters`);
  return set((point) => expression.test(String.fromCodePoint(point)), UNICODE_COST);
}

/** A test of one character cannot backtrack. */
function property(name: string): RegExp | undefined {
  try {
    return new RegExp(`^\\p{${name}}$`, 'u');
  } catch {
    return undefined;
  }
}

export const range = (first: number, last: number): CharacterSet => set((point) => point >= first && point <= last);

export const not = ({ has, cost }: CharacterSet): CharacterSet => set((point) => !has(point), cost);

export function anyOf(sets: readonly CharacterSet[]): CharacterSet {
  const tests = sets.map(({ has }) => has);
  const cost = sets.reduce((sum, each) => sum + each.cost, 0);
  return set((point) => tests.some((test) => test(point)), cost);
}

/** The same without regard to case. */
export function ignoringCase({ has, cost }: CharacterSet): CharacterSet {
  return set((point) => has(point) || otherCasesOf(point).some(has), CASE_COST + CASES * cost);
}

/** Also those of the capital, and of the small letter: `ſ` is an `S`, and so an `s`. But `ß` is no `S`, though its capital is `SS`. */
function otherCasesOf(point: number): number[] {
  const character = String.fromCodePoint(point);
  const [small, capital] = [character.toLowerCase(), character.toUpperCase()];
  const all = new Set([small, capital, capital.toLowerCase(), small.toUpperCase()]);
  all.delete(character);
  return [...all].filter(isOneLong).map(code);
}

const isOneLong = (text: string): boolean => String.fromCodePoint(code(text)) === text;
