/** Counts that may be written as percentages, and how each of them is rounded (decision 19). */
import type { IntOrString } from '../crds/kubernetes.ts';

export type Rounding = 'up' | 'down';

const PERCENT = /^(\d+)%$/;

export const isPercent = (value: IntOrString): boolean => typeof value === 'string' && PERCENT.test(value);

/**
 * Resolves a count or a percentage of `total`. Text that is neither reads as `undefined`: the API refuses it at apply,
 * so only objects older than the rule can hold it.
 */
export function resolveIntOrPercent(
  value: IntOrString | undefined,
  total: number,
  rounding: Rounding,
): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number') return value;
  const percent = PERCENT.exec(value);
  if (percent === null) return /^\d+$/.test(value) ? Number(value) : undefined;
  const exact = (Number(percent[1]) * total) / 100;
  return rounding === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
