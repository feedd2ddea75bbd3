/** When a finished run has stood long enough (decision 33), and how long the step of a canary may still ask for it. Pure. */

import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import { CANARY_STEP_LABEL, HOOK_RUN_TYPE_LABEL, WORKLOAD_REVISION_LABEL } from '../keys.ts';
import { isTerminal } from './phases.ts';

/**
 * An attempt at creating a step's run takes up to 30 s and the next begins within 30 s; meanwhile the workload's status may not yet
 * know the step. Five minutes are time for several attempts whose answers are lost, or whose workers die.
 */
const SETTLING_MS = 300_000;

/** Epoch milliseconds from which on the run may be deleted; undefined while it runs, and where it is to stay. */
export function expiresAtMs({
  metadata,
  spec,
  status,
}: Pick<HookRun, 'metadata' | 'spec' | 'status'>): number | undefined {
  const { ttlSecondsAfterFinished } = spec;
  const finishedAtMs = Date.parse(status?.finishedAt ?? '');
  if (ttlSecondsAfterFinished === undefined || !isTerminal(status?.phase) || Number.isNaN(finishedAtMs))
    return undefined;
  const ttlMs = ttlSecondsAfterFinished * 1000;
  return finishedAtMs + (isOfStep({ metadata }) ? Math.max(ttlMs, SETTLING_MS) : ttlMs);
}

/** Is it the run of a canary step? */
export const isOfStep = ({ metadata }: Pick<HookRun, 'metadata'>): boolean =>
  metadata.labels?.[HOOK_RUN_TYPE_LABEL] === 'canary-step';

/**
 * May the rollout still ask for the run? One whose creation is tried again makes it once more if it is gone. Neither a status
 * that has not come to the step yet nor one that names the run tells that the rollout has moved on; an aborted one has.
 */
export function isStepOpen({ metadata: { labels = {} } }: HookRun, { status = {} }: GameWorkload): boolean {
  const { updateRevision, currentStepIndex, conditions = [] } = status;
  if (updateRevision !== labels[WORKLOAD_REVISION_LABEL] || currentStepIndex === undefined) return false;
  if (conditions.some(({ type, reason }) => type === 'Progressing' && reason === 'RolloutAborted')) return false;
  return currentStepIndex <= Number(labels[CANARY_STEP_LABEL]);
}
