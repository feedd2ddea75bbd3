/**
 * Where a text holds another one, in time that grows with their lengths. The engine's own search compares again and again what
 * repeats itself: a megabyte of one letter and a long text of that letter with another one in it take it minutes. Pure.
 */

/** So short a text is found fast enough, however it repeats itself. */
const SHORT = 64;

export function containsText(text: string, part: string): boolean {
  if (part.length <= SHORT) return text.includes(part);
  return !findText(text, part).next().done;
}

/** `text` with `replacement` in place of each `part`, which is not empty. */
export function replaceText(text: string, part: string, replacement: string): string {
  if (part.length <= SHORT) return text.replaceAll(part, () => replacement);
  const pieces: string[] = [];
  let start = 0;
  for (const at of findText(text, part)) {
    pieces.push(text.slice(start, at));
    start = at + part.length;
  }
  return [...pieces, text.slice(start)].join(replacement);
}

/** Where each begins that does not lie over the one before, as Knuth, Morris and Pratt search: no character is read twice. */
function* findText(text: string, part: string): Generator<number> {
  const again = restarts(part);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    matched = nextMatch(part, again, matched, text.charCodeAt(at));
    if (matched < part.length) continue;
    yield at + 1 - part.length;
    matched = 0;
  }
}

/** How much of `part` is matched, where so much of it was before this character. */
function nextMatch(part: string, again: Int32Array, before: number, character: number): number {
  let matched = before;
  while (matched > 0 && part.charCodeAt(matched) !== character) matched = again[matched - 1] as number;
  return part.charCodeAt(matched) === character ? matched + 1 : 0;
}

/** For each beginning of `part`, by its last place: how long an end of it is a beginning, too. */
function restarts(part: string): Int32Array {
  const again = new Int32Array(part.length);
  for (let at = 1; at < part.length; at += 1) {
    again[at] = nextMatch(part, again, again[at - 1] as number, part.charCodeAt(at));
  }
  return again;
}
