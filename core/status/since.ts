/** Since when something is waited for: no rollout waits in silence (design §6, 4). Pure. */
import type { Blocker } from '../plan/types.ts';
import { timestamp } from './sentence.ts';

/** The sentence with its moment, where that is known and not said yet. */
export function sinceWhen({ message, sinceMs = 0 }: Pick<Blocker, 'message' | 'sinceMs'>): string {
  const isSaid = / since \d/.test(message);
  return sinceMs > 0 && !isSaid ? `${message.replace(/\.$/, '')} (since ${timestamp(sinceMs)}).` : message;
}
