/** What `all`, `any`, `one`, `none`, `filter`, `map` and `count` make of a list. */

import type { Iteration, Value } from './syntax.ts';

/** `holds` and `compute` evaluate the predicate for one element; both may throw, which ends the whole evaluation. */
export function iterate(
  name: Iteration,
  list: readonly Value[],
  holds: (element: Value) => boolean,
  compute: (element: Value) => Value,
): Value {
  switch (name) {
    case 'all':
      return list.every(holds);
    case 'any':
      return list.some(holds);
    case 'none':
      return !list.some(holds);
    case 'one':
      return list.filter(holds).length === 1;
    case 'filter':
      return list.filter(holds);
    case 'map':
      return list.map(compute);
    case 'count':
      return list.filter(holds).length;
  }
}
