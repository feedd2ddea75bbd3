/** The reasons for which a workload is not Ready: a bounded set, so that they may be labels of a metric. */
import type { PauseReason } from '../../crds/workload-status.ts';
import type { Blocker } from '../plan/types.ts';
import { WORKFLOW_TASK_FAILED } from './blocked-run.ts';
import { REVISION_REFUSED } from './stalled.ts';

/** Each must be named here: a reason that is added to the union and not to this table does not compile. */
export const BLOCKING: Record<Blocker['reason'], true> = {
  PodsNotReady: true,
  GateWaiting: true,
  GateFailed: true,
  HookTemplateMissing: true,
  HookArgumentUnresolved: true,
  InPlaceNotPossible: true,
  PodCreateFailed: true,
  MoveRefused: true,
  WaitsForDeletion: true,
  WaitsForIndex: true,
  FailedScale: true,
  PodTerminating: true,
  ClaimTerminating: true,
  Suspended: true,
  NotImplemented: true,
  RevisionMissing: true,
  PostInplaceHookFailed: true,
};

const PAUSING: Record<PauseReason, true> = {
  PausedByUser: true,
  PausedByCanaryPauseStep: true,
  PausedByStepBasedHook: true,
  PausedByPrewarm: true,
  PausedByLostRun: true,
};

const OF_THE_ROLLOUT = ['InvalidTemplate', 'RolloutAborted', 'RolloutInProgress', 'PartitionReached'];

export const READY_REASONS: ReadonlySet<string> = new Set([
  ...[...Object.keys(BLOCKING), ...Object.keys(PAUSING), ...OF_THE_ROLLOUT, WORKFLOW_TASK_FAILED, REVISION_REFUSED],
]);
