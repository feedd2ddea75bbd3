/** Which old pods of a GameDeployment move to the target: all but `partition`, the healthiest of which stay old. */
import type { DeploymentSituation } from './deployment-situation.ts';
import type { DiffOf } from './kind.ts';
import { inUpdateOrder } from './order.ts';
import type { PodView } from './pod-view.ts';
import { isMovable, isRecreated } from './updates.ts';

/** Where no pod can be created, none is deleted to be created anew. */
const canBeReplaced = (situation: DeploymentSituation, view: PodView, diffOf: DiffOf): boolean =>
  situation.indexing.kind !== 'refused' || !isRecreated(situation, diffOf(view.revision));

export function candidatesOf(situation: DeploymentSituation, victims: PodView[], diffOf: DiffOf): PodView[] {
  const { old, numbers, target, stable } = situation;
  const spared = new Set(victims.map(({ uid }) => uid));
  const staying = old.filter(({ uid }) => !spared.has(uid));
  const movable = staying.filter(
    (view) => isMovable(situation, view, diffOf) && canBeReplaced(situation, view, diffOf),
  );
  return inUpdateOrder(movable, { stable, target }).slice(0, Math.max(0, staying.length - numbers.partition));
}
