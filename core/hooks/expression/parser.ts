/**
 * Text to tree: a Pratt parser. Decides what is an expression and refuses names nobody defined; computes nothing.
 */

import { compilePattern, type Pattern } from '../pattern/pattern.ts';
import { PATTERN_LIMITS, PatternError } from '../pattern/syntax.ts';
import { ExpressionSyntaxError } from './errors.ts';
import { FUNCTION_ARITIES } from './functions.ts';
import {
  BINDING_POWERS,
  type BinaryOperator,
  CONDITIONAL_POWER,
  type Expression,
  ITERATIONS,
  type Iteration,
  LIMITS,
  NEGATABLE,
  NOT_POWER,
  SIGN_POWER,
} from './syntax.ts';
import { type Token, tokenize } from './tokens.ts';

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['nil', null],
]);

/**
 * The tree of `source`, in which only the given variables may appear.
 * @throws ExpressionSyntaxError for everything else; never another error.
 */
export function parseExpression(source: string, variables: readonly string[]): Expression {
  const parser = new Parser(tokenize(source), new Set(variables));
  return parser.parseWhole();
}

class Parser {
  readonly #tokens: Token[];
  readonly #variables: ReadonlySet<string>;
  #at = 0;
  #depth = 0;
  #nodes = 0;
  #patternParts = 0;
  /** How many predicates are around this place: `#` has a meaning only inside one. */
  #predicates = 0;

  constructor(tokens: Token[], variables: ReadonlySet<string>) {
    this.#tokens = tokens;
    this.#variables = variables;
  }

  parseWhole(): Expression {
    if (this.#peek().type === 'end') throw new ExpressionSyntaxError('the expression is empty', 1);
    const expression = this.#parse(0);
    if (this.#peek().type !== 'end') throw this.#unexpected();
    return expression;
  }

  /** An expression whose operators all bind tighter than `power`. */
  #parse(power: number): Expression {
    this.#depth += 1;
    if (this.#depth > LIMITS.depth) {
      throw new ExpressionSyntaxError(`the expression is nested deeper than ${LIMITS.depth}`, this.#peek().column);
    }
    let left = this.#parsePrefix();
    while (true) {
      const next = this.#parseInfix(left, power);
      if (next === undefined) break;
      left = next;
    }
    this.#depth -= 1;
    return left;
  }

  #parsePrefix(): Expression {
    const token = this.#next();
    const { column } = token;
    if (token.type === 'number' || token.type === 'string') {
      return this.#node({ type: 'literal', value: token.value, column });
    }
    if (token.type === 'name') return this.#parseName(token.value, column);
    const parsed = token.type === 'operator' ? this.#parsePrefixOperator(token.value, column) : undefined;
    if (parsed !== undefined) return parsed;
    this.#at -= 1;
    throw this.#unexpected();
  }

  #parsePrefixOperator(operator: string, column: number): Expression | undefined {
    switch (operator) {
      case '(':
        return this.#parseGroup();
      case '[':
        return this.#node({ type: 'list', items: this.#parseItems(']'), column });
      case 'not':
        return this.#node({ type: 'unary', operator: '!', operand: this.#parse(NOT_POWER), column });
      case '!':
      case '-':
      case '+':
        return this.#node({ type: 'unary', operator, operand: this.#parse(SIGN_POWER), column });
      case '#':
        return this.#element(column);
      case '.':
        this.#at -= 1;
        return this.#parseAccess(this.#element(column));
      default:
        return undefined;
    }
  }

