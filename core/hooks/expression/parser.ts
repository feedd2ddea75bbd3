/**
 * Text to tree: a Pratt parser. Decides what is an expression and refuses names nobody defined; computes nothing.
 */

import { ExpressionSyntaxError } from './errors.ts';
import { FUNCTION_ARITIES } from './functions.ts';
import {
  BINDING_POWERS,
  type BinaryOperator,
  CONDITIONAL_POWER,
  type Expression,
  LIMITS,
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
    if (token.type === 'operator') {
      if (token.value === '(') return this.#parseGroup();
      if (token.value === '[') {
        return this.#node({ type: 'list', items: this.#parseItems(']'), column });
      }
      if (token.value === 'not') {
        return this.#node({ type: 'unary', operator: '!', operand: this.#parse(NOT_POWER), column });
      }
      if (token.value === '!' || token.value === '-' || token.value === '+') {
        return this.#node({ type: 'unary', operator: token.value, operand: this.#parse(SIGN_POWER), column });
      }
    }
    this.#at -= 1;
    throw this.#unexpected();
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
    const arity = FUNCTION_ARITIES.get(name);
    if (arity === undefined) {
      const known = [...FUNCTION_ARITIES.keys()].join(', ');
      throw new ExpressionSyntaxError(`there is no function ${name}, only ${known}`, column);
    }
    const given = this.#parseItems(')');
    if (given.length !== arity) {
      throw new ExpressionSyntaxError(`${name} takes ${arity} argument, not ${given.length}`, column);
    }
    return this.#node({ type: 'call', name, arguments: given, column });
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
    if (token.value === '.' || token.value === '[') return this.#parseAccess(left);
    if (token.value === '?') return power < CONDITIONAL_POWER ? this.#parseConditional(left) : undefined;
    const operator = this.#operatorAhead(token.value);
    const binding = BINDING_POWERS.get(operator);
    if (binding === undefined || binding <= power) return undefined;
    this.#at += operator === 'not in' ? 2 : 1;
    const right = this.#parse(operator === '**' ? binding - 1 : binding);
    return this.#node({ type: 'binary', operator: operator as BinaryOperator, left, right, column: token.column });
  }

  #operatorAhead(value: string): string {
    const following = this.#tokens[this.#at + 1];
    return value === 'not' && following?.type === 'operator' && following.value === 'in' ? 'not in' : value;
  }

  #parseAccess(target: Expression): Expression {
    const { column } = this.#peek();
    if (this.#accept('[')) {
      const index = this.#parse(0);
      this.#expect(']');
      return this.#node({ type: 'index', target, index, column });
    }
    this.#expect('.');
    const key = this.#next();
    if (key.type !== 'name') throw new ExpressionSyntaxError('a name must follow the dot', key.column);
    return this.#node({ type: 'member', target, key: key.value, column });
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

  #accept(operator: string): boolean {
    const token = this.#peek();
    const isHere = token.type === 'operator' && token.value === operator;
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

function describe(token: Token): string {
  return token.type === 'string' ? 'a string' : String(token.value);
}
