/** Pods in the middle of an update in place, by the table of protocol §3: image patch after the grace, gate after evidence. */
import { isPatchPending } from '../in-place.ts';
import { hasGate, isReady } from '../pods.ts';
import { itemOf } from './gates.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Move } from './types.ts';

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

/** Back into service without a restart; where an earlier patch is still to restart it, once that is proven. */
const giveBack = (view: PodView, unwanted: string): Move[] =>
  isPatchPending(view.pod) ? [] : [{ act: 'open-gate', ...itemOf(view, `${unwanted} is not wanted any more`) }];

export function planProgress(situation: Situation, chosen: Set<string>, moving: Set<string>): Move[] {
  return situation.active.flatMap((view): Move[] => {
    if (moving.has(view.uid)) return [];
    switch (view.stage.stage) {
      case 'grace':
        return isWanted(situation, view, chosen) ? afterGrace(situation, view) : giveBack(view, view.stage.revision);
      case 'restarted':
        return [{ act: 'open-gate', ...itemOf(view, 'its restart is proven') }];
      default:
        return [];
    }
  });
}
