/** Messages for people: one line, bounded (decision 44). */

/** 1 KiB of UTF-8, the bound of a condition's message and of an event's note. */
export const MESSAGE_BYTES = 1024;
const ELLIPSIS = '…';

/** The text on one line, with a full stop, cut to 1 KiB. */
export function sentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const ended = line === '' || /[.!?…]$/.test(line) ? line : `${line}.`;
  return cutToBytes(ended, MESSAGE_BYTES);
}

/** The longest beginning of the text that fits, with an ellipsis where something was cut. */
export function cutToBytes(text: string, limit: number): string {
  if (bytesOf(text) <= limit) return text;
  let cut = '';
  let size = bytesOf(ELLIPSIS);
  for (const character of text) {
    size += bytesOf(character);
    if (size > limit) break;
    cut += character;
  }
  return cut + ELLIPSIS;
}

/** Bytes of the text in UTF-8. */
export function bytesOf(text: string): number {
  let size = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    size += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x1_0000 ? 3 : 4;
  }
  return size;
}

/** `in this way, in that way or in a third way`. */
export function either(ways: string[]): string {
  return ways.length < 2 ? ways.join('') : `${ways.slice(0, -1).join(', ')} or ${ways.at(-1)}`;
}

/** RFC 3339 with whole seconds, as Kubernetes writes times. */
export const timestamp = (epochMs: number): string => new Date(epochMs).toISOString().replace(/\.\d+Z$/, 'Z');
