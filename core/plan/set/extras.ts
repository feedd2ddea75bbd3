/** Pods that keep their ordinal from its next pod: on lost nodes (game-workloads §1.5), and without the claims they mount. */
import { mountedClaims } from '../../claims.ts';
import { NODE_LOST_ANNOTATION } from '../../keys.ts';
import { BROKEN_AFTER_MS } from '../../pods.ts';
import { itemOf } from '../gates.ts';
import type { Extras } from '../kind.ts';
import type { PodView } from '../pod-view.ts';
import type { Blocker, Move } from '../types.ts';
import { scaleInDeadlinesMs } from './scale-in.ts';
import { goneByMs, type SetSituation } from './situation.ts';

/** The clock that set the end of a grace period is not ours, and a kubelet needs a moment after it. */
const FORCE_MARGIN_MS = 10_000;

const forcedAtMs = (view: PodView): number => goneByMs(view) + FORCE_MARGIN_MS;

/** It was deleted by force before, and a finalizer holds it: once more would change nothing. */
const isForced = ({ pod: { metadata } }: PodView): boolean =>
  metadata.deletionGracePeriodSeconds === 0 && (metadata.finalizers ?? []).length > 0;

/** Its node is not Ready or not there at all, and the user has said that such a pod may be given up. */
const isGivenUp = ({ input }: SetSituation, view: PodView): boolean =>
  !input.areNodesStale &&
  view.isTerminating &&
  view.isScheduled &&
  !view.isNodeReady &&
  !isForced(view) &&
  view.pod.metadata.annotations?.[NODE_LOST_ANNOTATION] === 'true';

function forceDelete(view: PodView): Move {
  const reason = `node ${view.pod.spec.nodeName} is lost and ${NODE_LOST_ANNOTATION} allows it`;
  return { act: 'delete', ...itemOf(view, reason), spends: false, force: true };
}

function overdue(view: PodView): Blocker {
  const where = view.isNodeReady ? '' : `, its node ${view.pod.spec.nodeName} is not Ready`;
  const message = `Pod ${view.name} should be gone since ${view.pod.metadata.deletionTimestamp}${where}; its ordinal is used again when it is gone.`;
  return { reason: 'PodTerminating', message, pod: view.name, sinceMs: goneByMs(view) };
}

function leaving(view: PodView): Blocker {
  const message = `Pod ${view.name} is on its way out until ${view.pod.metadata.deletionTimestamp}; its ordinal is used again when it is gone.`;
  return { reason: 'PodTerminating', message, pod: view.name };
}

/** It waits for a claim that is gone: nobody but its next life makes the claim again. */
function lacksClaim({ input }: SetSituation, view: PodView): boolean {
  if (view.isScheduled || input.claims === undefined) return false;
  return mountedClaims(input.workload, view.pod).some((name) => input.claims?.[name] === undefined);
}

export function extrasOf(situation: SetSituation): Extras {
  const { views, unavailable, input, leftOver, isOrdered, condemned } = situation;
  const going = views.filter(({ isTerminating }) => isTerminating);
  const awaited = going.filter((view) => !leftOver.has(view) || (isOrdered && condemned.length > 0));
  const isDue = (atMs: number) => atMs <= input.nowMs;
  const givenUp = going.filter((view) => isGivenUp(situation, view));
  const left = awaited.filter((view) => !givenUp.includes(view));
  const stranded = unavailable.filter((view) => lacksClaim(situation, view) && !leftOver.has(view));
  const again = stranded.filter((view) => isDue(view.createdAtMs + BROKEN_AFTER_MS));
  return {
    moves: [
      ...givenUp.filter((view) => isDue(forcedAtMs(view))).map(forceDelete),
      ...again.map(
        (view): Move => ({ act: 'delete', ...itemOf(view, 'a claim that it mounts is gone'), spends: false }),
      ),
    ],
    blockers: [
      ...left.filter((view) => isDue(goneByMs(view))).map(overdue),
      ...awaited.filter((view) => !isDue(goneByMs(view))).map(leaving),
    ],
    deadlinesMs: [
      ...left.map(goneByMs),
      ...givenUp.map(forcedAtMs),
      ...stranded.map((view) => view.createdAtMs + BROKEN_AFTER_MS),
      ...scaleInDeadlinesMs(situation),
    ],
    isWaiting: awaited.length > 0,
  };
}
