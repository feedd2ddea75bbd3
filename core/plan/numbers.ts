/** The numbers of a workload resolved against its replicas (decisions 1, 19, 20). */
import type { GameDeploymentSpec } from '../../crds/game-deployment.ts';
import type { IntOrString } from '../../crds/kubernetes.ts';
import { resolveIntOrPercent } from '../int-or-percent.ts';

export interface Numbers {
  replicas: number;
  maxUnavailable: number;
  maxSurge: number;
  /** Pods that stay at another revision than the target; 0 … replicas. */
  partition: number;
  minReadySeconds: number;
  gracePeriodSeconds: number;
}

/** Percent rounds down; clamped to replicas, so that a partition above them is satisfied, never stuck. */
export function resolvePartition(partition: IntOrString | undefined, replicas: number): number {
  const resolved = resolveIntOrPercent(partition, replicas, 'down') ?? 0;
  return Math.min(Math.max(resolved, 0), replicas);
}

/** maxSurge rounds up; maxUnavailable up without surge, else down; both rounding to zero counts as one unavailable. */
export function resolveBudgets(
  strategy: { maxUnavailable?: IntOrString; maxSurge?: IntOrString },
  replicas: number,
): { maxUnavailable: number; maxSurge: number } {
  const maxSurge = resolveIntOrPercent(strategy.maxSurge, replicas, 'up') ?? 0;
  const rounding = maxSurge === 0 ? 'up' : 'down';
  const maxUnavailable = resolveIntOrPercent(strategy.maxUnavailable ?? '25%', replicas, rounding) ?? 0;
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

/** Of a GameDeployment, under the partition that holds now. */
export function resolveNumbers(spec: GameDeploymentSpec, partition: IntOrString | undefined): Numbers {
  const replicas = spec.replicas ?? 1;
  const strategy = spec.updateStrategy ?? {};
  return {
    replicas,
    ...resolveBudgets(strategy, replicas),
    partition: resolvePartition(partition, replicas),
    minReadySeconds: spec.minReadySeconds ?? 0,
    gracePeriodSeconds: strategy.inPlaceUpdateStrategy?.gracePeriodSeconds ?? 0,
  };
}
