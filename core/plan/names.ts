/** New pod names, derived from the plan's seed: the same plan gives the same names (protocol §2, rule 5). */

import { ALPHABET } from '../hash.ts';

const ID_LENGTH = 5;

function mix(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value ^= value >>> 15;
  value = Math.imul(value, 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}

function instanceId(seed: string, index: number): string {
  let text = '';
  for (let at = 0; at < ID_LENGTH; at += 1) text += ALPHABET[mix(`${seed}/${index}/${at}`) % ALPHABET.length];
  return text;
}

/** `count` names `<workload>-<id>`, none of which is in `taken`. */
export function newPodNames(workload: string, count: number, taken: ReadonlySet<string>, seed: string): string[] {
  const names = new Set<string>();
  for (let index = 0; names.size < count; index += 1) {
    const name = `${workload}-${instanceId(seed, index)}`;
    if (!taken.has(name)) names.add(name);
  }
  return [...names];
}
