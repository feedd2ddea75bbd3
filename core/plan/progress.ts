/** Pods in the middle of an update in place, by the table of protocol §3: image patch after the grace, gate after evidence. */
import { patchStageOf } from '../in-place.ts';
import { IN_PLACE_GRACE_ANNOTATION } from '../keys.ts';
import { gateOf, hasGate, isReady } from '../pods.ts';
import { itemOf } from './gates.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Blocker, Move } from './types.ts';

/**
 * A pod in its grace is finished where its target is still wanted and the partition leaves room for it, also while
 * paused: it is out of service already, and finishing is the shortest way back. Otherwise its gate opens, no restart.
 */
function isWanted(situation: Situation, view: PodView, chosen: Set<string>): boolean {
  if (view.stage.stage !== 'grace' || !situation.revisions.has(view.stage.revision)) return false;
  const { revision } = view.stage;
  if (revision === view.revision) return true;
  return revision === situation.target && revision !== situation.input.invalidRevision && chosen.has(view.uid);
}

export const graceEndMs = (situation: Situation, view: PodView): number =>
  view.stage.stage === 'grace' ? view.stage.sinceMs + situation.numbers.gracePeriodSeconds * 1000 : 0;

function afterGrace(situation: Situation, view: PodView): Move[] {
  const isOver = graceEndMs(situation, view) <= situation.input.nowMs;
  if (!isOver || (hasGate(view.pod) && isReady(view.pod)) || view.stage.stage !== 'grace') return [];
  const item = itemOf(view, 'its grace is over');
  return [{ act: 'patch-images', ...item, revision: view.stage.revision, spends: isReady(view.pod) }];
}

/**
 * Pods that other operators were about to update in place (their grace is an annotation) to a revision that is gone: nobody can
 * finish that, and nobody knows what they run.
 */
export const strandedGraces = ({ underWay, revisions }: Situation, isMoved: ReadonlySet<string>): Blocker[] =>
  underWay
    .filter(({ stage, revision, uid }) => stage.stage === 'grace' && stage.revision === revision && !isMoved.has(uid))
    .filter(({ revision }) => !revisions.has(revision))
    .map(({ name, revision }) => {
      const what = `is in the grace of an update in place that another operator began, to revision ${revision}, which is gone`;
      const ways = `delete it to have it replaced, or take its annotation ${IN_PLACE_GRACE_ANNOTATION} away`;
      return { reason: 'RevisionMissing', message: `Pod ${name} ${what}: it is left as it is; ${ways}.`, pod: name };
    });

/**
 * The next container of a pod whose containers change in order, also while paused: finishing is the shortest way back. A
 * pod without a gate may serve again by then, and is spent anew.
 */
function nextContainer(situation: Situation, view: PodView): Move[] {
  if (!situation.revisions.has(view.revision)) return [];
  if (view.isServing && !situation.budget.take(view)) return [];
  const item = itemOf(view, 'the turn of its next container has come');
  return [{ act: 'patch-images', ...item, revision: view.revision, spends: view.isServing }];
}

/** Back into service without a restart; where an earlier patch is still to restart it, once that is proven. */
function giveBack(situation: Situation, view: PodView, unwanted: string): Move[] {
  switch (patchStageOf(view.pod).stage) {
    case 'next':
      return nextContainer(situation, view);
    case 'restarting':
      return [];
    default:
      // A grace of the existing operators is an annotation: it stays where its revision is gone, and nothing is left to open.
      if (gateOf(view.pod) === 'open' || gateOf(view.pod) === 'none') return [];
      return [{ act: 'open-gate', ...itemOf(view, `${unwanted} is not wanted any more`) }];
  }
}

/** Pods at the target whose next container is due: finished before others are begun. */
export function planNextContainers(situation: Situation, victims: PodView[]): Move[] {
  const given = new Set(victims);
  return situation.underWay
    .filter((view) => view.stage.stage === 'next' && view.revision === situation.target && !given.has(view))
    .flatMap((view) => nextContainer(situation, view));
}

export function planProgress(situation: Situation, chosen: Set<string>, moving: Set<string>): Move[] {
  return situation.underWay.flatMap((view): Move[] => {
    if (moving.has(view.uid)) return [];
    switch (view.stage.stage) {
      case 'grace':
        return isWanted(situation, view, chosen)
          ? afterGrace(situation, view)
          : giveBack(situation, view, view.stage.revision);
      case 'next':
        return nextContainer(situation, view);
      case 'restarted':
        return [{ act: 'open-gate', ...itemOf(view, 'its restart is proven') }];
      default:
        return [];
    }
  });
}
