/** What is said of a workload that cannot say it itself: its workflow is stuck, or waits for a write that is refused (design §4 and §6.4). */
import type { GameWorkload, GameWorkloadStatus } from '../../crds/game-workload.ts';
import type { Condition } from '../../crds/kubernetes.ts';
import { toCondition } from './conditions.ts';

/** Reason of `Stalled` and of `Ready=False` while the API refuses to record the template. */
export const REVISION_REFUSED = 'RevisionRefused';

export interface Finding {
  reason: string;
  message: string;
}

/** Without a message: for that reason, whatever is said of it; without a generation: of any. */
export const isSaid = (
  conditions: Condition[] = [],
  { reason, message, generation }: Partial<Finding> & { generation?: number },
): boolean =>
  conditions.some(
    (said) =>
      said.type === 'Stalled' &&
      said.reason === reason &&
      said.message === (message ?? said.message) &&
      said.observedGeneration === (generation ?? said.observedGeneration),
  );

/** The conditions with the finding in them; all others stay as the workload wrote them last. */
export function withStall(conditions: Condition[], finding: Finding, generation: number, nowMs: number): Condition[] {
  const said = [
    toCondition('Ready', { ...finding, status: 'False' }, conditions, generation, nowMs),
    toCondition('Stalled', { ...finding, status: 'True' }, conditions, generation, nowMs),
  ];
  return [...conditions.filter(({ type }) => type !== 'Ready' && type !== 'Stalled'), ...said];
}

/** The rest of the status as it is. */
export function stalledStatus({ metadata, status }: GameWorkload, finding: Finding, nowMs: number): GameWorkloadStatus {
  return { ...status, conditions: withStall(status?.conditions ?? [], finding, metadata.generation ?? 0, nowMs) };
}

/**
 * Where the API refuses to record the template: of the generation that was refused, since kstatus (Helm, Flux) reads no condition of a
 * status that is behind. How many pods run what is asked for is not known then. A status of an existing operator stays behind: only
 * its `observedGeneration` tells which spec it is of.
 */
export function refusedStatus(workload: GameWorkload, finding: Finding, nowMs: number): GameWorkloadStatus {
  const { generation = 0 } = workload.metadata;
  const stalled = stalledStatus(workload, finding, nowMs);
  const isTheirs = stalled.updateRevision !== undefined && availableGeneration(stalled) === undefined;
  if (isTheirs || recordedGeneration(stalled) === generation) return stalled;
  const { updatedReplicas: _pods, updatedReadyReplicas: _ready, ...known } = stalled;
  return { ...known, observedGeneration: generation };
}

/** `Available` is written with the whole status only. */
const availableGeneration = ({ conditions = [] }: GameWorkloadStatus): number | undefined =>
  conditions.find(({ type }) => type === 'Available')?.observedGeneration;

/** The generation of which a whole status tells: what a refusal says of one says nothing of its pods. 0: of none. */
export const seenGeneration = (status: GameWorkloadStatus = {}): number =>
  availableGeneration(status) ??
  (isSaid(status.conditions, { reason: REVISION_REFUSED }) ? 0 : (status.observedGeneration ?? 0));

/** The generation of the spec whose revision the status names: behind `observedGeneration` while that of a later one is refused. */
export const recordedGeneration = (status: GameWorkloadStatus): number | undefined =>
  availableGeneration(status) ?? status.observedGeneration;
