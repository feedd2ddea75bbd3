/** Text for people, cut to fit. Pure. */

/**
 * At most `length` characters of `text`, the last one a … where something is missing. Never half a character, whatever came in: a
 * lone surrogate has no UTF-8, so a message with one could not be sent to Temporal at all.
 */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed();
  const head = text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${head.toWellFormed()}…`;
}
