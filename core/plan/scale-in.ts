/** Pods that are given up: too many, asked to be gone, or never to run again (decisions 23 and 24). */
import {
  awaitRun,
  failureOf,
  gateOfPod,
  gather,
  itemOf,
  markMove,
  type Passing,
  type Purpose,
  type Step,
} from './gates.ts';
import type { Planned } from './kind.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Move } from './types.ts';

/** How one pod is to pass its gate: what it is chosen for, why it is marked, and the move behind the gate. */
interface Passage extends Passing {
  markReason: string;
  /** The move needs no budget. */
  isFree: boolean;
  /** Asked for only where it is made: most pods of a large workload wait for the budget. */
  move: () => Move;
}

/** What happens to one chosen pod: the move, a mark, or nothing yet. `blocker` says what it waits for. */
export function throughGate(situation: Situation, view: PodView, passage: Passage): Step {
  const { purpose, markReason, isFree, move } = passage;
  const gate = gateOfPod(situation, view, passage);
  const { budget } = situation;
  switch (gate.state) {
    case 'exempt':
    case 'passed': {
      const granted = isFree || (view.mark === undefined ? budget.take(view) : budget.spendReserved(view));
      return granted ? { move: move() } : {};
    }
    case 'unmarked':
      return view.mark !== undefined || budget.take(view)
        ? { move: markMove(situation, view, purpose, markReason) }
        : {};
    case 'waiting':
      return view.mark === undefined ? {} : awaitRun(situation, view, view.mark, gate);
    case 'failed':
      return { blocker: { reason: 'GateFailed', ...failureOf(situation, view, view.mark, gate) } };
    case 'blocked':
      return { blocker: gate.blocker };
  }
}

/** One pod that shall go, for good or to come back at the target. */
export function giveUp(situation: Situation, view: PodView, purpose: Purpose, reason: string): Step {
  const isFree = purpose.kind === 'scale-in' && !view.isServing;
  const cause = purpose.kind === 'update' ? ({ cause: 'update' } as const) : {};
  const move = (): Move => ({ act: 'delete', ...itemOf(view, reason), spends: view.isServing, ...cause });
  return throughGate(situation, view, { purpose, isInPlace: false, markReason: reason, isFree, move });
}

interface ScaleInPlan extends Planned {
  /** How many wait for the budget alone. */
  short: number;
}

/** Each of them through its gate and the budget; `why` is one clause for people. */
export function planScaleIn(situation: Situation, views: PodView[], why: (view: PodView) => string): ScaleInPlan {
  const steps = views.map((view) => giveUp(situation, view, { kind: 'scale-in' }, why(view)));
  return {
    short: steps.filter(({ move, blocker }) => move === undefined && blocker === undefined).length,
    ...gather(steps),
  };
}

/** Failed and Succeeded pods are deleted without gates, once their back-off is over; creates do not wait for it. */
export function planTerminal({ input }: Situation, views: PodView[]): Move[] {
  if ((input.failures?.untilMs ?? 0) > input.nowMs) return [];
  return views.map((view) => {
    const why = view.pod.status?.reason ?? view.pod.status?.phase ?? 'Failed';
    return { act: 'delete', ...itemOf(view, `it will not run again (${why})`), spends: false, cause: 'failed' };
  });
}
