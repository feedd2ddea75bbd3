/**
 * Tree to value. Works on plain data only: properties are own properties, nothing is ever called but the language's own
 * functions, and the work is bounded.
 */

import { compilePattern, matchesPattern, type Pattern } from '../pattern/pattern.ts';
import { PatternError } from '../pattern/syntax.ts';
import { Budget, type Place } from './budget.ts';
import { EvaluationError } from './errors.ts';
import { callFunction, typeName } from './functions.ts';
import { iterate } from './iterations.ts';
import { isInRange, item, property, slice } from './lists.ts';
import { applyBinary } from './operators.ts';
import type { Expression, Value } from './syntax.ts';

/** Following a pattern for so many steps costs as much as visiting one node. */
const PATTERN_STEPS_PER_STEP = 32;

/**
 * The value of an expression for these variables.
 * @throws EvaluationError when types do not fit, a part is missing or the work exceeds the limits.
 */
export function evaluate(expression: Expression, variables: Readonly<Record<string, Value>>): Value {
  return new Evaluation(variables).value(expression);
}

type Node<Type extends Expression['type']> = Extract<Expression, { type: Type }>;

class Evaluation {
  readonly #variables: Readonly<Record<string, Value>>;
  readonly #budget = new Budget();
  readonly #patterns = new Map<string, Pattern>();
  /** What `#` stands for, the innermost last. */
  readonly #elements: Value[] = [];

  constructor(variables: Readonly<Record<string, Value>>) {
    this.#variables = variables;
  }

  value(node: Expression): Value {
    this.#budget.spend(1, node.column);
    switch (node.type) {
      case 'literal':
        return node.value;
      case 'list':
        return node.items.map((each) => this.value(each));
      case 'name':
        return this.#variable(node.name, node.column);
      case 'element':
        return this.#elements.at(-1) ?? null;
      case 'unary':
        return this.#unary(node);
      case 'binary':
        return this.#binary(node);
      case 'conditional':
        return this.value(this.#boolean(node.test, '?') ? node.then : node.otherwise);
      case 'member':
        return this.#member(node);
      case 'index':
        return item(this.value(node.target), this.value(node.index), node.column);
      case 'slice':
        return slice(this.value(node.target), this.#optional(node.from), this.#optional(node.to), this.#placeOf(node));
      case 'call':
        return this.#call(node);
      case 'iteration':
        return this.#iteration(node);
    }
  }

  #placeOf({ column }: Expression): Place {
    return { column, budget: this.#budget };
  }

  #optional(node: Expression | undefined): Value {
    return node === undefined ? null : this.value(node);
  }

  #variable(name: string, column: number): Value {
    const value = Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined;
    if (value === undefined) throw new EvaluationError(`${name} is not defined`, column);
    return value;
  }

  #unary(node: Node<'unary'>): Value {
    if (node.operator === '!') return !this.#boolean(node.operand, 'not');
    const operand = this.value(node.operand);
    if (typeof operand !== 'number') {
      throw new EvaluationError(`${node.operator} needs a number, not ${typeName(operand)}`, node.column);
    }
    return node.operator === '-' ? -operand : operand;
  }

  #binary(node: Node<'binary'>): Value {
    const { operator, left, right } = node;
    if (operator === 'and') return this.#boolean(left, 'and') && this.#boolean(right, 'and');
    if (operator === 'or') return this.#boolean(left, 'or') || this.#boolean(right, 'or');
    if (operator === '??') return this.value(left) ?? this.value(right);
    if (operator === 'matches') return this.#matches(node);
    if (operator === 'in' && right.type === 'binary' && right.operator === '..') {
      return isInRange(this.value(left), this.value(right.left), this.value(right.right), right.column);
    }
    return applyBinary(operator, this.value(left), this.value(right), this.#placeOf(node));
  }

  #matches({ left, right, column }: Node<'binary'>): boolean {
    const [text, source] = [this.value(left), this.value(right)];
    if (typeof text !== 'string' || typeof source !== 'string') {
      throw new EvaluationError(`matches needs two strings, not ${typeName(text)} and ${typeName(source)}`, column);
    }
    const pattern = this.#patterns.get(source) ?? this.#readPattern(source, right.column);
    return matchesPattern(pattern, text, (steps) => this.#budget.spend(steps / PATTERN_STEPS_PER_STEP, column));
  }

  /** Reading a pattern may take as long as looking through a page of text, and longer where it has many parts. */
  #readPattern(source: string, column: number): Pattern {
    this.#budget.spend(100 + source.length, column);
    try {
      const pattern = compilePattern(source);
      this.#budget.spend(pattern.parts, column);
      this.#patterns.set(source, pattern);
      return pattern;
    } catch (error) {
      // It was computed, or its faults had been found before: what is wrong with it would tell of what was measured.
      if (error instanceof PatternError) throw new EvaluationError('the computed pattern is not understood', column);
      throw error;
    }
  }

  #boolean(node: Expression, operator: string): boolean {
    const value = this.value(node);
    if (typeof value === 'boolean') return value;
    throw new EvaluationError(`${operator} needs true or false, not ${typeName(value)}`, node.column);
  }

  #member({ target, key, isOptional, column }: Node<'member'>): Value {
    const value = this.value(target);
    return isOptional && value === null ? null : property(value, key, column);
  }

  #call(node: Node<'call'>): Value {
    const given = node.arguments.map((each) => this.value(each));
    const [first] = given;
    if (typeof first === 'string') this.#budget.spendOnText(first.length, node.column);
    const outcome = callFunction(node.name, given);
    if ('problem' in outcome) throw new EvaluationError(outcome.problem, node.column);
    return outcome.value;
  }

  #iteration(node: Node<'iteration'>): Value {
    const list = this.value(node.list);
    if (!Array.isArray(list)) {
      throw new EvaluationError(`${node.name} needs a list, not ${typeName(list)}`, node.column);
    }
    const { predicate } = node;
    const holds = (element: Value) => this.#within(element, () => this.#boolean(predicate, node.name));
    const compute = (element: Value) => this.#within(element, () => this.value(predicate));
    return iterate(node.name, list, holds, compute);
  }

  #within<Result>(element: Value, evaluateThere: () => Result): Result {
    this.#elements.push(element);
    const result = evaluateThere();
    this.#elements.pop();
    return result;
  }
}
