/**
 * Tree to value. Works on plain data only: properties are own properties, nothing is ever called but the language's own
 * functions, and the work is bounded.
 */

import { EvaluationError } from './errors.ts';
import { callFunction, typeName } from './functions.ts';
import { applyBinary } from './operators.ts';
import { type Expression, LIMITS, type Value } from './syntax.ts';

/**
 * The value of an expression for these variables.
 * @throws EvaluationError when types do not fit, a part is missing or the work exceeds the limits.
 */
export function evaluate(expression: Expression, variables: Readonly<Record<string, Value>>): Value {
  return new Evaluation(variables).value(expression);
}

class Evaluation {
  readonly #variables: Readonly<Record<string, Value>>;
  #steps = 0;

  constructor(variables: Readonly<Record<string, Value>>) {
    this.#variables = variables;
  }

  value(node: Expression): Value {
    this.#steps += 1;
    if (this.#steps > LIMITS.steps) throw new EvaluationError('the expression takes too many steps', node.column);
    switch (node.type) {
      case 'literal':
        return node.value;
      case 'list':
        return node.items.map((item) => this.value(item));
      case 'name':
        return this.#variable(node.name, node.column);
      case 'unary':
        return this.#unary(node);
      case 'binary':
        return this.#binary(node);
      case 'conditional':
        return this.value(this.#boolean(node.test, '?') ? node.then : node.otherwise);
      case 'member':
        return property(this.value(node.target), node.key, node.column);
      case 'index':
        return item(this.value(node.target), this.value(node.index), node.column);
      case 'call':
        return this.#call(node);
    }
  }

  #variable(name: string, column: number): Value {
    const value = Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined;
    if (value === undefined) throw new EvaluationError(`${name} is not defined`, column);
    return value;
  }

  #unary(node: Expression & { type: 'unary' }): Value {
    if (node.operator === '!') return !this.#boolean(node.operand, 'not');
    const operand = this.value(node.operand);
    if (typeof operand !== 'number') {
      throw new EvaluationError(`${node.operator} needs a number, not ${typeName(operand)}`, node.column);
    }
    return node.operator === '-' ? -operand : operand;
  }

  #binary(node: Expression & { type: 'binary' }): Value {
    if (node.operator === 'and') return this.#boolean(node.left, 'and') && this.#boolean(node.right, 'and');
    if (node.operator === 'or') return this.#boolean(node.left, 'or') || this.#boolean(node.right, 'or');
    return applyBinary(node.operator, this.value(node.left), this.value(node.right), node.column);
  }

  #boolean(node: Expression, operator: string): boolean {
    const value = this.value(node);
    if (typeof value === 'boolean') return value;
    throw new EvaluationError(`${operator} needs true or false, not ${typeName(value)}`, node.column);
  }

  #call(node: Expression & { type: 'call' }): Value {
    const argument = node.arguments[0];
    if (argument === undefined) throw new EvaluationError(`${node.name} needs an argument`, node.column);
    const outcome = callFunction(node.name, this.value(argument));
    if ('problem' in outcome) throw new EvaluationError(outcome.problem, node.column);
    return outcome.value;
  }
}

/** An own property; a key that is not there is nil, as in the existing operators. */
function property(target: Value, key: string, column: number): Value {
  if (target === null || typeof target !== 'object' || Array.isArray(target)) {
    throw new EvaluationError(`${typeName(target)} has no member ${key}`, column);
  }
  return (Object.hasOwn(target, key) ? target[key] : undefined) ?? null;
}

/** `list[0]`, `list[-1]` (from the end), `object["key"]`. Outside a list is an error: no data is not a value. */
function item(target: Value, index: Value, column: number): Value {
  if (!Array.isArray(target)) {
    if (typeof index === 'string') return property(target, index, column);
    throw new EvaluationError(`${typeName(target)} cannot be indexed with ${typeName(index)}`, column);
  }
  if (typeof index !== 'number' || !Number.isInteger(index)) {
    throw new EvaluationError(`a list is indexed with a whole number, not ${typeName(index)}`, column);
  }
  const value = target[index < 0 ? target.length + index : index];
  if (value === undefined) {
    throw new EvaluationError(`there is no item ${index}: the list has ${target.length}`, column);
  }
  return value;
}
