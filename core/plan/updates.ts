/** How old pods move to the target: in place, by recreation, or by metadata only (decisions 21, 27, 28). */
import { diffRevisions, isPatchPending, type RevisionDiff } from '../in-place.ts';
import { hasGate } from '../pods.ts';
import { isContradicted } from '../template-evidence.ts';
import { isHeldByHook } from './after-update.ts';
import { gather, itemOf, type Step } from './gates.ts';
import type { Choice, DiffOf, Planned } from './kind.ts';
import { gateBeforeUpdate } from './pod-hooks.ts';
import { isOnLostNode, type PodView } from './pod-view.ts';
import { giveUp, throughGate } from './scale-in.ts';
import type { Situation } from './situation.ts';
import type { Blocker, Move } from './types.ts';

export interface UpdatePlan extends Planned {
  /** Uids of the pods that may move under this allowance, in progress or not. */
  chosen: Set<string>;
  /** Those of them that nothing is begun with now. */
  idle: Set<string>;
}

/** How pods of each old revision become the target; a revision that is gone cannot be compared. */
export function diffs(situation: Situation): DiffOf {
  const known = new Map<string, RevisionDiff>();
  const target = situation.revisions.get(situation.target);
  return (revision) => {
    const cached = known.get(revision);
    if (cached !== undefined) return cached;
    const from = situation.revisions.get(revision);
    const isComparable = from !== undefined && target !== undefined;
    const diff: RevisionDiff = isComparable
      ? diffRevisions(from.template, target.template)
      : { kind: 'other', where: `revision ${revision} (it is gone)` };
    known.set(revision, diff);
    return diff;
  };
}

const typeOf = ({ input }: Situation) => input.workload.spec.updateStrategy?.type;

/** Pods stay and get new images, by a restart of containers or without one. */
const keepsIdentity = (situation: Situation): boolean =>
  typeOf(situation) === 'InplaceUpdate' || typeOf(situation) === 'HotPatchUpdate';

/** The pod makes room for a new one. */
export const isRecreated = (situation: Situation, { kind }: RevisionDiff): boolean =>
  kind !== 'none' && (!keepsIdentity(situation) || kind === 'restart' || kind === 'other');

/** The pod goes, or its containers restart: what is broken about it may be mended by that. */
export const isMadeAnew = (situation: Situation, diff: RevisionDiff): boolean =>
  diff.kind === 'images' || isRecreated(situation, diff);

const keepsPods = ({ input }: Situation): boolean =>
  input.workload.spec.updateStrategy?.inPlaceUpdateStrategy?.fallback === 'Fail';

function notPossible(situation: Situation, view: PodView, where: string): Blocker {
  const consequence = keepsPods(situation) ? 'the pod is kept' : 'the pod is recreated';
  const message = `Pod ${view.name} cannot be updated in place because ${where} differs; ${consequence}.`;
  return { reason: 'InPlaceNotPossible', message, pod: view.name };
}

/** W1, or W2 at once where the pod has no gate. An unavailable pod needs no grace: nobody is served by it. */
function updateMove(situation: Situation, view: PodView): Move {
  const reason = `${view.revision} becomes ${situation.target}`;
  const item = { ...itemOf(view, reason), revision: situation.target, spends: view.isServing };
  if (!hasGate(view.pod)) return { act: 'patch-images', ...item };
  const thenPatch = situation.numbers.gracePeriodSeconds === 0 || !view.isServing;
  return { act: 'close-gate', ...item, thenPatch };
}

function updateInPlace(situation: Situation, view: PodView): Step {
  const { input, target } = situation;
  const gate = gateBeforeUpdate(input.workload) === 'preinplace' ? ({ gate: 'preinplace' } as const) : {};
  const purpose = { kind: 'update', revision: target, ...gate } as const;
  const markReason = `asks its hook before ${target}`;
  const move = () => updateMove(situation, view);
  return throughGate(situation, view, { purpose, isInPlace: true, markReason, isFree: false, move });
}

/** One write, without gate and hook: whether the kubelet restarts the container or exchanges its image is up to it. */
function hotPatch(situation: Situation, view: PodView): Step {
  const { budget, target } = situation;
  const isGranted = view.mark === undefined ? budget.take(view) : budget.spendReserved(view);
  if (!isGranted) return {};
  const item = { ...itemOf(view, `${view.revision} becomes ${target}`), revision: target, spends: view.isServing };
  return { move: { act: 'patch-images', ...item, isHot: true } };
}

