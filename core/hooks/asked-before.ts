/** Gates that an existing operator left half way (decision 2): it chose a pod to go and asked its hook. Pure. */
import type { HookRun } from '../../crds/hook-run.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import {
  HOOK_RUN_TYPE_LABEL,
  INSTANCE_LABEL,
  MOVE_ANNOTATION,
  POD_DELETING_ANNOTATION,
  POD_UID_LABEL,
  WORKLOAD_REVISION_LABEL,
} from '../keys.ts';
import { instanceIdOf, revisionOf } from '../pods.ts';
import type { HookRunType } from './hook-run.ts';

/**
 * Their annotation alone tells nothing, since they never take it off: the HookRun must be there, too. Its verdict is not
 * ours to use, for it names no uid (decision 36).
 */
export function isChosenBefore(pod: Pod, hookRuns: HookRun[]): boolean {
  const { annotations = {} } = pod.metadata;
  if (annotations[POD_DELETING_ANNOTATION] !== 'true' || annotations[MOVE_ANNOTATION] !== undefined) return false;
  return runsAskedBefore(pod, hookRuns, ['pre-delete-step']).length > 0;
}

/** What they ask before a pod is deleted or changed. */
const ASKED_BEFORE: readonly HookRunType[] = ['pre-delete-step', 'pre-inplace-step'];

/** Their HookRuns for this pod. */
export const runsAskedBefore = (
  pod: Pod,
  hookRuns: HookRun[],
  types: readonly HookRunType[] = ASKED_BEFORE,
): HookRun[] =>
  hookRuns.filter(
    ({ metadata: { labels = {} } }) =>
      types.some((type) => type === labels[HOOK_RUN_TYPE_LABEL]) &&
      labels[POD_UID_LABEL] === undefined &&
      labels[WORKLOAD_REVISION_LABEL] === revisionOf(pod) &&
      labels[INSTANCE_LABEL] === instanceIdOf(pod),
  );
