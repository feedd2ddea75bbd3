/** Why a plan waits, in sentences for people: one per kind of reason, about the pod that waits longest. */
import { momentOf } from '../moments.ts';
import { conditionOf, faultOf } from '../pods.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Blocker } from './types.ts';

function whyUnavailable(view: PodView): string {
  const { pod } = view;
  if (!view.isScheduled) return conditionOf(pod, 'PodScheduled')?.message ?? 'it is not scheduled yet';
  const fault = faultOf(pod);
  if (fault !== undefined) return `container ${fault}`;
  if (!view.isNodeReady) return `its node ${pod.spec.nodeName} is not Ready`;
  if (view.stage.stage === 'grace') return 'its grace period runs';
  if (view.stage.stage === 'restarting' || view.stage.stage === 'next') return 'its containers restart';
  if (view.isReady) return 'it is ready, but not yet for minReadySeconds';
  return conditionOf(pod, 'Ready')?.message || 'it is not ready';
}

const unreadySinceMs = ({ pod }: PodView): number =>
  momentOf(conditionOf(pod, 'Ready')?.lastTransitionTime ?? pod.metadata.creationTimestamp) || 0;

/** The unavailable pod that waits longest, and why. */
export function unavailableBlocker({ unavailable }: Situation): Blocker[] {
  let first: { view: PodView; sinceMs: number } | undefined;
  for (const view of unavailable) {
    const sinceMs = unreadySinceMs(view);
    if (first === undefined || sinceMs < first.sinceMs) first = { view, sinceMs };
  }
  if (first === undefined) return [];
  const { view, sinceMs } = first;
  const others = unavailable.length === 1 ? '' : ` (and ${unavailable.length - 1} more)`;
  const message = `Pod ${view.name} is not available: ${whyUnavailable(view).replace(/\.+$/, '')}${others}.`;
  return [{ reason: 'PodsNotReady', message, pod: view.name, sinceMs }];
}

/** Type OnDelete: the pods that are left are up to those who delete pods. */
export function waitsForDeletion({ isPaused, target }: Situation, left: PodView[]): Blocker[] {
  const [pod] = left.map(({ name }) => name).sort();
  if (isPaused || pod === undefined) return [];
  const consequence = 'under type OnDelete a pod is replaced when somebody deletes it';
  const message =
    left.length === 1
      ? `Pod ${pod} does not run ${target} yet; ${consequence}.`
      : `${left.length} pods do not run ${target} yet, such as ${pod}; ${consequence}.`;
  return [{ reason: 'WaitsForDeletion', message, pod }];
}

/** What the API refused and what is still wanted: a person has to know why nothing comes of it. */
export const refusals = ({ input }: Situation): Blocker[] =>
  input.unresolved.flatMap(({ act, pod, message }): Blocker[] => {
    if (message === undefined) return [];
    return [{ reason: act === 'create' ? 'PodCreateFailed' : 'MoveRefused', message, pod }];
  });

/** One of a kind, with how many there are. */
export function summarise(blockers: Blocker[]): Blocker[] {
  const byReason = new Map<string, { first: Blocker; count: number }>();
  for (const blocker of blockers) {
    const known = byReason.get(blocker.reason);
    if (known === undefined) byReason.set(blocker.reason, { first: blocker, count: 1 });
    else known.count += 1;
  }
  return [...byReason.values()].map(({ first, count }) =>
    count === 1 ? first : { ...first, message: `${first.message.replace(/\.$/, '')} (and ${count - 1} more).` },
  );
}
