/**
 * What the expression language is made of: its tree, its limits and its operators. Data only.
 *
 * An operator that is added (issue "Hooks, whole": `matches`, ranges, `??`) is added here first.
 */

/** Plain data: what a provider measured and what an expression computes. `null` is written `nil`. */
export type Value = number | string | boolean | null | Value[] | { [key: string]: Value };

/** Hard bounds; each has an error that names it. `textLength` bounds a string made by `+`. */
export const LIMITS = { sourceLength: 4096, depth: 64, nodes: 1000, steps: 10_000, textLength: 2_097_152 } as const;

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
  | 'not in'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '**';

/** One node of the tree. `column` is where the part that can fail begins: for an operator, the operator itself. */
export type Expression =
  | { type: 'literal'; value: number | string | boolean | null; column: number }
  | { type: 'list'; items: Expression[]; column: number }
  | { type: 'name'; name: string; column: number }
  | { type: 'unary'; operator: UnaryOperator; operand: Expression; column: number }
  | { type: 'binary'; operator: BinaryOperator; left: Expression; right: Expression; column: number }
  | { type: 'conditional'; test: Expression; then: Expression; otherwise: Expression; column: number }
  | { type: 'member'; target: Expression; key: string; column: number }
  | { type: 'index'; target: Expression; index: Expression; column: number }
  | { type: 'call'; name: string; arguments: Expression[]; column: number };

/** How tightly each binary operator binds; a higher number binds tighter. */
export const BINDING_POWERS: ReadonlyMap<string, number> = new Map([
  ['or', 10],
  ['and', 15],
  ['==', 20],
  ['!=', 20],
  ['<', 20],
  ['<=', 20],
  ['>', 20],
  ['>=', 20],
  ['in', 20],
  ['not in', 20],
  ['contains', 20],
  ['startsWith', 20],
  ['endsWith', 20],
  ['+', 30],
  ['-', 30],
  ['*', 60],
  ['/', 60],
  ['%', 60],
  ['**', 70],
]);

/** The conditional `a ? b : c` binds loosest of all. */
export const CONDITIONAL_POWER = 5;

/**
 * The word `not` takes a whole comparison (`not result == "x"`); the sign `!` takes one operand, as in C. For booleans
 * both readings of `not a == b` agree, so conditions that the existing operators accept keep their meaning.
 */
export const NOT_POWER = 17;

/** Signs bind tighter than every binary operator, also than `**`: `-2 ** 2` is 4, as the existing operators have it. */
export const SIGN_POWER = 100;
