/**
 * Resource versions as numbers. The API promises their order only within one resource (pods with pods), so the caller
 * must never compare across resources.
 */

/** @throws Error when the text is no decimal number, which no supported apiserver sends. */
export function parseResourceVersion(text: string): bigint {
  if (!/^\d+$/.test(text)) throw new Error(`resourceVersion "${text.slice(0, 40)}" is not a number`);
  return BigInt(text);
}

/** Negative when `left` is older, 0 when equal, positive when newer. Both must be of one resource. */
export function compareResourceVersions(left: string | bigint, right: string | bigint): number {
  const a = typeof left === 'bigint' ? left : parseResourceVersion(left);
  const b = typeof right === 'bigint' ? right : parseResourceVersion(right);
  return a < b ? -1 : a > b ? 1 : 0;
}
