/**
 * Does a text match a pattern? In time that grows with the text times the parts of the pattern and no faster: all ways to match are
 * followed side by side, none is tried again (Thompson's construction). Each comparison is a step, and steps are counted.
 */

import { WORD } from './characters.ts';
import { parsePattern } from './parser.ts';
import { type Assertion, type CharacterSet, PATTERN_LIMITS, PatternError, type PatternNode } from './syntax.ts';

type Instruction =
  | { type: 'character'; set: CharacterSet; next: number }
  | { type: 'assertion'; assertion: Assertion; next: number }
  | { type: 'split'; ways: readonly number[] }
  | { type: 'end' };

/** A pattern that has been read. */
export interface Pattern {
  readonly program: readonly Instruction[];
  readonly start: number;
  /** How much work it was to read, as PATTERN_LIMITS counts. */
  readonly parts: number;
}

/** @throws PatternError for what is no pattern, or too large a one; never another error. */
export function compilePattern(source: string): Pattern {
  if (source.length > PATTERN_LIMITS.length) {
    throw new PatternError(`the pattern is longer than ${PATTERN_LIMITS.length} characters`);
  }
  const compiler = new Compiler();
  const end = compiler.add({ type: 'end' });
  const start = compiler.compile(parsePattern(source), end);
  return { program: compiler.program, start, parts: compiler.parts };
}

/** Steps after which the caller is told what they cost. */
const STEPS_PER_TELL = 1024;

/**
 * True where any part of `text` matches, as Go's `MatchString` has it. `spend` is told of all steps, about each 1024 of them, and
 * may throw to end the search.
 */
export function matchesPattern(pattern: Pattern, text: string, spend: (steps: number) => void): boolean {
  const search = new Search(pattern, text);
  for (;;) {
    const found = search.advance(STEPS_PER_TELL);
    spend(search.settle());
    if (found !== undefined) return found;
  }
}

/** Builds a program from its end to its start, so that every instruction knows what comes after it. */
class Compiler {
  readonly program: Instruction[] = [];
  /** Also what compiles to nothing takes time: `(((){1000}){1000}){1000}`. */
  #compiled = 0;

  add(instruction: Instruction): number {
    return this.program.push(instruction) - 1;
  }

  get parts(): number {
    return Math.max(this.#compiled, this.program.length);
  }

  /** Where `node` begins, if `next` is to follow it. */
  compile(node: PatternNode, next: number): number {
    this.#compiled += node.type === 'character' ? node.set.cost : 1;
    if (this.parts > PATTERN_LIMITS.parts) {
      throw new PatternError(`the pattern has more than ${PATTERN_LIMITS.parts} parts`);
    }
    switch (node.type) {
      case 'character':
      case 'assertion':
        return this.add({ ...node, next });
      case 'sequence':
        return node.items.reduceRight((after, item) => this.compile(item, after), next);
      case 'choice':
        return this.add({ type: 'split', ways: node.items.map((item) => this.compile(item, next)) });
      case 'repeat':
        return this.#compileRepeat(node, next);
    }
  }

  #compileRepeat({ item, least, most }: PatternNode & { type: 'repeat' }, next: number): number {
    let start = Number.isFinite(most) ? next : this.#compileLoop(item, next);
    if (Number.isFinite(most)) {
      for (let more = least; more < most; more += 1) {
        start = this.add({ type: 'split', ways: [this.compile(item, start), next] });
      }
    }
    for (let time = 0; time < least; time += 1) start = this.compile(item, start);
    return start;
  }

  #compileLoop(item: PatternNode, next: number): number {
    const ways: number[] = [next];
    const loop = this.add({ type: 'split', ways });
    ways.push(this.compile(item, loop));
    return loop;
  }
}

/** One search through a text: every instruction that is waited at, for one character after the other. */
class Search {
  readonly #program: readonly Instruction[];
  readonly #start: number;
  readonly #text: string;
  /** At which position each instruction was last reached. */
  readonly #reachedAt: Int32Array;
  #waiting: number[] = [];
  #at = 0;
  #hasMatched = false;
  /** That were taken and not told yet. */
  #steps = 0;

  constructor({ program, start }: Pattern, text: string) {
    this.#program = program;
    this.#start = start;
    this.#text = text;
    this.#reachedAt = new Int32Array(program.length).fill(-1);
  }

  /** The answer, or undefined when it takes more steps than these: a character is read as a whole, so it may take some more. */
  advance(steps: number): boolean | undefined {
    while (this.#steps < steps) {
      this.#reach(this.#start);
      if (this.#hasMatched) return true;
      const point = this.#text.codePointAt(this.#at);
      if (point === undefined) return false;
      this.#read(point);
      if (this.#hasMatched) return true;
    }
    return undefined;
  }

  /** How many steps were taken since it was last asked. */
  settle(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }

  #read(point: number): void {
    const before = this.#waiting;
    this.#waiting = [];
    this.#at += point > 0xffff ? 2 : 1;
    this.#steps += 1;
    for (const index of before) {
      const instruction = this.#program[index];
      if (instruction?.type !== 'character') continue;
      this.#steps += instruction.set.cost;
      if (instruction.set.has(point)) this.#reach(instruction.next);
    }
  }

  /** Goes from here to every character that is waited for, without reading one. */
  #reach(from: number): void {
    const open = [from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (this.#reachedAt[index] === this.#at) continue;
      this.#reachedAt[index] = this.#at;
      this.#steps += 1;
      const instruction = this.#program[index] as Instruction;
      if (instruction.type === 'end') this.#hasMatched = true;
      else if (instruction.type === 'character') this.#waiting.push(index);
      else if (instruction.type === 'split') open.push(...instruction.ways);
      else if (this.#holds(instruction.assertion)) open.push(instruction.next);
    }
  }

  #holds(assertion: Assertion): boolean {
    const before = this.#text.codePointAt(this.#at - 1);
    const after = this.#text.codePointAt(this.#at);
    switch (assertion) {
      case 'text start':
        return this.#at === 0;
      case 'text end':
        return after === undefined;
      case 'line start':
        return this.#at === 0 || before === 10;
      case 'line end':
        return after === undefined || after === 10;
      case 'word boundary':
        return isWordPoint(before) !== isWordPoint(after);
      case 'no word boundary':
        return isWordPoint(before) === isWordPoint(after);
    }
  }
}

const isWordPoint = (point: number | undefined): boolean => point !== undefined && WORD.has(point);
