/** Timestamps of the API as epoch milliseconds. */

/** Whole seconds, and thousands of pods share them: each text is parsed once. */
const known = new Map<string, number>();
const MOST_KNOWN = 10_000;

/** NaN where the text is missing or no timestamp. */
export function momentOf(text: string | undefined): number {
  if (text === undefined) return Number.NaN;
  const cached = known.get(text);
  if (cached !== undefined) return cached;
  if (known.size >= MOST_KNOWN) known.clear();
  const ms = Date.parse(text);
  known.set(text, ms);
  return ms;
}