function updatePod(situation: Situation, view: PodView, diff: RevisionDiff): Step {
  const { target: revision } = situation;
  const recreate = () => giveUp(situation, view, { kind: 'update', revision }, `${view.revision} becomes ${revision}`);
  // The label tells which restart is waited for: it stays until that one is proven.
  const relabel = (why: string): Step =>
    isPatchPending(view.pod)
      ? {}
      : { move: { act: 'patch-metadata', ...itemOf(view, why), revision: situation.target } };
  // Two recorded revisions may ask for the same pod, by the rules of a later release: no pod is moved for a name.
  if (diff.kind === 'none') return relabel('both revisions ask for the same pod');
  if (!keepsIdentity(situation)) return recreate();
  switch (diff.kind) {
    case 'metadata':
      return relabel('only metadata differs');
    case 'images':
      return typeOf(situation) === 'HotPatchUpdate' ? hotPatch(situation, view) : updateInPlace(situation, view);
    case 'restart':
      return recreate();
    case 'other':
      return { ...recreate(), blocker: notPossible(situation, view, diff.where) };
  }
}

export const isInGraceFor = ({ stage }: PodView, target: string): boolean =>
  stage.stage === 'grace' && stage.revision === target;

/** Its revision is gone, and nothing shows that it is to become another pod: it may run just what the target asks for. */
function isUnproven({ input, revisions, target }: Situation, { pod, revision }: PodView): boolean {
  if (revisions.has(revision)) return false;
  const to = revisions.get(target);
  return to !== undefined && !isContradicted(input.workload, to, pod);
}

function leftAlone(situation: Situation): Blocker[] {
  const unproven = situation.old.filter((view) => isUnproven(situation, view));
  return unproven.map(({ name, revision }) => {
    const why = `carries revision ${revision}, which is gone, and nothing shows whether it runs ${situation.target} already`;
    const message = `Pod ${name} ${why}: it is left as it is; delete it to have it replaced.`;
    return { reason: 'RevisionMissing', message, pod: name };
  });
}

/**
 * Pods on lost nodes are not touched, nor those that may be at the target under a name that is lost; those that cannot be updated
 * in place are kept where the user says so.
 */
export function isMovable(situation: Situation, view: PodView, diffOf: DiffOf): boolean {
  return !isOnLostNode(view) && !isUnproven(situation, view) && !isKept(situation, view, diffOf);
}

const isKept = (situation: Situation, { revision }: PodView, diffOf: DiffOf): boolean =>
  keepsIdentity(situation) && keepsPods(situation) && diffOf(revision).kind === 'other';

/** Without those that are kept as they are, for good: they need no surge. */
export function toBeUpdated(situation: Situation, old: PodView[]): PodView[] {
  if (!keepsPods(situation)) return old;
  const diffOf = diffs(situation);
  return old.filter((view) => !isKept(situation, view, diffOf));
}

const NOTHING: UpdatePlan = { moves: [], blockers: [], chosen: new Set(), idle: new Set() };

/** No update is begun, for an open end: until a person speaks, or a hook that failed has succeeded. */
export const isStandingStill = (situation: Situation): boolean => situation.isPaused || isHeldByHook(situation);

/** Plans nothing while it stands still: pods that wait for their hook keep their mark, those in progress are finished by `planProgress`. */
export function planUpdates(situation: Situation, candidatesOf: (diffOf: DiffOf) => Choice): UpdatePlan {
  if (situation.isByHand) return NOTHING;
  const diffOf = diffs(situation);
  const isKnown = situation.revisions.has(situation.target);
  const candidates = isKnown ? candidatesOf(diffOf) : { chosen: [], now: [] };
  const chosen = new Set(candidates.chosen.map(({ uid }) => uid));
  if (isStandingStill(situation)) return { moves: [], blockers: [], chosen, idle: chosen };
  const steps = candidates.now
    .filter((view) => !isInGraceFor(view, situation.target))
    .map((view) => updatePod(situation, view, diffOf(view.revision)));
  const { moves, blockers } = gather(steps);
  return {
    moves,
    blockers: [...blockers, ...kept(situation, diffOf), ...leftAlone(situation)],
    chosen,
    idle: idleOf(candidates),
  };
}

/** Uids of the pods whose turn comes later. */
function idleOf({ chosen, now }: Choice): Set<string> {
  if (now === chosen) return new Set();
  const begun = new Set(now);
  return new Set(chosen.filter((view) => !begun.has(view)).map(({ uid }) => uid));
}

function kept(situation: Situation, diffOf: DiffOf): Blocker[] {
  if (!keepsIdentity(situation) || !keepsPods(situation)) return [];
  return situation.old.flatMap((view) => {
    const diff = diffOf(view.revision);
    return diff.kind === 'other' ? [notPossible(situation, view, diff.where)] : [];
  });
}
