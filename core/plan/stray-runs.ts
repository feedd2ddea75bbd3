/**
 * HookRuns that nobody waits for (docs/adr/0016). Whoever uses or discards a run removes it; what a kill leaves behind is found
 * here, by what stands on pods and revisions. Pure.
 */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import { isTerminal } from '../hooks/phases.ts';
import { ATTEMPT_LABEL, HOOK_RUN_TYPE_LABEL, POD_UID_LABEL, WORKLOAD_REVISION_LABEL } from '../keys.ts';
import { momentOf } from '../moments.ts';
import { isTerminating } from '../pods.ts';
import { runsNamedBy } from './pod-view.ts';
import type { PlanInput } from './types.ts';

type Seen = Pick<PlanInput<GameWorkload>, 'pods' | 'hookRuns' | 'revisions' | 'nowMs'>;

/** A run is made after its mark, and the watch of pods may be behind that of runs. */
const YOUNG_MS = 60_000;
/**
 * Of each hook of one workload's pods: what a person may want to look at. One that failed after an update may hold up others when
 * its pod is gone: those before other moves, however many fail, do not take its place.
 */
const FAILED_KEPT = 20;

const isOver = ({ status }: HookRun): boolean => isTerminal(status?.phase);
/** It ended, and not well: it is kept for people. */
export const hasFailed = (run: HookRun): boolean => isOver(run) && run.status?.phase !== 'Successful';

const finishedMs = ({ metadata, status }: HookRun): number =>
  momentOf(status?.finishedAt ?? metadata.creationTimestamp) || 0;

/** A name means a run only together with the uid of the pod. */
function isAwaited({ metadata: { name, labels } }: HookRun, { pods }: Seen): boolean {
  const pod = pods.find(({ metadata }) => metadata.uid === labels?.[POD_UID_LABEL]);
  return pod !== undefined && !isTerminating(pod) && runsNamedBy(pod).includes(name);
}

function strayRunsOfPods(seen: Seen): HookRun[] {
  const isOfPod = ({ metadata: { labels } }: HookRun) => labels?.[POD_UID_LABEL] !== undefined;
  const isYoung = ({ metadata }: HookRun) => momentOf(metadata.creationTimestamp) + YOUNG_MS > seen.nowMs;
  const strays = seen.hookRuns.filter((run) => isOfPod(run) && !isYoung(run) && !isAwaited(run, seen));
  const failed = strays.filter(hasFailed).sort((a, b) => finishedMs(b) - finishedMs(a));
  const kept = new Set(
    Object.values(Object.groupBy(failed, typeOf)).flatMap((runs = []) => runs.slice(0, FAILED_KEPT)),
  );
  return strays.filter((run) => !kept.has(run));
}

const typeOf = ({ metadata: { labels } }: HookRun): string => labels?.[HOOK_RUN_TYPE_LABEL] ?? '';

/** Runs of canary steps go with their revision: the history of revisions bounds theirs. */
function strayRunsOfSteps({ hookRuns, revisions }: Seen): HookRun[] {
  const known = new Set(revisions.map(({ name }) => name));
  return hookRuns.filter((run) => {
    const {
      [HOOK_RUN_TYPE_LABEL]: type,
      [WORKLOAD_REVISION_LABEL]: revision = '',
      ...labels
    } = run.metadata.labels ?? {};
    return type === 'canary-step' && ATTEMPT_LABEL in labels && isOver(run) && !known.has(revision);
  });
}

/** None that an existing operator made. */
export const strayRuns = (seen: Seen): HookRun[] => [...strayRunsOfPods(seen), ...strayRunsOfSteps(seen)];
