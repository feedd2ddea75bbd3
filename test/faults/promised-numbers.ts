/**
 * What a GameDeployment's spec promises in numbers: floor, ceiling and partition (decisions 1, 19, 20; game-workloads §2.2).
 * Computed apart from core on purpose: a judge that shares the code of the judged finds nothing.
 */
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { IntOrString } from '../../crds/kubernetes.ts';

export interface PromisedNumbers {
  replicas: number;
  maxUnavailable: number;
  maxSurge: number;
}

type Rounding = 'up' | 'down';

/** Replicas and budgets with percentages resolved. */
export function promisedNumbers(spec: GameDeployment['spec']): PromisedNumbers {
  const replicas = spec.replicas ?? 1;
  const { maxSurge = 0, maxUnavailable = '25%' } = spec.updateStrategy ?? {};
  const surge = resolveShare(maxSurge, replicas, 'up');
  const unavailable = resolveShare(maxUnavailable, replicas, surge === 0 ? 'up' : 'down');
  return { replicas, maxSurge: surge, maxUnavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/**
 * How many pods stay old: without steps the spec's partition; with steps that of the nearest step at or before
 * `stepIndex`, all replicas when there is none, 0 past the last step.
 */
export function promisedPartition(spec: GameDeployment['spec'], stepIndex: number): number {
  const replicas = spec.replicas ?? 1;
  const steps = spec.updateStrategy?.canary?.steps ?? [];
  if (steps.length > 0 && stepIndex >= steps.length) return 0;
  const ofSteps = steps.slice(0, stepIndex + 1).findLast((step) => step.partition !== undefined)?.partition;
  const ruling = steps.length > 0 ? (ofSteps ?? replicas) : (spec.updateStrategy?.partition ?? 0);
  return Math.min(replicas, resolveShare(ruling, replicas, 'down'));
}

function resolveShare(value: IntOrString, whole: number, rounding: Rounding): number {
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  if (percent === undefined) return Number(value);
  const share = (whole * Number(percent)) / 100;
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share);
}
