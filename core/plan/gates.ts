/**
 * The gate of one pod: the hook that must succeed before the pod is deleted or changed (game-workloads §2.8, decisions
 * 36 and 38). A result counts only for the pod's uid and the attempt of its mark.
 */
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookStep } from '../../crds/hook-step.ts';
import { describeUnresolved, podArguments, resolveArguments } from '../hooks/arguments.ts';
import { gateRunName } from '../hooks/names.ts';
import { ATTEMPT_LABEL, POD_UID_LABEL } from '../keys.ts';
import { notImplementedHook } from '../not-implemented.ts';
import { instanceIdOf } from '../pods.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Blocker, Mark, Move } from './types.ts';

export type Gate =
  /** No hook is configured, or the pod does not run. */
  | { state: 'exempt' }
  | { state: 'passed' }
  | { state: 'unmarked' }
  | { state: 'waiting'; runMissing: boolean }
  | { state: 'failed'; phase: string; message: string }
  /** The hook cannot be run at all. */
  | { state: 'blocked'; blocker: Blocker };

const FAILED_PHASES = new Set(['Failed', 'Error', 'Inconclusive', 'Terminated', 'Skipped']);

/** preDelete guards updates in place as well: preInplace hooks come with issue 5. */
const hookOf = ({ input }: Situation): HookStep | undefined => input.workload.spec.preDeleteUpdateStrategy?.hook;

function runOf(situation: Situation, view: PodView, mark: Mark): HookRun | undefined {
  return situation.input.hookRuns.find(
    ({ metadata }) =>
      metadata.name === mark.hookRun &&
      metadata.labels?.[POD_UID_LABEL] === view.uid &&
      metadata.labels?.[ATTEMPT_LABEL] === mark.attempt,
  );
}

/** Why the hook cannot be run for this pod, in one sentence with the field's path. */
function problemOf(situation: Situation, view: PodView, hook: HookStep): Blocker | undefined {
  const path = 'spec.preDeleteUpdateStrategy.hook';
  const template = situation.input.hookTemplates[hook.templateName];
  if (template === undefined) {
    const message = `${path}.templateName: HookTemplate "${hook.templateName}" does not exist in this namespace.`;
    return { reason: 'HookTemplateMissing', message, pod: view.name };
  }
  if (notImplementedHook(situation.input.workload, { [hook.templateName]: template }) !== null) {
    const message = `${path}.templateName: HookTemplate "${hook.templateName}" uses a provider that is not implemented.`;
    return { reason: 'NotImplemented', message, pod: view.name };
  }
  const resolution = resolveArguments(template.spec.args ?? [], hook.args ?? [], podArguments(view.pod));
  if (resolution.resolved) return undefined;
  const message = `${path}.args: ${describeUnresolved(hook.templateName, resolution.unresolved)}`;
  return { reason: 'HookArgumentUnresolved', message, pod: view.name };
}

function gateOfRun(situation: Situation, run: HookRun | undefined): Gate {
  const phase = run?.status?.phase;
  if (run === undefined) return { state: 'waiting', runMissing: true };
  if (phase === 'Successful') return { state: 'passed' };
  if (phase === undefined || !FAILED_PHASES.has(phase)) return { state: 'waiting', runMissing: false };
  const { retriedAtMs = 0, skippedAtMs = 0 } = situation.input.gates;
  // A person's word is about what had failed by then: a run that fails later is none of it.
  const failedMs = Date.parse(run.status?.finishedAt ?? run.metadata.creationTimestamp ?? '') || 0;
  if (failedMs <= skippedAtMs) return { state: 'passed' };
  if (failedMs <= retriedAtMs) return { state: 'unmarked' };
  return { state: 'failed', phase, message: run.status?.message ?? '' };
}

/** Where the pod stands before its gate. A mark for another target is none (decision 36). */
export function gateOfPod(situation: Situation, view: PodView, updatesTo?: string): Gate {
  const hook = hookOf(situation);
  if (hook === undefined || view.pod.status?.phase !== 'Running') return { state: 'exempt' };
  const { mark } = view;
  const isForThis =
    mark !== undefined && (updatesTo === undefined || mark.kind === 'scale-in' || mark.revision === updatesTo);
  const gate: Gate = isForThis ? gateOfRun(situation, runOf(situation, view, mark)) : { state: 'unmarked' };
  if (gate.state !== 'unmarked') return gate;
  const blocker = problemOf(situation, view, hook);
  return blocker === undefined ? gate : { state: 'blocked', blocker };
}

/** The move that chooses a pod and asks its hook, or that creates the HookRun which a kill left out. */
export function markMove(situation: Situation, view: PodView, kind: Mark['kind'], reason: string): Move {
  const template = hookOf(situation)?.templateName ?? '';
  const attempt = view.resourceVersion;
  const hookRun = gateRunName({
    gate: 'predelete',
    podRevision: view.revision,
    instanceId: instanceIdOf(view.pod),
    templateName: template,
    attempt,
  });
  const revision = kind === 'update' ? { revision: situation.target } : {};
  return { act: 'mark', ...itemOf(view, reason), template, mark: { kind, attempt, hookRun, ...revision } };
}

/** Repeats an existing mark: only its HookRun is created. */
export function remarkMove(situation: Situation, view: PodView, mark: Mark): Move {
  const template = hookOf(situation)?.templateName ?? '';
  return { act: 'mark', ...itemOf(view, `HookRun ${mark.hookRun} is missing`), template, mark };
}

export const itemOf = ({ name, uid, resourceVersion }: PodView, reason: string) => ({
  pod: name,
  uid,
  resourceVersion,
  reason,
});
