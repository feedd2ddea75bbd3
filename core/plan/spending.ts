/** What a move can do to availability: asked wherever a write is limited, counted or sent late. */
import type { Move } from './types.ts';

export const spends = (move: Move): boolean => 'spends' in move && move.spends;

/** Whether the move may do harm on facts that are not those of now: a pod too many, one too few, or a second life. */
export const mayHarm = (move: Move): boolean =>
  move.act === 'create' || spends(move) || (move.act === 'delete' && move.force === true);
