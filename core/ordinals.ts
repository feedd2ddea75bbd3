/** Ordinals of a GameStatefulSet: a pod's name is its place, and a place that was reserved is never used (game-workloads §1.2). */

export const ordinalPodName = (set: string, ordinal: number): string => `${set}-${ordinal}`;

/** Of nine digits at most. */
const MOST_DIGITS = 9;

/** The ordinal that the name says; undefined for a pod that no set of this name would make, e.g. `lobby-007`. */
export function ordinalOf(set: string, pod: string): number | undefined {
  const start = set.length + 1;
  const digits = pod.length - start;
  const isLong = digits > MOST_DIGITS || (digits > 1 && pod[start] === '0');
  if (digits < 1 || isLong || pod[set.length] !== '-' || !pod.startsWith(set)) return undefined;
  let ordinal = 0;
  for (let at = start; at < pod.length; at += 1) {
    const digit = pod.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
    ordinal = ordinal * 10 + digit;
  }
  return ordinal;
}

/** The first `count` ordinals from 0 up that nobody reserved: three pods with 1 reserved are 0, 2 and 3. */
export function firstOrdinals(count: number, reserved: ReadonlySet<number>): number[] {
  const ordinals: number[] = [];
  for (let ordinal = 0; ordinals.length < count; ordinal += 1) if (!reserved.has(ordinal)) ordinals.push(ordinal);
  return ordinals;
}
