/** What a plan for a GameDeployment starts from: pods without places, counted. */
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { IntOrString } from '../../crds/kubernetes.ts';
import { type IndexRequest, indexRequestOf } from '../pod-index.ts';
import { misnumbered, withoutPlace } from './indexes.ts';
import { resolveNumbers } from './numbers.ts';
import { isHalfWay, type PodView } from './pod-view.ts';
import { assess, type Situation } from './situation.ts';
import type { PlanInput } from './types.ts';
import { toBeUpdated } from './updates.ts';

export interface DeploymentSituation extends Situation {
  input: PlanInput<GameDeployment>;
  /** Active pods that the user wants gone, whatever `replicas` says (decision 26). */
  listed: ReadonlySet<PodView>;
  /** Active pods without an index of their own, which pods with one are to replace. */
  misnumbered: ReadonlySet<PodView>;
  /** Extra pods that the update may use now; pods that go for another reason are none of its business. */
  surge: number;
  /** The numbers that pods are given, where the user asks for them. */
  indexing: IndexRequest;
}

/** Old pods that the partition gives up. */
export const beyondPartition = ({ old, numbers }: Pick<Situation, 'old' | 'numbers'>): number =>
  Math.max(0, old.length - numbers.partition);

/** Extra pods that may be used now: for the update unless it is paused, and in place of pods that are to be replaced. */
export const usableSurge = ({ isPaused, surge, listed, misnumbered, numbers }: DeploymentSituation): number =>
  Math.min(numbers.maxSurge, (isPaused ? 0 : surge) + listed.size + misnumbered.size);

function partitionOf({ allowance, workload }: PlanInput): IntOrString | undefined {
  return allowance?.partition === 'spec' ? workload.spec.updateStrategy?.partition : allowance?.partition;
}

function listedPods({ active }: Situation, podsToDelete: readonly string[] = []): ReadonlySet<PodView> {
  const names = new Set(podsToDelete);
  return new Set(names.size === 0 ? [] : active.filter(({ name }) => names.has(name)));
}

export function assessDeployment(input: PlanInput): DeploymentSituation {
  const { spec } = input.workload;
  const partition = partitionOf(input);
  const numbers = resolveNumbers(spec, partition);
  const situation = assess(input, { numbers, partition });
  const listed = listedPods(situation, spec.scaleStrategy?.podsToDelete);
  const indexing = indexRequestOf(input.workload, numbers.replicas);
  const leaving = new Set([...listed, ...withoutPlace({ active: situation.active, indexing, listed })]);
  const staying = leaving.size === 0 ? situation.old : situation.old.filter((view) => !leaving.has(view));
  const beyond = Math.min(beyondPartition({ old: staying, numbers }), toBeUpdated(situation, staying).length);
  const halfWay = situation.underWay.filter((view) => view.revision === situation.target && isHalfWay(view));
  const surge = situation.isByHand ? 0 : Math.min(numbers.maxSurge, beyond + halfWay.length);
  const assessed = { ...situation, input, listed, indexing, surge };
  return { ...assessed, misnumbered: misnumbered(assessed) };
}
