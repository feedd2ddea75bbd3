/** How many available pods may be spent in one plan (protocol §1). */
import type { PodView } from './pod-view.ts';
import { isChanging, isSpendable } from './pod-view.ts';

/**
 * `free` counts slots for new choices, `reserved` those held by pods that are marked and wait for a gate. Both start from
 * what is available now; what is missing counts against them, so either may be negative.
 */
export class Budget {
  free: number;
  #reserved: number;

  constructor(views: PodView[], floor: number) {
    const spendable = views.filter(isSpendable);
    this.#reserved = spendable.filter(({ mark }) => mark !== undefined).length;
    this.free = spendable.length - floor - this.#reserved;
  }

  /** A new choice: a broken pod is free, an unavailable one must not make a shortage worse, an available one costs a slot. */
  take(view: PodView): boolean {
    if (!view.isServing) return view.isBroken || this.free >= 0;
    if (view.unresolved !== undefined || isChanging(view)) return this.free >= 0;
    if (this.free < 1) return false;
    this.free -= 1;
    return true;
  }

  /** Acts on a pod that holds a reservation since it was marked. */
  spendReserved(view: PodView): boolean {
    if (!view.isServing) return view.isBroken || this.free >= 0;
    if (isChanging(view)) return this.free >= 0;
    if (this.free + this.#reserved < 1) return false;
    this.#reserved -= 1;
    return true;
  }
}
