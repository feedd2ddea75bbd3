/** No chance: a story reads the same each time. */
import { Random } from '../../core/model/random.ts';

/** Deals nodes and containers in turn. */
export class InTurn extends Random {
  #turns = 0;

  override next(): number {
    this.#turns += 1;
    return (this.#turns % 2) * 0.5;
  }
}
