/** Whether a rollout starts, and between which revisions (decision 12). */
import type { WorkloadState } from './state.ts';

export interface RolloutChoice {
  fromRevision: string;
  toRevision: string;
  /** The template is the stable one again: pods come back without steps. */
  rolledBack: boolean;
}

interface Seen {
  updateRevision: string;
  firstCreation: boolean;
  counts: { perRevision: Record<string, number> };
}

/** True where the update revision becomes stable at once: nothing runs that could be rolled. */
export const isSettledAtOnce = ({ rollout }: WorkloadState, { firstCreation }: Seen): boolean =>
  firstCreation && rollout?.isOpen !== true;

/**
 * The API is to be asked whether it takes the template before a pod moves to it: also by a workload that lost its state, and
 * again at the next edit where it was refused, since what refused it (a policy, a class) may be gone.
 */
export function isProofDue(
  { proof, invalid }: WorkloadState,
  seen: { updateRevision: string | null; stableRevision: string; generation: number },
): boolean {
  if (seen.updateRevision === null || seen.updateRevision === seen.stableRevision) return false;
  if (proof.revision !== seen.updateRevision) return true;
  return invalid?.revision === seen.updateRevision && proof.generation !== seen.generation;
}

/**
 * It is to be asked once more about a template that it refused, also where that one is stable already, as at a first creation: what
 * is to blame may be another field of the spec, which was edited since, or a policy, which changes no generation: the resync tells.
 */
export const isRefusalOutdated = (
  { proof, invalid }: WorkloadState,
  seen: { updateRevision: string | null; generation: number },
): boolean =>
  invalid !== undefined &&
  invalid.revision === seen.updateRevision &&
  (proof.generation !== seen.generation || proof.isOutdated === true);

/** null: the rollout that is there, or none, is right. */
export function chooseRollout(state: WorkloadState, seen: Seen): RolloutChoice | null {
  const { rollout, stableRevision, invalid } = state;
  const { updateRevision } = seen;
  if (updateRevision === invalid?.revision) return null;
  if (rollout?.isOpen === true && rollout.toRevision === updateRevision) return null;
  const rolledBack = updateRevision === stableRevision;
  const hasStrays = Object.keys(seen.counts.perRevision).some((revision) => revision !== stableRevision);
  if (rolledBack && rollout?.isOpen !== true && !hasStrays) return null;
  return { fromRevision: stableRevision, toRevision: updateRevision, rolledBack };
}
