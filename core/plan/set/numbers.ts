/** The numbers of a GameStatefulSet resolved against its replicas (decisions 1, 19, 20). */
import type { GameStatefulSetSpec } from '../../../crds/game-stateful-set.ts';
import type { IntOrString } from '../../../crds/kubernetes.ts';
import { resolveIntOrPercent } from '../../int-or-percent.ts';
import { type Numbers, resolvePartition } from '../numbers.ts';

/** Absent means OrderedReady (game-workloads §1.2). */
export const isOrdered = ({ podManagementPolicy }: GameStatefulSetSpec): boolean => podManagementPolicy !== 'Parallel';

/** Both round up, also beside each other. Surge needs Parallel, and somebody who uses it: under OnDelete nobody does. */
export function resolveSetBudgets(spec: GameStatefulSetSpec): { maxUnavailable: number; maxSurge: number } {
  const { replicas = 1, updateStrategy = {} } = spec;
  const { rollingUpdate = {}, type } = updateStrategy;
  const hasSurge = !isOrdered(spec) && type !== 'OnDelete';
  const maxSurge = hasSurge ? (resolveIntOrPercent(rollingUpdate.maxSurge, replicas, 'up') ?? 0) : 0;
  const maxUnavailable = resolveIntOrPercent(rollingUpdate.maxUnavailable ?? '25%', replicas, 'up') ?? 0;
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

/** There is no minReadySeconds. */
export function resolveSetNumbers(spec: GameStatefulSetSpec, partition: IntOrString | undefined): Numbers {
  const { replicas = 1, updateStrategy = {} } = spec;
  return {
    replicas,
    ...resolveSetBudgets(spec),
    partition: resolvePartition(partition, replicas),
    minReadySeconds: 0,
    gracePeriodSeconds: updateStrategy.inPlaceUpdateStrategy?.gracePeriodSeconds ?? 0,
  };
}
