/**
 * What the expression language is made of: its tree, its limits and its operators. Data only. docs/hooks.md is its grammar for
 * people.
 */

/** Plain data: what a provider measured and what an expression computes. `null` is written `nil`. */
export type Value = number | string | boolean | null | Value[] | { [key: string]: Value };

/**
 * Hard bounds; each has an error that names it. `steps` bounds the work of one evaluation, lists and texts that are made on the
 * way included; `listLength` the list that a range makes, `textLength` the string that `+` makes.
 */
export const LIMITS = {
  sourceLength: 4096,
  depth: 64,
  nodes: 1000,
  steps: 100_000,
  listLength: 10_000,
  textLength: 2_097_152,
} as const;

type UnaryOperator = '!' | '-' | '+';

export type BinaryOperator =
  | 'and'
  | 'or'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | 'matches'
  | '..'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '**'
  | '??';

/** What a function does with a list and a predicate. */
export type Iteration = 'all' | 'any' | 'one' | 'none' | 'filter' | 'map' | 'count';

export const ITERATIONS: ReadonlySet<string> = new Set<Iteration>([
  'all',
  'any',
  'one',
  'none',
  'filter',
  'map',
  'count',
]);

/** One node of the tree. `column` is where the part that can fail begins: for an operator, the operator itself. */
export type Expression =
  | { type: 'literal'; value: number | string | boolean | null; column: number }
  | { type: 'list'; items: Expression[]; column: number }
  | { type: 'name'; name: string; column: number }
  /** `#`: the item that the innermost predicate judges. */
  | { type: 'element'; column: number }
  | { type: 'unary'; operator: UnaryOperator; operand: Expression; column: number }
  | { type: 'binary'; operator: BinaryOperator; left: Expression; right: Expression; column: number }
  | { type: 'conditional'; test: Expression; then: Expression; otherwise: Expression; column: number }
  /** `isOptional`: `?.`, which finds nil in nil. */
  | { type: 'member'; target: Expression; key: string; isOptional: boolean; column: number }
  | { type: 'index'; target: Expression; index: Expression; column: number }
  | { type: 'slice'; target: Expression; from?: Expression; to?: Expression; column: number }
  | { type: 'call'; name: string; arguments: Expression[]; column: number }
  | { type: 'iteration'; name: Iteration; list: Expression; predicate: Expression; column: number };

/** How tightly each binary operator binds; a higher number binds tighter. */
export const BINDING_POWERS: ReadonlyMap<string, number> = new Map<BinaryOperator, number>([
  ['or', 10],
  ['and', 15],
  ['==', 20],
  ['!=', 20],
  ['<', 20],
  ['<=', 20],
  ['>', 20],
  ['>=', 20],
  ['in', 20],
  ['contains', 20],
  ['startsWith', 20],
  ['endsWith', 20],
  ['matches', 20],
  ['..', 25],
  ['+', 30],
  ['-', 30],
  ['*', 60],
  ['/', 60],
  ['%', 60],
  ['**', 70],
  ['??', 110],
]);

/** Operators that may be turned round by a `not` before them: `x not in list`. */
export const NEGATABLE: ReadonlySet<string> = new Set(['in', 'contains', 'startsWith', 'endsWith', 'matches']);

/** The conditional `a ? b : c` binds loosest of all. */
export const CONDITIONAL_POWER = 5;

/**
 * The word `not` takes a whole comparison (`not result == "x"`); the sign `!` takes one operand, as in C. For booleans
 * both readings of `not a == b` agree, so conditions that the existing operators accept keep their meaning.
 */
export const NOT_POWER = 17;

/** Signs bind tighter than every operator but `??`, also than `**`: `-2 ** 2` is 4, as the existing operators have it. */
export const SIGN_POWER = 100;
