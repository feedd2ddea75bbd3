/** Where a workload stands, answered once for all of its conditions: is a rollout open, what holds it, what is broken. */
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { PauseReason } from '../../crds/workload-status.ts';
import { holdfastCommand, inTemporalNamespace } from '../command-text.ts';
import { SUSPEND_ANNOTATION } from '../keys.ts';
import { notImplementedField, notImplementedHook } from '../not-implemented.ts';
import type { Blocker, Plan, PlanInput } from '../plan/types.ts';
import type { RolloutView } from '../rollout/types.ts';
import { signalCommand, waysToResume } from './resume.ts';
import { timestamp } from './sentence.ts';
import { dated, type FirstMoments, sinceWhen } from './since.ts';

export interface StatusInput {
  facts: PlanInput<GameWorkload>;
  plan: Plan;
  /** null: no rollout has spoken yet, or none is open. */
  view: RolloutView | null;
  /** The revision that the API refused in a dry run, with its sentence. */
  invalid?: { revision: string; message: string; sinceMs?: number };
  /** Of blockers that are not new and date nothing themselves. */
  since?: FirstMoments;
  /** Pods are on the move. */
  moving: boolean;
  /** Consumed values of the resume annotation, the oldest first. */
  consumedResume: string[];
  collisionCount?: number;
  /** Why the spec does not say what the annotation `holdfast.dev/write-paused` asks for: one sentence. */
  pauseTrouble?: string;
}

export interface Finding<R extends string = string> {
  reason: R;
  message: string;
}

export interface Outlook {
  workload: GameWorkload;
  plan: Plan;
  view: RolloutView | null;
  updateRevision: string;
  /** Some pods are to run another revision than the stable one, or a rollout says that it is not done. */
  isOpen: boolean;
  notImplemented: Finding | null;
  invalid: Finding | null;
  suspended: Finding | null;
  isAborted: boolean;
  pause: Finding<PauseReason> | null;
  deadline: Finding | null;
  blockers: Blocker[];
  /** Nothing more moves under a partition of the spec, and no step is left that would lower it. */
  isHeldByPartition: boolean;
}

const CLOSED = new Set<RolloutView['phase']>(['Completed', 'RolledBack', 'Superseded']);

export const isOpenView = (view: RolloutView | null): view is RolloutView => view !== null && !CLOSED.has(view.phase);

export function outlookOf(input: StatusInput): Outlook {
  const { facts, plan, view, invalid, since = {} } = input;
  const { workload, updateRevision, stableRevision } = facts;
  const missing = notImplementedField(workload) ?? notImplementedHook(workload, facts.hookTemplates);
  const isOpen = isOpenView(view) || updateRevision !== stableRevision;
  const blockers = plan.blockers.map((blocker) => dated(blocker, since, facts.nowMs));
  return {
    workload,
    plan,
    view,
    updateRevision,
    isOpen,
    notImplemented: missing === null ? null : { reason: 'NotImplemented', message: missing.message },
    invalid: invalid?.revision === updateRevision ? { reason: 'InvalidTemplate', message: sinceWhen(invalid) } : null,
    suspended: suspendedOf(workload, blockers),
    isAborted: view?.phase === 'Aborted',
    pause: withTrouble(pauseOf(input), input.pauseTrouble),
    deadline: isOpenView(view) ? deadlineOf(workload, view) : null,
    blockers: blockers.map((blocker) => ({ ...blocker, message: sinceWhen(blocker) })),
    isHeldByPartition: isOpen && plan.reached && plan.resolved.partition > 0 && !hasStepsLeft(view),
  };
}

function suspendedOf({ metadata }: GameWorkload, blockers: Blocker[]): Finding | null {
  if (metadata.annotations?.[SUSPEND_ANNOTATION] !== 'true') return null;
  const message = 'No pod is moved or replaced while the annotation holdfast.dev/suspend is "true": remove it to go on';
  const { sinceMs } = blockers.find(({ reason }) => reason === 'Suspended') ?? {};
  return { reason: 'Suspended', message: sinceWhen({ message, sinceMs }) };
}

/** The deadline stops nothing: a person decides whether to wait on. */
function deadlineOf(workload: GameWorkload, { blocked, temporalNamespace }: RolloutView): Finding | null {
  if (blocked === undefined) return null;
  const said = blocked.message.replace(/[.\s]+$/, '');
  const abort = holdfastCommand('abort', workload, ...inTemporalNamespace(temporalNamespace));
  const back = `take the pods back with \`${abort}\``;
  const message = `${said}; it goes on trying: change the template, or ${back}`;
  return { ...blocked, message: sinceWhen({ ...blocked, message }) };
}

const hasStepsLeft = (view: RolloutView | null): boolean => view !== null && view.stepIndex < view.stepCount;

const withTrouble = (pause: Finding<PauseReason> | null, trouble: string | undefined): typeof pause =>
  pause === null || trouble === undefined ? pause : { ...pause, message: `${pause.message}. ${trouble}` };

/** The pause that a person sees: the rollout's own first, since `paused: true` beside it is how existing users set it. */
function pauseOf({ facts, view }: StatusInput): Finding<PauseReason> | null {
  const pause = isOpenView(view) ? view.pause : undefined;
  const isPausedBySpec = facts.workload.spec.updateStrategy?.paused === true;
  if (isOpenView(view) && pause !== undefined && !(isPausedBySpec && pause.reason === 'PausedByUser')) {
    return { reason: pause.reason, message: rolloutPause(facts, view, pause) };
  }
  if (!isPausedBySpec) return null;
  const since = pause === undefined ? '' : ` since ${timestamp(pause.startedAtMs)}`;
  const message = `Updates are paused${since} by spec.updateStrategy.paused: true; scaling and healing go on until it is set to false`;
  return { reason: 'PausedByUser', message };
}

function rolloutPause(
  { workload, updateRevision }: PlanInput<GameWorkload>,
  view: RolloutView,
  { reason, startedAtMs, endsAtMs }: NonNullable<RolloutView['pause']>,
): string {
  const { stepIndex, stepCount, message, temporalNamespace } = view;
  const ways = waysToResume(workload, updateRevision, view);
  const said = message.replace(/[.\s]+$/, '');
  // Who paused and why a hook failed is known to the rollout only.
  if (reason === 'PausedByUser' || reason === 'PausedByLostRun') return `${said}; resume with ${ways}`;
  if (reason === 'PausedByStepBasedHook') {
    const retry = signalCommand(workload, 'retry', { step: stepIndex, temporalNamespace });
    return `${said}; run the hook again with \`${retry}\`, or pass it with ${ways}`;
  }
  const since = `Step ${stepIndex} of ${stepCount} is paused since ${timestamp(startedAtMs)}`;
  if (endsAtMs !== undefined) return `${since} until ${timestamp(endsAtMs)}; end it now with ${ways}`;
  return `${since} and waits for a person; resume with ${ways}`;
}
