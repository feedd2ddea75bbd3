/** Plans for GameDeployments whose pods have numbers, and pods that have one. */
import { INDEX_ID_ANNOTATION, INDEX_ON_ANNOTATION, INDEX_RANGE_ANNOTATION } from '../../core/keys.ts';
import { planGameDeployment } from '../../core/plan/game-deployment.ts';
import type { PlanInput } from '../../core/plan/types.ts';
import type { GameDeploymentSpec } from '../../crds/game-deployment.ts';
import { aPod, aWorkload, planInput } from './pods.ts';

export const rangeOf = (podStartIndex: number, podEndIndex: number) => JSON.stringify({ podStartIndex, podEndIndex });

export function indexed(
  range: string | undefined,
  changes: Partial<PlanInput> & { spec?: Partial<GameDeploymentSpec> },
) {
  const { spec, ...rest } = changes;
  const workload = aWorkload(spec);
  workload.metadata.annotations = { [INDEX_ON_ANNOTATION]: 'true' };
  if (range !== undefined) workload.metadata.annotations[INDEX_RANGE_ANNOTATION] = range;
  return planGameDeployment({ ...planInput({ stableRevision: 'r2', ...rest }), workload });
}

export const numbered = (index: number, revisionName = 'r2', name?: string) =>
  aPod(revisionName, name).annotated({ [INDEX_ID_ANNOTATION]: String(index) });
