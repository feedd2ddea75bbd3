/** How much work one evaluation may take. Everything that takes time in proportion to its data asks here first. */

import { EvaluationError } from './errors.ts';
import { LIMITS } from './syntax.ts';

/** Reading so many characters costs as much as visiting one node. */
const CHARACTERS_PER_STEP = 64;

/** Where an operator stands, and what its work is taken from. */
export interface Place {
  column: number;
  budget: Budget;
}

export class Budget {
  #left: number = LIMITS.steps;

  /** @throws EvaluationError at `column` when more is asked for than is left. */
  spend(steps: number, column: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new EvaluationError('the expression takes too many steps', column);
  }

  /** @throws EvaluationError as above. */
  spendOnText(characters: number, column: number): void {
    this.spend(Math.ceil(characters / CHARACTERS_PER_STEP), column);
  }
}
