/**
 * Which partition was in force at a time, by the steps that a rollout's result tells of: the status of the object may say it minutes
 * later. A step is entered before the first pod is moved for it, so its entry's beginning is exact.
 */
import type { RolloutResult } from '../../core/rollout/types.ts';
import type { IntOrString } from '../../crds/kubernetes.ts';

export interface EndedRollout {
  /** `<namespace>/<name>` of the workload. */
  workload: string;
  result: RolloutResult;
}

interface Moment {
  workload: string;
  revision: string;
  atMs: number;
}

/** Undefined where no rollout to this revision was open then, or where it leaves the partition to the spec. */
export function partitionIn(rollouts: readonly EndedRollout[], { workload, revision, atMs }: Moment) {
  const isOpen = ({ startedAt, endedAt }: RolloutResult) =>
    Date.parse(startedAt) <= atMs && atMs <= Date.parse(endedAt);
  const open = rollouts.find(
    ({ result, workload: of }) => of === workload && result.toRevision === revision && isOpen(result),
  );
  return open && partitionAt(open.result, atMs);
}

/** That of the last step entered by then that has one: steps without it keep the one before. */
function partitionAt({ steps }: RolloutResult, atMs: number): IntOrString | undefined {
  const entered = steps.filter(({ startedAt }) => Date.parse(startedAt) <= atMs);
  const isPromoted = entered.some(
    ({ outcome, endedAt }) => outcome === 'promoted' && endedAt !== undefined && Date.parse(endedAt) <= atMs,
  );
  const partitions = entered.map(({ what }) => partitionOf(what)).filter((partition) => partition !== undefined);
  return isPromoted ? 0 : partitions.at(-1);
}

function partitionOf(what: string): IntOrString | undefined {
  if (what === 'all pods') return 0;
  const [, partition] = /^partition (\d+%?)$/.exec(what) ?? [];
  if (partition === undefined) return undefined;
  return partition.endsWith('%') ? partition : Number(partition);
}
