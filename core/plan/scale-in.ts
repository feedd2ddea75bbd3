/** Pods that are given up: too many, asked to be gone, or never to run again (decisions 23 and 24). */
import { gateOfPod, itemOf, markMove, remarkMove } from './gates.ts';
import type { Planned } from './kind.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Blocker, Mark, Move } from './types.ts';

export interface Step {
  move?: Move;
  blocker?: Blocker;
}

/** How one pod is to pass its gate: what it is chosen for, why it is marked, and the move behind the gate. */
interface Passage {
  kind: Mark['kind'];
  markReason: string;
  /** The move needs no budget. */
  isFree: boolean;
  /** Asked for only where it is made: most pods of a large workload wait for the budget. */
  move: () => Move;
}

/** What happens to one chosen pod: the move, a mark, or nothing yet. `blocker` says what it waits for. */
export function throughGate(situation: Situation, view: PodView, { kind, markReason, isFree, move }: Passage): Step {
  const gate = gateOfPod(situation, view, kind === 'update' ? situation.target : undefined);
  const { budget } = situation;
  switch (gate.state) {
    case 'exempt':
    case 'passed': {
      const granted = isFree || (view.mark === undefined ? budget.take(view) : budget.spendReserved(view));
      return granted ? { move: move() } : {};
    }
    case 'unmarked':
      return view.mark !== undefined || budget.take(view) ? { move: markMove(situation, view, kind, markReason) } : {};
    case 'waiting':
      return waiting(situation, view, gate.runMissing);
    case 'failed':
      return { blocker: gateFailed(view, gate.phase, gate.message) };
    case 'blocked':
      return { blocker: gate.blocker };
  }
}

/** One pod that shall go, for good or to come back at the target. */
export function giveUp(situation: Situation, view: PodView, kind: Mark['kind'], reason: string): Step {
  return throughGate(situation, view, {
    kind,
    markReason: reason,
    isFree: kind === 'scale-in' && !view.isServing,
    move: () => ({ act: 'delete', ...itemOf(view, reason), spends: view.isServing }),
  });
}

function waiting(situation: Situation, view: PodView, runMissing: boolean): Step {
  const { mark } = view;
  if (mark !== undefined && runMissing) return { move: remarkMove(situation, view, mark) };
  const message = `Pod ${view.name} waits for HookRun ${mark?.hookRun ?? ''}.`;
  return { blocker: { reason: 'GateWaiting', message, pod: view.name } };
}

function gateFailed(view: PodView, phase: string, message: string): Blocker {
  const detail = message === '' ? '' : `: ${message}`;
  const text = `HookRun ${view.mark?.hookRun ?? ''} of pod ${view.name} ended ${phase}${detail}; send retry or skip.`;
  return { reason: 'GateFailed', message: text, pod: view.name };
}

/** Each of them through its gate and the budget; `why` is one clause for people. */
export function planScaleIn(situation: Situation, views: PodView[], why: (view: PodView) => string): Planned {
  const steps = views.map((view) => giveUp(situation, view, 'scale-in', why(view)));
  return {
    moves: steps.flatMap(({ move }) => (move === undefined ? [] : [move])),
    blockers: steps.flatMap(({ blocker }) => (blocker === undefined ? [] : [blocker])),
  };
}

export const isWaitingTerminal = (view: PodView): boolean => view.isTerminal && !view.isTerminating;

/** Failed and Succeeded pods are deleted without gates, once their back-off is over; creates do not wait for it. */
export function planTerminal({ input }: Situation, views: PodView[]): Move[] {
  if ((input.failures?.untilMs ?? 0) > input.nowMs) return [];
  return views.map((view) => {
    const why = view.pod.status?.reason ?? view.pod.status?.phase ?? 'Failed';
    return { act: 'delete', ...itemOf(view, `it will not run again (${why})`), spends: false };
  });
}
