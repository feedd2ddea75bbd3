/**
 * The only errors the expression language throws. Each points at a column so that a person can find the fault in the
 * line they wrote.
 */

/**
 * Base of both: `column` counts from 1 in the source text. The sentence tells types and sizes, never a value that was measured, nor
 * any part of one: it goes into histories and events.
 */
export class ExpressionError extends Error {
  override readonly name: string = 'ExpressionError';
  readonly column: number;

  constructor(sentence: string, column: number) {
    super(`${sentence} (column ${column})`);
    this.column = column;
  }
}

/** The text is not an expression of the language, or is larger than the language allows. */
export class ExpressionSyntaxError extends ExpressionError {
  override readonly name = 'ExpressionSyntaxError';
}

/** The text is an expression, but it has no value for these inputs: types do not fit, something is missing, too much work. */
export class EvaluationError extends ExpressionError {
  override readonly name = 'EvaluationError';
}
