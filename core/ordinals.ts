/** Ordinals of a GameStatefulSet: a pod's name is its place, and a place that was reserved is never used (game-workloads §1.2). */

export const ordinalPodName = (set: string, ordinal: number): string => `${set}-${ordinal}`;

const ORDINAL = /^(0|[1-9]\d{0,8})$/;

/** The ordinal that the name says; undefined for a pod that no set of this name would make, e.g. `lobby-007`. */
export function ordinalOf(set: string, pod: string): number | undefined {
  const digits = pod.startsWith(`${set}-`) ? pod.slice(set.length + 1) : '';
  return ORDINAL.test(digits) ? Number(digits) : undefined;
}

/** The first `count` ordinals from 0 up that nobody reserved: three pods with 1 reserved are 0, 2 and 3. */
export function firstOrdinals(count: number, reserved: ReadonlySet<number>): number[] {
  const ordinals: number[] = [];
  for (let ordinal = 0; ordinals.length < count; ordinal += 1) if (!reserved.has(ordinal)) ordinals.push(ordinal);
  return ordinals;
}
