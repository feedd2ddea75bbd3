/** Which old pods of a GameDeployment move to the target: all but `partition`, the healthiest of which stay old. */
import type { DeploymentSituation } from './deployment-situation.ts';
import type { DiffOf } from './kind.ts';
import { inUpdateOrder } from './order.ts';
import type { PodView } from './pod-view.ts';
import { isBrokenStray } from './strays.ts';
import { diffs, isMovable, isRecreated } from './updates.ts';

/** Where no pod can be created, none is deleted to be created anew. */
const canBeReplaced = (situation: DeploymentSituation, view: PodView, diffOf: DiffOf): boolean =>
  situation.indexing.kind !== 'refused' || !isRecreated(situation, diffOf(view.revision));

/** Those that may move, first come first, and how many of them do. */
function queueOf(situation: DeploymentSituation, victims: PodView[], diffOf: DiffOf) {
  const { old, numbers, target, stable } = situation;
  const spared = new Set(victims.map(({ uid }) => uid));
  const staying = spared.size === 0 ? old : old.filter(({ uid }) => !spared.has(uid));
  const movable = staying.filter(
    (view) => isMovable(situation, view, diffOf) && canBeReplaced(situation, view, diffOf),
  );
  const count = Math.max(0, staying.length - numbers.partition);
  return { queue: inUpdateOrder(movable, { stable, target }), count };
}

export function candidatesOf(situation: DeploymentSituation, victims: PodView[], diffOf: DiffOf): PodView[] {
  const { queue, count } = queueOf(situation, victims, diffOf);
  return queue.slice(0, count);
}

/** Broken pods of a superseded rollout that the partition keeps: they go, and stable ones take their places. */
export function straysOf(situation: DeploymentSituation, victims: PodView[]): PodView[] {
  const isStray = (view: PodView) => isBrokenStray(view, situation);
  if (situation.indexing.kind === 'refused' || !situation.old.some(isStray)) return [];
  const { queue, count } = queueOf(situation, victims, diffs(situation));
  return queue.slice(count).filter(isStray);
}
