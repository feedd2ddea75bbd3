/**
 * Hooks after updates in place that failed, and whose pods are gone since (decision 37): losing the pod mends nothing. The
 * HookRun is what is left of it; its pod's replacement owes no hook. A person's word, or the removal of the run, ends it.
 */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { HookRun } from '../../crds/hook-run.ts';
import { GATE_RUN_TYPES } from '../hooks/hook-run.ts';
import { HOOK_RUN_TYPE_LABEL, INSTANCE_LABEL, POD_UID_LABEL, WORKLOAD_REVISION_LABEL } from '../keys.ts';
import { momentOf } from '../moments.ts';
import { describeEnd, gateOfRun, wordsFor, wordsOf } from './gates.ts';
import { hookOf } from './pod-hooks.ts';
import type { Situation } from './situation.ts';
import type { Blocker, PlanInput } from './types.ts';

function isOfGonePod(target: string, living: ReadonlySet<string>, { metadata }: HookRun): boolean {
  const {
    [POD_UID_LABEL]: uid,
    [HOOK_RUN_TYPE_LABEL]: type,
    [WORKLOAD_REVISION_LABEL]: revision,
  } = metadata.labels ?? {};
  const isOfTarget = type === GATE_RUN_TYPES.postinplace && revision === target && uid !== undefined;
  return isOfTarget && metadata.deletionTimestamp === undefined && !living.has(uid);
}

/** Runs that nobody waits for any more are ended by us: only one that a person ended has failed. */
function isEndedByUs({ input }: Situation, pod: string, { metadata, status }: HookRun): boolean {
  return status?.phase === 'Terminated' && momentOf(metadata.creationTimestamp) > wordsOf(input.gates, pod).abortedAtMs;
}

/** An abort, or another template, came after it: pods move to this target anew. */
function isOfEarlierAttempt({ input, target }: Situation, { metadata, status }: HookRun): boolean {
  const known = input.gates.target;
  const failedMs = momentOf(status?.finishedAt ?? metadata.creationTimestamp) || 0;
  return known?.revision === target && failedMs <= known.sinceMs;
}

/** Of the pod that it was about, which may be gone. */
const podNameOf = ({ workload }: Pick<PlanInput<GameWorkload>, 'workload'>, { metadata }: HookRun): string =>
  `${workload.metadata.name}-${metadata.labels?.[INSTANCE_LABEL]}`;

/** Pods that people spoke of and of which nothing is left: no pod of the name, and no HookRun that the word may be about. */
export function namesWithoutUse(
  input: Pick<PlanInput<GameWorkload>, 'gates' | 'pods' | 'hookRuns' | 'workload'>,
): string[] {
  const named = Object.keys(input.gates.pods ?? {});
  if (named.length === 0) return [];
  const left = new Set([
    ...input.pods.map(({ metadata }) => metadata.name),
    ...input.hookRuns.map((run) => podNameOf(input, run)),
  ]);
  return named.filter((name) => !left.has(name));
}

function blockerOf(situation: Situation, run: HookRun): Blocker[] {
  const { name } = run.metadata;
  const pod = podNameOf(situation.input, run);
  const gate = gateOfRun(situation, pod, run);
  if (gate.state !== 'failed' || isEndedByUs(situation, pod, run) || isOfEarlierAttempt(situation, run)) return [];
  const waysOut = `${wordsFor(situation, pod)}, abort the rollout, or delete the HookRun`;
  return [
    {
      reason: 'PostInplaceHookFailed',
      message: `${describeEnd(pod, name, gate)}, and the pod is gone; ${waysOut}.`,
      pod,
      sinceMs: gate.sinceMs,
    },
  ];
}

/** They hold up updates to the target of their pods, and nothing on the way back to stable. */
export function failuresOfGonePods(situation: Situation): Blocker[] {
  const { input, target, stable, active } = situation;
  if (target === stable || hookOf(input.workload, 'postinplace') === undefined) return [];
  const living = new Set(active.map(({ uid }) => uid));
  return input.hookRuns.filter((run) => isOfGonePod(target, living, run)).flatMap((run) => blockerOf(situation, run));
}
