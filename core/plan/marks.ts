/** Marks that nobody needs any more, and writes of ours that may still land (protocol §2, rule 4; decision 36). */
import type { GameWorkload } from '../../crds/game-workload.ts';
import { itemOf } from './gates.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Move, PlanInput } from './types.ts';

/** A workload that lost its state, and whose rollout is about to speak, does not know yet which pods are chosen. */
const isUnspoken = ({ allowance, updateRevision, stableRevision }: PlanInput<GameWorkload>): boolean =>
  allowance === null && updateRevision !== stableRevision;

/** A marked pod that is neither given up nor updated gets its mark taken off; while paused an update keeps its marks. */
export function planUnmarks(
  situation: Situation,
  victims: PodView[],
  chosen: Set<string>,
  moving: Set<string>,
): Move[] {
  const given = new Set(victims);
  const marked = situation.active.filter(({ mark, uid }) => mark !== undefined && !moving.has(uid));
  return marked.flatMap((view): Move[] => {
    const mark = view.mark!;
    if (mark.kind === 'update' && isUnspoken(situation.input)) return [];
    const isStale = mark.kind === 'update' && mark.revision !== situation.target;
    if ((given.has(view) || chosen.has(view.uid)) && !isStale) return [];
    return [{ act: 'unmark', ...itemOf(view, 'it is not chosen any more'), hookRun: mark.hookRun }];
  });
}

/** An open write on a pod that no move of this plan touches is fenced off. */
export function planFences(situation: Situation, moving: Set<string>): Move[] {
  return situation.active
    .filter((view) => view.unresolved !== undefined && !moving.has(view.uid))
    .map((view) => ({ act: 'fence', ...itemOf(view, `an earlier ${view.unresolved!.act} was not answered`) }));
}
