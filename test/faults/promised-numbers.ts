/**
 * What a workload's spec promises in numbers: floor, ceiling and partition (decisions 1, 19, 20; game-workloads §2.2). Computed
 * apart from core on purpose: a judge that shares the code of the judged finds nothing.
 */
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { GameStatefulSet } from '../../crds/game-stateful-set.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { IntOrString, Pod } from '../../crds/kubernetes.ts';

export interface PromisedNumbers {
  replicas: number;
  maxUnavailable: number;
  maxSurge: number;
}

type Rounding = 'up' | 'down';

const isSet = (workload: GameWorkload): workload is GameStatefulSet => workload.kind === 'GameStatefulSet';

/** Replicas and budgets with percentages resolved. */
export function promisedNumbers(workload: GameWorkload): PromisedNumbers {
  const { replicas, maxUnavailable, maxSurge } = isSet(workload) ? ofSet(workload) : ofDeployment(workload);
  return { replicas, maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

function ofDeployment({ spec }: GameDeployment): PromisedNumbers {
  const replicas = spec.replicas ?? 1;
  const { maxSurge = 0, maxUnavailable = '25%' } = spec.updateStrategy ?? {};
  const surge = resolveShare(maxSurge, replicas, 'up');
  return {
    replicas,
    maxSurge: surge,
    maxUnavailable: resolveShare(maxUnavailable, replicas, surge === 0 ? 'up' : 'down'),
  };
}

/** Only pods that need not wait for each other have a surge, and only where somebody updates them. */
function ofSet({ spec }: GameStatefulSet): PromisedNumbers {
  const replicas = spec.replicas ?? 1;
  const { rollingUpdate: { maxSurge = 0, maxUnavailable = '25%' } = {}, type } = spec.updateStrategy ?? {};
  const hasSurge = spec.podManagementPolicy === 'Parallel' && type !== 'OnDelete';
  const surge = hasSurge ? resolveShare(maxSurge, replicas, 'up') : 0;
  return { replicas, maxSurge: surge, maxUnavailable: resolveShare(maxUnavailable, replicas, 'up') };
}

/** Seconds that a pod must have been ready for. */
export const promisedPatience = (workload: GameWorkload): number =>
  isSet(workload) ? 0 : (workload.spec.minReadySeconds ?? 0);

const ordinalOf = ({ metadata: { name } }: Pod): number => Number(name.slice(name.lastIndexOf('-') + 1));

/** Place of a GameStatefulSet's pod, counted from 0 over the ordinals that nobody reserved; undefined for the other kind. */
export function placeOf(workload: GameWorkload, pod: Pod): number | undefined {
  if (!isSet(workload)) return undefined;
  const ordinal = ordinalOf(pod);
  return ordinal - new Set(workload.spec.reserveOrders?.filter((reserved) => reserved < ordinal)).size;
}

/** The pod of a set is one of its replicas: nobody reserved its ordinal, and it is not beyond them. */
export function hasPlace(workload: GameStatefulSet, pod: Pod): boolean {
  const { replicas = 1, reserveOrders = [] } = workload.spec;
  return !reserveOrders.includes(ordinalOf(pod)) && placeOf(workload, pod)! < replicas;
}

/**
 * How many pods stay old: without steps the spec's partition; with steps that of the nearest step at or before
 * `stepIndex`, all replicas when there is none, 0 past the last step.
 */
export function promisedPartition(workload: GameWorkload, stepIndex: number): number {
  const { spec } = workload;
  const steps = spec.updateStrategy?.canary?.steps ?? [];
  if (steps.length > 0 && stepIndex >= steps.length) return 0;
  const ofSteps = steps.slice(0, stepIndex + 1).findLast((step) => step.partition !== undefined)?.partition;
  const ruling = steps.length > 0 ? (ofSteps ?? '100%') : (partitionOf(workload) ?? 0);
  return keptOld(ruling, workload);
}

/** How many pods a partition keeps. */
export function keptOld(partition: IntOrString, { spec: { replicas = 1 } }: GameWorkload): number {
  return Math.min(replicas, resolveShare(partition, replicas, 'down'));
}

const partitionOf = (workload: GameWorkload): IntOrString | undefined =>
  isSet(workload) ? workload.spec.updateStrategy?.rollingUpdate?.partition : workload.spec.updateStrategy?.partition;

function resolveShare(value: IntOrString, whole: number, rounding: Rounding): number {
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  if (percent === undefined) return Number(value);
  const share = (whole * Number(percent)) / 100;
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share);
}
