/** Sets of characters: `.`, `\d`, `[a-z]`, `[[:alpha:]]`, `\p{L}`. ASCII where RE2 is ASCII. */

import { type CharacterTest, PatternError } from './syntax.ts';

const code = (character: string): number => character.codePointAt(0) as number;

const isDigit: CharacterTest = (point) => point >= 48 && point <= 57;
const isLower: CharacterTest = (point) => point >= 97 && point <= 122;
const isUpper: CharacterTest = (point) => point >= 65 && point <= 90;
const isAlpha: CharacterTest = (point) => isLower(point) || isUpper(point);
const isAlphanumeric: CharacterTest = (point) => isAlpha(point) || isDigit(point);
const isGraphic: CharacterTest = (point) => point > 32 && point < 127;
const isBlank: CharacterTest = (point) => point === 32 || point === 9;

/** `[a-zA-Z0-9_]`: what `\w` and `\b` mean by a word. */
export const isWord: CharacterTest = (point) => isAlphanumeric(point) || point === 95;

/** `[\t\n\f\r ]`, without the vertical tab: as RE2 has it. */
const isPerlSpace: CharacterTest = (point) => isBlank(point) || point === 10 || point === 12 || point === 13;

/** By the letter after the backslash; its capital is everything else. */
export const PERL_SETS: ReadonlyMap<string, CharacterTest> = new Map([
  ['d', isDigit],
  ['s', isPerlSpace],
  ['w', isWord],
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
export function posixSet(name: string): CharacterTest {
  const set = POSIX_SETS.get(name);
  if (set === undefined) throw new PatternError(`[:${name}:] is no class of characters`);
  return set;
}

/** `\p{L}`, `\p{Greek}`. @throws PatternError for a name that is neither a general category nor a script. */
export function unicodeSet(name: string): CharacterTest {
  const expression = /^[A-Za-z_]+$/.test(name) ? (property(name) ?? property(`Script=${name}`)) : undefined;
  if (expression === undefined) throw new PatternError(`\\p{${name}} is no class of characters`);
  return (point) => expression.test(String.fromCodePoint(point));
}

/** A test of one character cannot backtrack. */
function property(name: string): RegExp | undefined {
  try {
    return new RegExp(`^\\p{${name}}$`, 'u');
  } catch {
    return undefined;
  }
}

export const range =
  (first: number, last: number): CharacterTest =>
  (point) =>
    point >= first && point <= last;

export const not =
  (test: CharacterTest): CharacterTest =>
  (point) =>
    !test(point);

export const anyOf =
  (tests: readonly CharacterTest[]): CharacterTest =>
  (point) =>
    tests.some((test) => test(point));

/** The same without regard to case. */
export function ignoringCase(test: CharacterTest): CharacterTest {
  return (point) => {
    if (test(point)) return true;
    const character = String.fromCodePoint(point);
    return [character.toLowerCase(), character.toUpperCase()].some((other) => isOneLong(other) && test(code(other)));
  };
}

/** `ß` is no `S`, though its capital is `SS`. */
const isOneLong = (text: string): boolean => String.fromCodePoint(code(text)) === text;
