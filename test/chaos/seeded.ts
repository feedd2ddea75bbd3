/** Chance that can be repeated: the same text gives the same answers in the same order. */
import { createHash } from 'node:crypto';

/** Says yes with the given share. */
export function seeded(seed: string, share: number): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    const hash = createHash('sha256').update(`${seed}/${asked}`).digest();
    return hash.readUInt32BE(0) / 2 ** 32 < share;
  };
}
