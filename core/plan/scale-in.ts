/** Pods that are too many, and pods that will never run again (decisions 23 and 24). */
import { gateOfPod, itemOf, markMove, remarkMove } from './gates.ts';
import { scaleInOrder } from './order.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Blocker, Mark, Move } from './types.ts';

/** The pods that nobody asked to be gone by name. */
interface Rest {
  old: PodView[];
  updated: PodView[];
}

function restOf({ active, listed, target }: Situation): Rest {
  const named = new Set(listed);
  const rest = active.filter((view) => !named.has(view));
  const isUpdated = ({ revision }: PodView) => revision === target;
  return { old: rest.filter((view) => !isUpdated(view)), updated: rest.filter(isUpdated) };
}

const surplusOf = ({ numbers, surge, isPaused }: Situation, { old, updated }: Rest): number => {
  const allowedSurge = isPaused && old.length > 0 ? numbers.maxSurge : surge;
  return Math.max(0, old.length + updated.length - numbers.replicas - allowedSurge);
};

/** Old pods beyond the partition go first; while paused one canary is kept if it can be (decision 11). */
function split(situation: Situation, rest: Rest): { fromOld: number; fromNew: number } {
  const { numbers, isPaused, target, stable } = situation;
  const surplus = surplusOf(situation, rest);
  const keepsCanary = isPaused && target !== stable && rest.updated.length > 0 && numbers.replicas > 1;
  const partition = keepsCanary ? Math.min(numbers.partition, numbers.replicas - 1) : numbers.partition;
  const fromOld = Math.min(surplus, Math.max(0, rest.old.length - partition));
  return { fromOld, fromNew: surplus - fromOld };
}

/** Marked pods first: the choice survives a restart. */
function choose(situation: Situation, candidates: PodView[], count: number): PodView[] {
  const compare = scaleInOrder(situation.input.workload.metadata.annotations, situation.input.nodes);
  const marked = (view: PodView) => Number(view.mark?.kind === 'scale-in');
  return [...candidates].sort((a, b) => marked(b) - marked(a) || compare(a, b)).slice(0, count);
}

/** Pods that shall go: those the user names, and of the others as many as are too many. */
export function chooseVictims(situation: Situation): PodView[] {
  const { listed } = situation;
  const rest = restOf(situation);
  const { fromOld, fromNew } = split(situation, rest);
  return [
    ...choose(situation, listed, listed.length),
    ...choose(situation, rest.old, fromOld),
    ...choose(situation, rest.updated, fromNew),
  ];
}

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
  move: Move;
}

/** What happens to one chosen pod: the move, a mark, or nothing yet. `blocker` says what it waits for. */
export function throughGate(situation: Situation, view: PodView, { kind, markReason, isFree, move }: Passage): Step {
  const gate = gateOfPod(situation, view, kind === 'update' ? situation.target : undefined);
  const { budget } = situation;
  switch (gate.state) {
    case 'exempt':
    case 'passed': {
      const granted = isFree || (view.mark === undefined ? budget.take(view) : budget.spendReserved(view));
      return granted ? { move } : {};
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
  const move: Move = { act: 'delete', ...itemOf(view, reason), spends: view.isServing };
  return throughGate(situation, view, {
    kind,
    markReason: reason,
    isFree: kind === 'scale-in' && !view.isServing,
    move,
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

export function planScaleIn(situation: Situation, victims: PodView[]): { moves: Move[]; blockers: Blocker[] } {
  const listed = new Set(situation.listed);
  const tooMany = `more pods than replicas (${situation.numbers.replicas})`;
  const why = (view: PodView) => (listed.has(view) ? 'spec.scaleStrategy.podsToDelete names it' : tooMany);
  const steps = victims.map((view) => giveUp(situation, view, 'scale-in', why(view)));
  return {
    moves: steps.flatMap(({ move }) => (move === undefined ? [] : [move])),
    blockers: steps.flatMap(({ blocker }) => (blocker === undefined ? [] : [blocker])),
  };
}

/** Failed and Succeeded pods are deleted without gates, once their back-off is over; creates do not wait for it. */
export function planTerminal({ views, input }: Situation): Move[] {
  if ((input.failures?.untilMs ?? 0) > input.nowMs) return [];
  return views
    .filter((view) => view.isTerminal && !view.isTerminating)
    .map((view) => {
      const why = view.pod.status?.reason ?? view.pod.status?.phase ?? 'Failed';
      return { act: 'delete', ...itemOf(view, `it will not run again (${why})`), spends: false };
    });
}
