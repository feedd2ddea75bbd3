/** Text of a pattern to its tree. What RE2 does not have (references back, looking around) is refused by name. */

import { anyOf, ignoringCase, not, PERL_SETS, posixSet, range, unicodeSet } from './characters.ts';
import { type CharacterSet, PATTERN_LIMITS, PatternError, type PatternNode } from './syntax.ts';

interface Flags {
  ignoreCase: boolean;
  multiline: boolean;
  dotAll: boolean;
}

const ANY = range(0, 0x10ffff);
const NO_LINE_END = not(range(10, 10));
const NO_FLAGS: Flags = { ignoreCase: false, multiline: false, dotAll: false };
/** `U` only changes which match is found, never whether there is one. */
const FLAG_NAMES: ReadonlyMap<string, keyof Flags | undefined> = new Map([
  ['i', 'ignoreCase'],
  ['m', 'multiline'],
  ['s', 'dotAll'],
  ['U', undefined],
]);

const REPEAT = /([*+?]|\{(\d+)(?:(,)(\d*))?\})(\??)/uy;
const GROUP = /\(\?(?:P?<[A-Za-z_]\w*>|([imsU]*)(?:-([imsU]+))?([:)]))/uy;
const POSIX = /\[:(\^?)(\w+):\]/uy;
const PROPERTY = /([pP])(?:\{(\^?)([^}]*)\}|([A-Za-z]))/uy;
const CODE_POINT = /x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})|([0-7]{3}|0)/uy;
const ESCAPES: ReadonlyMap<string, number> = new Map([
  ...([['a', 7] as const, ['f', 12] as const, ['n', 10] as const] as const),
  ...([['r', 13] as const, ['t', 9] as const, ['v', 11] as const] as const),
]);

/** @throws PatternError and nothing else. */
export function parsePattern(source: string): PatternNode {
  return new PatternParser(source).parseWhole();
}

class PatternParser {
  readonly #source: string;
  #at = 0;
  #depth = 0;
  #flags = NO_FLAGS;

  constructor(source: string) {
    this.#source = source;
  }

