/**
 * How much a process writes to pods at once, whatever the number of its workloads. What is begun is then soon over: where all
 * workloads wrote at once, the second write to a pod waited for the first ones to all others, and met its kubelet (docs/adr/0020).
 */
import pLimit from 'p-limit';

/** Runs `work` when its turn has come: first come, first served. */
export type Lane = <T>(work: () => Promise<T>) => Promise<T>;

export interface Lanes {
  /** Moves, each with all that it writes. */
  moves: Lane;
  /** Gates of new pods: they do not wait behind the creation of others. */
  gates: Lane;
}

/** Together less than the client has connections: reads and statuses need some. */
export const MOVES_AT_ONCE = 16;
export const GATES_AT_ONCE = 6;

export const createLanes = (): Lanes => ({ moves: pLimit(MOVES_AT_ONCE), gates: pLimit(GATES_AT_ONCE) });
