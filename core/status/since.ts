/** Since when something is waited for: no rollout waits in silence (design §6, 4). Pure. */
import type { Condition } from '../../crds/kubernetes.ts';
import { momentOf } from '../moments.ts';
import type { Blocker } from '../plan/types.ts';
import { bytesOf, cutToBytes, MESSAGE_BYTES, timestamp } from './sentence.ts';

/** Since when there is something to say of each reason; epoch milliseconds. */
export type FirstMoments = Readonly<Partial<Record<string, number>>>;

/** Pods and runs date some reasons themselves; of the others it is remembered when they were first seen, as long as they last. */
export function firstMoments(blockers: readonly Blocker[], before: FirstMoments = {}, nowMs: number): FirstMoments {
  const undated = blockers.filter(({ sinceMs = 0 }) => !(sinceMs > 0));
  return Object.fromEntries(undated.map(({ reason }) => [reason, before[reason] ?? nowMs]));
}

/** The blocker with its moment; one that nobody has seen before is of now. */
export const dated = <B extends Blocker>(blocker: B, moments: FirstMoments, nowMs: number): B => ({
  ...blocker,
  sinceMs: blocker.sinceMs || (moments[blocker.reason] ?? nowMs),
});

/** The sentence with its pod and its moment, where they are known and not said yet; a long one is cut before them. */
export function sinceWhen({ message, pod, sinceMs = 0 }: Pick<Blocker, 'message' | 'pod' | 'sinceMs'>): string {
  if (!(sinceMs > 0) || / since \d/.test(message)) return message;
  const which = pod === undefined || pod === '' || message.includes(pod) ? '' : `pod ${pod}, `;
  const since = ` (${which}since ${timestamp(sinceMs)}).`;
  return cutToBytes(message.replace(/\.$/, ''), MESSAGE_BYTES - bytesOf(since)) + since;
}

const SAID = /\((?:pod \S+, )?since (\d{4}-\d\d-\d\dT[\d:]+Z)\)\.$/;

/** What conditions tell of the moments of their reasons: all that an object remembers. */
export function momentsToldBy(conditions: readonly Condition[] = []): FirstMoments {
  const told = conditions.map(({ reason = '', message = '' }) => [reason, momentOf(SAID.exec(message)?.[1])] as const);
  return Object.fromEntries(told.filter(([, moment]) => moment > 0));
}