  /** `#`, and what a dot without anything before it belongs to. */
  #element(column: number): Expression {
    if (this.#predicates === 0) {
      throw new ExpressionSyntaxError('an item is named outside the predicate of all, any, filter …', column);
    }
    return this.#node({ type: 'element', column });
  }

  #parseName(name: string, column: number): Expression {
    const constant = CONSTANTS.get(name);
    if (constant !== undefined) return this.#node({ type: 'literal', value: constant, column });
    if (this.#accept('(')) return this.#parseCall(name, column);
    if (!this.#variables.has(name)) {
      const known = [...this.#variables].join(', ');
      throw new ExpressionSyntaxError(`${name} is not defined, only ${known} is`, column);
    }
    return this.#node({ type: 'name', name, column });
  }

  #parseCall(name: string, column: number): Expression {
    if (ITERATIONS.has(name)) return this.#parseIteration(name as Iteration, column);
    const arity = FUNCTION_ARITIES.get(name);
    if (arity === undefined) {
      const known = [...FUNCTION_ARITIES.keys(), ...ITERATIONS].join(', ');
      throw new ExpressionSyntaxError(`there is no function ${name}, only ${known}`, column);
    }
    const given = this.#parseItems(')');
    if (given.length !== arity) {
      const wanted = arity === 1 ? '1 argument' : `${arity} arguments`;
      throw new ExpressionSyntaxError(`${name} takes ${wanted}, not ${given.length}`, column);
    }
    return this.#node({ type: 'call', name, arguments: given, column });
  }

  /** `all(list, {# > 1})`; the braces may be left out. */
  #parseIteration(name: Iteration, column: number): Expression {
    if (this.#accept(')')) throw new ExpressionSyntaxError(`${name} takes a list and a predicate`, column);
    const list = this.#parse(0);
    if (!this.#accept(',')) throw this.#unexpected(`${name} takes a list and a predicate, a comma is missing`);
    const isBraced = this.#accept('{');
    this.#predicates += 1;
    const predicate = this.#parse(0);
    this.#predicates -= 1;
    if (isBraced) this.#expect('}');
    this.#expect(')');
    return this.#node({ type: 'iteration', name, list, predicate, column });
  }

  #parseGroup(): Expression {
    const inner = this.#parse(0);
    this.#expect(')');
    return inner;
  }

  #parseItems(closing: string): Expression[] {
    const items: Expression[] = [];
    if (this.#accept(closing)) return items;
    do items.push(this.#parse(0));
    while (this.#accept(','));
    this.#expect(closing);
    return items;
  }

  /** `left` continued by what follows it, or undefined when that binds no tighter than `power`. */
  #parseInfix(left: Expression, power: number): Expression | undefined {
    const token = this.#peek();
    if (token.type !== 'operator') return undefined;
    if (token.value === '.' || token.value === '?.') return this.#parseAccess(left);
    if (token.value === '[') return this.#parseBrackets(left);
    if (token.value === '?') return power < CONDITIONAL_POWER ? this.#parseConditional(left) : undefined;
    const isNegated = this.#isNegationAhead();
    const operator = String(isNegated ? this.#tokens[this.#at + 1]?.value : token.value) as BinaryOperator;
    const binding = BINDING_POWERS.get(operator);
    if (binding === undefined || binding <= power) return undefined;
    this.#at += isNegated ? 2 : 1;
    const right = this.#parse(operator === '**' ? binding - 1 : binding);
    if (operator === 'matches') this.#checkPattern(right);
    const { column } = token;
    const node = this.#node({ type: 'binary', operator, left, right, column });
    return isNegated ? this.#node({ type: 'unary', operator: '!', operand: node, column }) : node;
  }

  /** All patterns together may have as many parts as one: each of them is read before each measurement. */
  #checkPattern(node: Expression): void {
    if (node.type !== 'literal' || typeof node.value !== 'string') return;
    this.#patternParts += readPattern(node.value, node.column).parts;
    if (this.#patternParts <= PATTERN_LIMITS.parts) return;
    throw new ExpressionSyntaxError(`the patterns have more than ${PATTERN_LIMITS.parts} parts together`, node.column);
  }

  #isNegationAhead(): boolean {
    const [token, following] = [this.#peek(), this.#tokens[this.#at + 1]];
    return token.value === 'not' && following?.type === 'operator' && NEGATABLE.has(following.value);
  }

  #parseAccess(target: Expression): Expression {
    const { column, value } = this.#next();
    const key = this.#next();
    // Words such as `in` are names behind a dot.
    const isName = key.type === 'name' || (key.type === 'operator' && key.isWord);
    if (!isName) throw new ExpressionSyntaxError('a name must follow the dot', key.column);
    return this.#node({ type: 'member', target, key: String(key.value), isOptional: value === '?.', column });
  }

  /** `[index]`, `[from:to]`, `[from:]`, `[:to]` or `[:]`. */
  #parseBrackets(target: Expression): Expression {
    const { column } = this.#next();
    const from = this.#isAhead(':') ? undefined : this.#parse(0);
    if (from !== undefined && this.#accept(']')) return this.#node({ type: 'index', target, index: from, column });
    if (!this.#accept(':')) throw this.#unexpected('] is missing');
    const to = this.#isAhead(']') ? undefined : this.#parse(0);
    this.#expect(']');
    return this.#node({ type: 'slice', target, from, to, column });
  }

  #parseConditional(test: Expression): Expression {
    const { column } = this.#next();
    const then = this.#parse(0);
    this.#expect(':');
    const otherwise = this.#parse(0);
    return this.#node({ type: 'conditional', test, then, otherwise, column });
  }

  #node(node: Expression): Expression {
    this.#nodes += 1;
    if (this.#nodes > LIMITS.nodes) {
      throw new ExpressionSyntaxError(`the expression has more than ${LIMITS.nodes} parts`, node.column);
    }
    return node;
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token;
  }

  /** The token at hand; the end is never passed. */
  #next(): Token {
    const token = this.#peek();
    if (token.type === 'end') throw this.#unexpected();
    this.#at += 1;
    return token;
  }

  #isAhead(operator: string): boolean {
    const token = this.#peek();
    return token.type === 'operator' && token.value === operator;
  }

  #accept(operator: string): boolean {
    const isHere = this.#isAhead(operator);
    if (isHere) this.#at += 1;
    return isHere;
  }

  #expect(operator: string): void {
    if (!this.#accept(operator)) throw this.#unexpected(`${operator} is missing`);
  }

  #unexpected(wanted?: string): ExpressionSyntaxError {
    const token = this.#peek();
    const found = token.type === 'end' ? 'the expression ends too early' : `${describe(token)} is not expected here`;
    return new ExpressionSyntaxError(wanted === undefined ? found : `${wanted}: ${found}`, token.column);
  }
}

/** A pattern that is written down is read at once, so that its faults are found before anything is measured. */
function readPattern(source: string, column: number): Pattern {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof PatternError) throw new ExpressionSyntaxError(`the pattern: ${error.message}`, column);
    throw error;
  }
}

function describe(token: Token): string {
  return token.type === 'string' ? 'a string' : String(token.value);
}
