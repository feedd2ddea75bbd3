/**
 * Hooks after updates in place (decision 37, docs/adr/0016). The write that gives a pod its new images leaves a mark on it; once
 * the update is completed its hook is asked, and once that has succeeded the mark is taken off. One that fails stops further
 * updates until somebody sends retry, skip or abort; what is under way, scaling and healing go on.
 */
import { awaitRun, failureOf, type Gate, gather, itemOf, judgeMark, markMove, type Step } from './gates.ts';
import { failuresOfGonePods } from './gone-pods.ts';
import type { Planned } from './kind.ts';
import type { PodView } from './pod-view.ts';
import type { Situation } from './situation.ts';
import type { Move } from './types.ts';

type Owing = Situation['owing'][number];

/**
 * Its new containers are proven to run and the pod is back in service: only now may the hook look at it. One that crashes later is
 * so no more; what its hook has said stays said.
 */
const isCompleted = ({ stage }: Owing): boolean => stage.stage === 'none';

const hookAfter = (situation: Situation, view: Owing): Gate =>
  judgeMark(situation, view, view.owes, { kind: 'updated' });

/** What became of an earlier target is none of this rollout's business. */
const isAtTarget = ({ revision }: PodView, { target }: Situation): boolean => revision === target;

const AGAIN = { kind: 'updated', isRetry: true } as const;

/** It has failed and not yet succeeded, or cannot be asked. */
function holdsOthers(situation: Situation, view: Owing): boolean {
  const { state } = hookAfter(situation, view);
  switch (state) {
    case 'exempt':
    case 'passed':
      return false;
    case 'waiting':
      return view.owes.isRetry === true;
    case 'blocked':
      return isCompleted(view);
    case 'unmarked':
    case 'failed':
      return true;
  }
}

/**
 * A hook of a pod at the target holds others up, also when the pod is gone. On the way back to stable nothing is held: an abort
 * ends what failed.
 */
export const isHeldByHook = (situation: Situation): boolean =>
  situation.target !== situation.stable &&
  (situation.owing.some((view) => isAtTarget(view, situation) && holdsOthers(situation, view)) ||
    failuresOfGonePods(situation).length > 0);

/** A pod that stays as it is until its hook has succeeded. */
export const isAwaited = (view: PodView, situation: Situation): boolean =>
  view.owes !== undefined && isAtTarget(view, situation);

const takeOff = (view: Owing, reason: string): Move => ({
  act: 'unmark',
  ...itemOf(view, reason),
  hookRun: view.owes.hookRun,
  kind: 'updated',
});

function stepOf(situation: Situation, view: Owing): Step {
  const gate = hookAfter(situation, view);
  const { owes } = view;
  if (!isCompleted(view) && gate.state !== 'failed') return {};
  switch (gate.state) {
    case 'exempt':
      return { move: takeOff(view, 'no hook is to follow its update any more') };
    case 'passed':
      return { move: takeOff(view, 'the hook after its update is passed') };
    case 'unmarked':
      return { move: markMove(situation, view, AGAIN, `asks its hook after ${view.revision} once more`) };
    case 'waiting':
      return awaitRun(situation, view, owes, gate);
    case 'failed':
      if (!isAtTarget(view, situation)) return {};
      return { blocker: { reason: 'PostInplaceHookFailed', ...failureOf(situation, view, owes, gate) } };
    case 'blocked':
      return isAtTarget(view, situation) ? { blocker: gate.blocker } : {};
  }
}

/** `moving`: uids of pods that another move of this plan writes to; their turn comes after that. */
export function planAfterUpdates(situation: Situation, moving: ReadonlySet<string>): Planned {
  const steps = situation.owing.filter(({ uid }) => !moving.has(uid)).map((view) => stepOf(situation, view));
  const { moves, blockers } = gather(steps);
  return { moves, blockers: [...blockers, ...failuresOfGonePods(situation)] };
}
