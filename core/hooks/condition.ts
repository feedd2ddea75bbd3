/**
 * What one measured value means: the truth table of successCondition and failureCondition (game-workloads §3.3). Pure.
 */

import type { Metric } from '../../crds/metric.ts';
import { ExpressionError } from './expression/errors.ts';
import { evaluate } from './expression/evaluator.ts';
import { typeName } from './expression/functions.ts';
import { parseExpression } from './expression/parser.ts';
import type { Value } from './expression/syntax.ts';

/** The variables a condition may use. */
export const CONDITION_VARIABLES: readonly string[] = ['result'];

export interface Assessment {
  phase: 'Successful' | 'Failed' | 'Inconclusive' | 'Error';
  /** Why it is no success: one clause, without the value. */
  message?: string;
}

type Conditions = Pick<Metric, 'successCondition' | 'failureCondition'>;

/**
 * | given        | true                          | false                     |
 * |--------------|-------------------------------|---------------------------|
 * | none         | Successful                    |                           |
 * | success only | Successful                    | Failed                    |
 * | failure only | Failed                        | Successful                |
 * | both         | failure → Failed, else success → Successful | neither → Inconclusive |
 *
 * A condition that has no truth value (types do not fit, something is missing) is an Error, never a success.
 */
export function assess({ successCondition, failureCondition }: Conditions, result: Value): Assessment {
  const failed = failureCondition ? holds(failureCondition, result) : undefined;
  if (typeof failed === 'string') return { phase: 'Error', message: `failureCondition: ${failed}` };
  const succeeded = successCondition ? holds(successCondition, result) : undefined;
  if (typeof succeeded === 'string') return { phase: 'Error', message: `successCondition: ${succeeded}` };
  if (failed === true) return { phase: 'Failed', message: 'failureCondition holds' };
  if (succeeded !== false) return { phase: 'Successful' };
  if (failed === undefined) return { phase: 'Failed', message: 'successCondition does not hold' };
  return { phase: 'Inconclusive', message: 'neither successCondition nor failureCondition holds' };
}

/** True, false, or the sentence that says why it is neither. */
function holds(source: string, result: Value): boolean | string {
  try {
    const value = evaluate(parseExpression(source, CONDITION_VARIABLES), { result });
    return typeof value === 'boolean' ? value : `the value is ${typeName(value)}, neither true nor false`;
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}
