/**
 * What a pattern of `matches` is made of: the syntax of RE2, which Go's regular expressions have and existing conditions are
 * written in. Data only.
 *
 * Not JavaScript's own engine: it backtracks, so that `(a+)+$` on forty characters stops the process that measures.
 */

/** Characters of which any one will do. */
export interface CharacterSet {
  has: (codePoint: number) => boolean;
  /** How many comparisons `has` may take: each is counted as a step, and as a part of the pattern. */
  cost: number;
}

export type Assertion = 'text start' | 'text end' | 'line start' | 'line end' | 'word boundary' | 'no word boundary';

/** One node of the tree. Groups leave no trace: a condition asks whether, never where. */
export type PatternNode =
  | { type: 'character'; set: CharacterSet }
  | { type: 'assertion'; assertion: Assertion }
  | { type: 'sequence'; items: PatternNode[] }
  | { type: 'choice'; items: PatternNode[] }
  | { type: 'repeat'; item: PatternNode; least: number; most: number };

/**
 * Hard bounds; each has an error that names it. `length` is that of an expression, for a pattern may be computed; `repeat` is RE2's
 * own; `parts` are counted with their repetitions, of a class each item.
 */
export const PATTERN_LIMITS = { length: 4096, depth: 64, repeat: 1000, parts: 5000 } as const;

/** The pattern is not of the language, or larger than it allows. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}
