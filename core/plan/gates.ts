/**
 * The gate of one pod: the hook that must succeed before the pod is deleted or changed, and how any hook of a pod stands
 * (game-workloads §2.8, decisions 36 and 38). A result counts only for the pod's uid and the attempt of its mark.
 */
import type { HookRun } from '../../crds/hook-run.ts';
import type { HookStep } from '../../crds/hook-step.ts';
import { holdfastCommand } from '../command-text.ts';
import { describeUnresolved, resolveArguments } from '../hooks/arguments.ts';
import { gateTypeOf } from '../hooks/hook-run.ts';
import { type GateType, gateRunName } from '../hooks/names.ts';
import { isTerminal } from '../hooks/phases.ts';
import { ATTEMPT_LABEL, POD_UID_LABEL } from '../keys.ts';
import { momentOf } from '../moments.ts';
import { notImplementedHook } from '../not-implemented.ts';
import { instanceIdOf } from '../pods.ts';
import { builtInsOf, gateOfMark, hookOf, hookPath } from './pod-hooks.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Blocker, GateDecisions, GateWord, Mark, Move } from './types.ts';

export type Gate =
  /** No hook is configured, or the pod does not run. */
  | { state: 'exempt' }
  | { state: 'passed' }
  /** The hook has to be asked, for the first time or once more. */
  | { state: 'unmarked' }
  /** `isUnwanted`: a person wants the run to be ended. */
  | { state: 'waiting'; runMissing: boolean; isUnwanted?: boolean; sinceMs?: number }
  | { state: 'failed'; phase: string; message: string; sinceMs?: number }
  /** The hook cannot be run at all. */
  | { state: 'blocked'; blocker: Blocker };

/** What is done with one pod: a move, or nothing yet. `blocker` says what it waits for. */
export interface Step {
  move?: Move;
  blocker?: Blocker;
}

/** All that the steps come to, in their order. */
export function gather(steps: readonly Step[]): { moves: Move[]; blockers: Blocker[] } {
  const moves: Move[] = [];
  const blockers: Blocker[] = [];
  for (const { move, blocker } of steps) {
    if (move !== undefined) moves.push(move);
    if (blocker !== undefined) blockers.push(blocker);
  }
  return { moves, blockers };
}

/** What a pod is marked for. */
export type Purpose = Pick<Mark, 'kind' | 'gate' | 'revision' | 'isRetry'>;

const runOf = ({ input }: Situation, { uid }: PodView, mark: Mark): HookRun | undefined =>
  input.hookRuns.find(
    ({ metadata }) =>
      metadata.name === mark.hookRun &&
      metadata.labels?.[POD_UID_LABEL] === uid &&
      metadata.labels?.[ATTEMPT_LABEL] === mark.attempt,
  );

/** The hook of its mark has said that the pod may move; a person's skip is another matter. */
export const hasConsent = (situation: Situation, view: PodView): boolean =>
  view.mark !== undefined && runOf(situation, view, view.mark)?.status?.phase === 'Successful';

/** Why the hook cannot be run for this pod, in one sentence with the field's path. */
function problemOf({ input }: Situation, view: PodView, purpose: Purpose, hook: HookStep): Blocker | undefined {
  const path = hookPath(gateOfMark(purpose));
  const template = input.hookTemplates[hook.templateName];
  if (template === undefined) {
    const message = `${path}.templateName: HookTemplate "${hook.templateName}" does not exist in this namespace.`;
    return { reason: 'HookTemplateMissing', message, pod: view.name };
  }
  if (notImplementedHook(input.workload, { [hook.templateName]: template }) !== null) {
    const message = `${path}.templateName: HookTemplate "${hook.templateName}" uses a provider that is not implemented.`;
    return { reason: 'NotImplemented', message, pod: view.name };
  }
  const builtIns = builtInsOf(view.pod, purpose, input.revisions);
  const resolution = resolveArguments(template.spec.args ?? [], hook.args ?? [], builtIns);
  if (resolution.resolved) return undefined;
  const message = `${path}.args: ${describeUnresolved(hook.templateName, resolution.unresolved)}`;
  return { reason: 'HookArgumentUnresolved', message, pod: view.name };
}

