/** A rollout's result as one bounded text, for an annotation (decision 18). */
import type { RolloutResult, StepLogEntry } from '../rollout/types.ts';
import { bytesOf, cutToBytes } from './sentence.ts';

/** Annotations of one object share 256 KiB, and a history holds many revisions. */
const SUMMARY_BYTES = 8 * 1024;
const TEXT_BYTES = 200;

/** The result as JSON of at most 8 KiB. What a long story loses is its middle; `left` says how many steps were left out. */
export function summaryText(result: RolloutResult): string {
  const whole = JSON.stringify(result);
  if (bytesOf(whole) <= SUMMARY_BYTES) return whole;
  const steps = result.steps.map(shortened);
  for (let kept = steps.length; kept > 0; kept -= 1) {
    const text = JSON.stringify({ ...result, steps: ends(steps, kept), left: steps.length - kept });
    if (bytesOf(text) <= SUMMARY_BYTES) return text;
  }
  return JSON.stringify({ ...result, steps: [], left: steps.length });
}

const shortened = (entry: StepLogEntry): StepLogEntry => ({
  ...entry,
  what: cutToBytes(entry.what, TEXT_BYTES),
  ...(entry.by === undefined ? {} : { by: cutToBytes(entry.by, TEXT_BYTES) }),
  ...(entry.reason === undefined ? {} : { reason: cutToBytes(entry.reason, TEXT_BYTES) }),
});

/** The first and the last entries, the last one longer by one. */
const ends = <T>(list: T[], kept: number): T[] => [
  ...list.slice(0, Math.floor(kept / 2)),
  ...list.slice(list.length - Math.ceil(kept / 2)),
];
