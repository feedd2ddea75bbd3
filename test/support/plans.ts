/** How planner tests ask and read: plans from few words, moves by what they do. */
import { planGameDeployment } from '../../core/plan/game-deployment.ts';
import type { Move, Plan } from '../../core/plan/types.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { deepFreeze } from './deep-freeze.ts';
import { aPod, planInput } from './pods.ts';

/** A ready pod of the revision. */
export const r = (revisionName: string): Pod => aPod(revisionName).build();
/** A pod of the revision that is not ready for a minute. */
export const n = (revisionName: string): Pod => aPod(revisionName).notReady().build();

/** Its pods are frozen: as in a store, another version of a pod is another object. */
export function plan(changes: Parameters<typeof planInput>[0]): Plan {
  deepFreeze(changes.pods);
  return planGameDeployment(planInput(changes));
}

export const acts = ({ moves }: Plan, act: Move['act']): Move[] => moves.filter((move) => move.act === act);

/** Revisions of the pods to create, in order. */
export const created = (p: Plan): string[] =>
  acts(p, 'create').map((move) => ('revision' in move ? move.revision! : ''));

/** Revisions of the pods to delete, sorted. */
export const deletedRevisions = (p: Plan, from: Pod[]): string[] =>
  acts(p, 'delete')
    .map(({ pod }) => from.find(({ metadata }) => metadata.name === pod)!.metadata.labels!['controller-revision-hash']!)
    .sort();
