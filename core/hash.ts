/** A short, stable name for a text. Not for security: whoever uses it handles two texts with one hash. */

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
/** Letters and digits without vowels and look-alikes: no word comes out, and none needs quoting in a label or a name. */
export const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** FNV-1a, 32 bits, over the UTF-16 code units of the text (low byte first). */
export function fnv32(text: string): number {
  let hash = OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    hash = Math.imul(hash ^ (unit & 0xff), PRIME);
    hash = Math.imul(hash ^ (unit >>> 8), PRIME);
  }
  return hash >>> 0;
}

/** Up to 7 characters that may stand in a label value or an object name. */
export function shortHash(text: string): string {
  let rest = fnv32(text);
  let encoded = '';
  do {
    encoded += ALPHABET[rest % ALPHABET.length];
    rest = Math.floor(rest / ALPHABET.length);
  } while (rest > 0);
  return encoded;
}