  parseWhole(): PatternNode {
    const tree = this.#parseChoice();
    if (this.#at < this.#source.length) throw new PatternError('a ) closes no group');
    return tree;
  }

  #parseChoice(): PatternNode {
    this.#depth += 1;
    if (this.#depth > PATTERN_LIMITS.depth) throw new PatternError(`nested deeper than ${PATTERN_LIMITS.depth}`);
    const items = [this.#parseSequence()];
    while (this.#accept('|')) items.push(this.#parseSequence());
    this.#depth -= 1;
    return items.length === 1 ? (items[0] as PatternNode) : { type: 'choice', items };
  }

  #parseSequence(): PatternNode {
    const items: PatternNode[] = [];
    while (this.#at < this.#source.length && !this.#isAhead('|') && !this.#isAhead(')')) {
      const atoms = this.#parseAtom();
      const last = atoms.pop();
      items.push(...atoms);
      if (last !== undefined) items.push(this.#parseRepeats(last));
    }
    return { type: 'sequence', items };
  }

  /** Mostly one node; none for flags, several for a quoted text. What repeats, repeats the last. */
  #parseAtom(): PatternNode[] {
    if (this.#isAhead('(')) return this.#parseGroup();
    if (this.#isAhead('[')) return [{ type: 'character', set: this.#parseClass() }];
    if (this.#isAhead('\\')) return this.#parseEscape();
    if (this.#readRepeat() !== undefined) throw new PatternError('there is nothing to repeat');
    return [this.#parsePlain(this.#next())];
  }

  #parsePlain(character: string): PatternNode {
    if (character === '.') return { type: 'character', set: this.#flags.dotAll ? ANY : NO_LINE_END };
    if (character === '^') return { type: 'assertion', assertion: this.#flags.multiline ? 'line start' : 'text start' };
    if (character === '$') return { type: 'assertion', assertion: this.#flags.multiline ? 'line end' : 'text end' };
    return this.#character(literal(character));
  }

  #character(set: CharacterSet): PatternNode {
    return { type: 'character', set: this.#flags.ignoreCase ? ignoringCase(set) : set };
  }

  #parseRepeats(node: PatternNode): PatternNode {
    const counts = this.#readRepeat();
    if (counts === undefined) return node;
    if (this.#readRepeat() !== undefined) throw new PatternError('a repetition is repeated, use a group');
    return { type: 'repeat', item: node, ...counts };
  }

  #readRepeat(): { least: number; most: number } | undefined {
    const found = this.#match(REPEAT);
    if (found === undefined) return undefined;
    const [, sign, first, comma, second] = found;
    if (sign === '*') return { least: 0, most: Number.POSITIVE_INFINITY };
    if (sign === '+') return { least: 1, most: Number.POSITIVE_INFINITY };
    if (sign === '?') return { least: 0, most: 1 };
    const least = Number(first);
    const most = comma === undefined ? least : second === '' ? Number.POSITIVE_INFINITY : Number(second);
    const isTooFar = Math.max(least, Number(second ?? 0)) > PATTERN_LIMITS.repeat;
    if (isTooFar || most < least) throw new PatternError(`${sign} must count up, to at most ${PATTERN_LIMITS.repeat}`);
    return { least, most };
  }

  #parseGroup(): PatternNode[] {
    const outer = this.#flags;
    const found = this.#match(GROUP);
    if (found === undefined) {
      if (this.#source.startsWith('(?', this.#at)) throw new PatternError('(? begins a group that RE2 does not have');
      this.#at += 1;
    } else {
      this.#setFlags(found[1] ?? '', true);
      this.#setFlags(found[2] ?? '', false);
      // `(?i)` holds for the rest of the group around it.
      if (found[3] === ')') return [];
    }
    const inner = this.#parseChoice();
    if (!this.#accept(')')) throw new PatternError('a ( is not closed');
    this.#flags = outer;
    return [inner];
  }

  #setFlags(letters: string, value: boolean): void {
    for (const letter of letters) {
      const flag = FLAG_NAMES.get(letter);
      if (flag !== undefined) this.#flags = { ...this.#flags, [flag]: value };
    }
  }

  /** Outside a class, where a backslash may also stand for a place or quote. */
  #parseEscape(): PatternNode[] {
    this.#at += 1;
    if (this.#accept('A')) return [{ type: 'assertion', assertion: 'text start' }];
    if (this.#accept('z')) return [{ type: 'assertion', assertion: 'text end' }];
    if (this.#accept('b')) return [{ type: 'assertion', assertion: 'word boundary' }];
    if (this.#accept('B')) return [{ type: 'assertion', assertion: 'no word boundary' }];
    if (this.#accept('Q')) return this.#parseQuoted();
    return [this.#character(this.#parseEscapedCharacter())];
  }

  #parseQuoted(): PatternNode[] {
    const end = this.#source.indexOf('\\E', this.#at);
    const text = this.#source.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#source.length : end + 2;
    return Array.from(text, (character) => this.#character(literal(character)));
  }

  /** What follows a backslash: a set, or one character. */
  #parseEscapedCharacter(): CharacterSet {
    const set = this.#readEscapedSet();
    return set ?? range(...this.#escapedPoint());
  }

  #readEscapedSet(): CharacterSet | undefined {
    const letter = this.#source.charAt(this.#at);
    const perl = PERL_SETS.get(letter.toLowerCase());
    if (perl !== undefined) {
      this.#at += 1;
      return letter === letter.toLowerCase() ? perl : not(perl);
    }
    const found = this.#match(PROPERTY);
    if (found === undefined) return undefined;
    const set = unicodeSet(found[3] ?? found[4] ?? '');
    return (found[1] === 'P') !== (found[2] === '^') ? not(set) : set;
  }

  #escapedPoint(): [number, number] {
    const found = this.#match(CODE_POINT);
    const digits = found?.[1] ?? found?.[2];
    if (digits !== undefined) return pointAsRange(Number.parseInt(digits, 16));
    if (found?.[3] !== undefined) return pointAsRange(Number.parseInt(found[3], 8));
    const character = this.#next('a \\ stands at the end');
    const known = ESCAPES.get(character);
    if (known !== undefined) return pointAsRange(known);
    if (/[0-9]/.test(character)) throw new PatternError(`\\${character} refers back, which RE2 does not have`);
    if (/[A-Za-z]/.test(character)) throw new PatternError(`\\${character} is not an escape`);
    return pointAsRange(character.codePointAt(0) as number);
  }

  #parseClass(): CharacterSet {
    this.#at += 1;
    const isNegated = this.#accept('^');
    const items: CharacterSet[] = [];
    // A ] that comes first is one of the characters.
    do items.push(this.#parseClassItem());
    while (!this.#accept(']'));
    const set = this.#flags.ignoreCase ? ignoringCase(anyOf(items)) : anyOf(items);
    return isNegated ? not(set) : set;
  }

  #parseClassItem(): CharacterSet {
    const posix = this.#match(POSIX);
    if (posix !== undefined) return posix[1] === '^' ? not(posixSet(posix[2] as string)) : posixSet(posix[2] as string);
    const isEscaped = this.#accept('\\');
    const set = isEscaped ? this.#readEscapedSet() : undefined;
    if (set !== undefined) return set;
    const [first] = isEscaped ? this.#escapedPoint() : this.#classPoint();
    if (!this.#isAhead('-') || this.#source.charAt(this.#at + 1) === ']') return range(first, first);
    this.#at += 1;
    const [last] = this.#accept('\\') ? this.#escapedPoint() : this.#classPoint();
    if (last < first) throw new PatternError('a range of characters counts down');
    return range(first, last);
  }

  #classPoint(): [number, number] {
    return pointAsRange(this.#next('a [ is not closed').codePointAt(0) as number);
  }

  #isAhead(character: string): boolean {
    return this.#source.charAt(this.#at) === character;
  }

  #accept(character: string): boolean {
    const isHere = this.#isAhead(character);
    if (isHere) this.#at += 1;
    return isHere;
  }

  #next(whenOver = 'the pattern ends too early'): string {
    const point = this.#source.codePointAt(this.#at);
    if (point === undefined) throw new PatternError(whenOver);
    const character = String.fromCodePoint(point);
    this.#at += character.length;
    return character;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at = expression.lastIndex;
    return found;
  }
}

function literal(character: string): CharacterSet {
  return range(...pointAsRange(character.codePointAt(0) as number));
}

function pointAsRange(point: number): [number, number] {
  if (point > 0x10ffff) throw new PatternError('a character is beyond U+10FFFF');
  return [point, point];
}
