/**
 * What a pattern of `matches` is made of: the syntax of RE2, which Go's regular expressions have and existing conditions are
 * written in. Data only.
 *
 * Not JavaScript's own engine: it backtracks, so that `(a+)+$` on forty characters stops the process that measures.
 */

/** Is this code point one of the set? */
export type CharacterTest = (codePoint: number) => boolean;

export type Assertion = 'text start' | 'text end' | 'line start' | 'line end' | 'word boundary' | 'no word boundary';

/** One node of the tree. Groups leave no trace: a condition asks whether, never where. */
export type PatternNode =
  | { type: 'character'; test: CharacterTest }
  | { type: 'assertion'; assertion: Assertion }
  | { type: 'sequence'; items: PatternNode[] }
  | { type: 'choice'; items: PatternNode[] }
  | { type: 'repeat'; item: PatternNode; least: number; most: number };

/** Hard bounds; each has an error that names it. `repeat` is RE2's own; `parts` are counted with their repetitions. */
export const PATTERN_LIMITS = { depth: 64, repeat: 1000, parts: 5000 } as const;

/** The pattern is not of the language, or larger than it allows. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}
