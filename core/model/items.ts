/** Moves between attempts of the model: which are the same, and how they stay open. */
import type { Move, Unresolved } from '../plan/types.ts';
import { unresolvedItem } from '../plan/unresolved.ts';

export interface Attempt {
  number: number;
  items: Move[];
  unresolved: Unresolved[];
  asOfMs: number;
}

/** The same move on the same pod, whatever its version. */
export const identity = (move: Move): string => `${move.act}/${move.pod}/${'uid' in move ? move.uid : ''}`;

export const keyOf = ({ act, pod }: { act: string; pod: string }): string => `${act}/${pod}`;

/** The move as it stays open while its answer is missing. */
export const openItem = (move: Move): Unresolved => unresolvedItem(move, 'unknown');