/** When people spoke last of this pod's hooks, of this hook of all pods, or of all; 0 where nobody did. */
export function wordsOf(gates: GateDecisions, pod: string, gate?: GateType): Required<GateWord> {
  const own = gates.pods?.[pod] ?? {};
  const hook = gate === undefined ? undefined : gates.hooks?.[gate];
  return {
    retriedAtMs: Math.max(gates.retriedAtMs ?? 0, own.retriedAtMs ?? 0, hook?.retriedAtMs ?? 0),
    skippedAtMs: Math.max(gates.skippedAtMs ?? 0, own.skippedAtMs ?? 0),
    abortedAtMs: Math.max(gates.abortedAtMs ?? 0, own.abortedAtMs ?? 0),
  };
}

/** What the run says, and people said about it since; `pod` is the name that they call its pod by. */
export function gateOfRun(situation: Situation, pod: string, run: HookRun | undefined): Gate {
  const phase = run?.status?.phase;
  if (run === undefined) return { state: 'waiting', runMissing: true };
  if (phase === 'Successful') return { state: 'passed' };
  const { retriedAtMs, skippedAtMs, abortedAtMs } = wordsOf(situation.input.gates, pod, gateTypeOf(run));
  if (phase === undefined || !isTerminal(phase)) {
    const sinceMs = momentOf(run.metadata.creationTimestamp) || 0;
    const isUnwanted = sinceMs > 0 && sinceMs <= abortedAtMs && run.spec.terminate !== true;
    return { state: 'waiting', runMissing: false, isUnwanted, sinceMs };
  }
  // A person's word is about what had failed by then: a run that fails later is none of it (activities/hooks/server-clock.ts).
  const failedMs = Date.parse(run.status?.finishedAt ?? run.metadata.creationTimestamp ?? '') || 0;
  if (failedMs <= skippedAtMs) return { state: 'passed' };
  if (failedMs <= retriedAtMs) return { state: 'unmarked' };
  return { state: 'failed', phase, message: run.status?.message ?? '', sinceMs: failedMs };
}

/** There is no run that could be passed: what is wrong has to be mended. */
const withWayOut = ({ message }: Blocker): string =>
  `${message.replace(/\.$/, '')}; skip does not pass it: correct that, or take the hook out of the spec.`;

/** How the run of the mark stands; without a mark it is yet to be asked for. What cannot be asked is told with its reason. */
export function judgeMark(situation: Situation, view: PodView, mark: Mark | undefined, purpose: Purpose): Gate {
  const hook = hookOf(situation.input.workload, gateOfMark(purpose));
  if (hook === undefined) return { state: 'exempt' };
  const gate: Gate =
    mark === undefined ? { state: 'unmarked' } : gateOfRun(situation, view.name, runOf(situation, view, mark));
  const isToBeAsked = gate.state === 'unmarked' || (gate.state === 'waiting' && gate.runMissing);
  const blocker = isToBeAsked ? problemOf(situation, view, purpose, hook) : undefined;
  return blocker === undefined ? gate : { state: 'blocked', blocker: { ...blocker, message: withWayOut(blocker) } };
}

/** What passes the gate: `isInPlace`, an update that keeps the pod. */
export interface Passing {
  purpose: Purpose;
  isInPlace: boolean;
}

/**
 * The question of the mark is the one that is asked now (decision 36). Whether a pod may be deleted is one question for the scale-in
 * and for the update to the present target; a mark that does not say what for was made by a release of before.
 */
function servesFor({ target }: Situation, mark: Mark, { purpose, isInPlace }: Passing): boolean {
  if (gateOfMark(mark) !== gateOfMark(purpose)) return false;
  if (mark.kind === 'scale-in') return !isInPlace;
  return mark.revision === undefined || mark.revision === (purpose.revision ?? target);
}

/** Where the pod stands before its gate. A mark for something else is none. */
export function gateOfPod(situation: Situation, view: PodView, passing: Passing): Gate {
  if (view.pod.status?.phase !== 'Running') return { state: 'exempt' };
  const { mark } = view;
  const isForThis = mark !== undefined && servesFor(situation, mark, passing);
  return judgeMark(situation, view, isForThis ? mark : undefined, passing.purpose);
}

/** Name of the run that is asked for with the version of the pod that the mark is written on. */
const runNameOf = (view: PodView, gate: GateType, template: string): string =>
  gateRunName({
    gate,
    podRevision: view.revision,
    instanceId: instanceIdOf(view.pod),
    templateName: template,
    attempt: view.resourceVersion,
  });

/** The move that chooses a pod and asks its hook anew. */
export function markMove(situation: Situation, view: PodView, purpose: Purpose, reason: string): Move {
  const gate = gateOfMark(purpose);
  const template = hookOf(situation.input.workload, gate)?.templateName ?? '';
  const mark: Mark = { ...purpose, attempt: view.resourceVersion, hookRun: runNameOf(view, gate, template) };
  return { act: 'mark', ...itemOf(view, reason), template, mark };
}

/** Repeats an existing mark: only its HookRun is created. */
function remarkMove(situation: Situation, view: PodView, mark: Mark): Move {
  const template = hookOf(situation.input.workload, gateOfMark(mark))?.templateName ?? '';
  const isUpdated = mark.kind === 'updated';
  const reason = isUpdated ? `asks its hook after ${view.revision}` : `HookRun ${mark.hookRun} is missing`;
  return { act: 'mark', ...itemOf(view, reason), template, mark };
}

/** What is done while the verdict is missing, or whom the pod waits for. */
export function awaitRun(
  situation: Situation,
  view: PodView,
  mark: Mark,
  { runMissing, isUnwanted, sinceMs }: WaitingGate,
): Step {
  if (runMissing) return { move: remarkMove(situation, view, mark) };
  const { hookRun } = mark;
  if (isUnwanted) return { move: { act: 'end-hook', ...itemOf(view, 'a person has aborted its hook'), hookRun } };
  const message = `Pod ${view.name} waits for HookRun ${hookRun}.`;
  return { blocker: { reason: 'GateWaiting', message, pod: view.name, sinceMs } };
}

type WaitingGate = Extract<Gate, { state: 'waiting' }>;

export const itemOf = ({ name, uid, resourceVersion }: PodView, reason: string) => ({
  pod: name,
  uid,
  resourceVersion,
  reason,
});

/** How a hook of the pod ended; the beginning of a sentence. */
export function describeEnd(pod: string, hookRun: string, { phase, message }: FailedGate): string {
  const detail = message === '' ? '' : `: ${message.replace(/\.$/, '')}`;
  return `HookRun ${hookRun} of pod ${pod} ended ${phase}${detail}`;
}

/** What a person may say of a hook that failed, with a command that says it. */
export const wordsFor = ({ input }: Situation, pod: string): string =>
  `send retry or skip, as with \`${holdfastCommand('retry', input.workload, `--pod ${pod}`)}\``;

/** A hook of the pod failed: one sentence that says what ends that, and since when. */
export const failureOf = (
  situation: Situation,
  view: PodView,
  mark: Mark | undefined,
  gate: FailedGate,
): Omit<Blocker, 'reason'> => ({
  message: `${describeEnd(view.name, mark?.hookRun ?? '', gate)}; ${wordsFor(situation, view.name)}.`,
  pod: view.name,
  sinceMs: gate.sinceMs,
});

type FailedGate = Extract<Gate, { state: 'failed' }>;
