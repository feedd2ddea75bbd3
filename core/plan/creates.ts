/** Pods that are missing: how many, at which revision, under which names (decisions 11 and 22). */
import { isActive } from '../pods.ts';
import { batchLimit } from './create-batch.ts';
import { type DeploymentSituation, usableSurge } from './deployment-situation.ts';
import { dealIndexes, numberingOf } from './indexes.ts';
import { type Extras, NOTHING_MORE, type Planned } from './kind.ts';
import { newPodNames } from './names.ts';
import type { Situation } from './situation.ts';
import type { Move } from './types.ts';

/**
 * A Failed pod keeps its place until it is deleted, so that its replacement backs off with it; one that is to be let go keeps
 * it until nobody can count it as ours (protocol §1: the ceiling counts what we own).
 */
function occupied({ active, terminal, input }: DeploymentSituation): number {
  return active.length + input.issued.length + terminal.length + (input.strays ?? []).filter(isActive).length;
}

/** Positive: pods to create. */
export function shortage(situation: DeploymentSituation): number {
  const { active, input, numbers } = situation;
  const wanted = Math.min(numbers.replicas + usableSurge(situation), batchLimit(input, active));
  return wanted - occupied(situation);
}

/** How many of the new pods belong to the stable revision: its partition has lost them, or nothing may be updated now. */
function stableShare(situation: DeploymentSituation, wanted: number): number {
  const { target, stable, numbers, input, isPaused, createsByShare, misnumbered } = situation;
  if (target === stable) return 0;
  if (isPaused && !createsByShare) return wanted;
  const old = situation.old.filter((view) => !misnumbered.has(view));
  const issuedOld = input.issued.filter(({ revision }) => revision !== target).length;
  const failedOld = situation.terminal.filter(({ revision }) => revision !== target).length;
  return Math.min(wanted, Math.max(0, numbers.partition - old.length - issuedOld - failedOld));
}

/** Names whose create is not answered. */
export const openCreates = ({ input }: Situation): Set<string> =>
  new Set(input.unresolved.filter(({ act }) => act === 'create').map(({ pod }) => pod));

/** Names given before, whose pods were not seen: given again before new ones. */
function reissued(situation: DeploymentSituation): Move[] {
  const retired = new Set(retiredNames(situation));
  return situation.input.issued.flatMap((name): Move[] => {
    const open = situation.input.unresolved.find(({ act, pod }) => act === 'create' && pod === name.pod);
    if (open === undefined || retired.has(name.pod)) return [];
    const reason = `its create was ${open.outcome === 'refused' ? 'refused' : 'not answered'}`;
    return [{ act: 'create', ...name, reason }];
  });
}

/** A name that the user wants gone is not given either: the list is theirs, and stays as it is. */
function takenNames({ input }: DeploymentSituation): Set<string> {
  const { pods, issued, workload } = input;
  const listed = workload.spec.scaleStrategy?.podsToDelete ?? [];
  return new Set([...pods.map(({ metadata }) => metadata.name), ...issued.map(({ pod }) => pod), ...listed]);
}

const whyMissing = (missing: number): string => (missing === 1 ? '1 pod is missing' : `${missing} pods are missing`);

function freshCreates(situation: DeploymentSituation, missing: number): Move[] {
  if (missing === 0) return [];
  const { input, target, stable } = situation;
  const taken = takenNames(situation);
  const atStable = stableShare(situation, missing);
  const deal = dealIndexes(situation, missing);
  const count = missing - (deal?.heldBack ?? 0);
  return newPodNames(input.workload.metadata.name, count, taken, input.seed).map((pod, at) => {
    const revision = at < atStable ? stable : target;
    return { act: 'create', pod, revision, reason: whyMissing(missing), ...numberingOf(deal, at) };
  });
}

const canCreate = ({ input, revisions }: Situation, revision: string): boolean =>
  revision !== input.invalidRevision && revisions.has(revision);

/** Without those whose revision is refused by the API or gone: such a pod would only be refused again. */
export function creatable(situation: Situation, wanted: Move[]): Planned {
  const moves = wanted.filter((move) => move.act === 'create' && canCreate(situation, move.revision));
  if (moves.length === wanted.length) return { moves, blockers: [] };
  const message = `${wanted.length - moves.length} pods cannot be created: their revision is refused by the API or gone.`;
  return { moves, blockers: [{ reason: 'RevisionMissing', message }] };
}

/** Nothing is created while the back-off of refused creates runs, or where nobody can say which indexes pods are to have. */
export function planCreates(situation: DeploymentSituation): Planned {
  const { indexing } = situation;
  if (indexing.kind === 'refused') {
    return { moves: [], blockers: [{ reason: 'FailedScale', message: indexing.message }] };
  }
  if (situation.input.backOff.untilMs > situation.input.nowMs) return { moves: [], blockers: [] };
  const missing = Math.max(0, shortage(situation));
  return creatable(situation, [...reissued(situation), ...freshCreates(situation, missing)]);
}

/** New pods that wait until another one has given its index back. */
export function waitForIndexes(situation: DeploymentSituation): Extras {
  const deal = dealIndexes(situation, Math.max(0, shortage(situation)));
  if (deal === null || deal.heldBack === 0) return NOTHING_MORE;
  const pod = deal.leaving?.name ?? '';
  const waiting = deal.heldBack === 1 ? '1 new pod waits' : `${deal.heldBack} new pods wait`;
  const message = `${waiting} for an index; pod ${pod} has one until it is gone.`;
  return { ...NOTHING_MORE, blockers: [{ reason: 'WaitsForIndex', message, pod }], isWaiting: true };
}

/** In a pause no pod is made at the target, also not under a name that was given before (decision 11). */
function isWanted({ target, stable, isPaused, createsByShare }: DeploymentSituation, revision: string): boolean {
  return revision === stable || (revision === target && (!isPaused || createsByShare));
}

/** Issued names that nobody needs any more (protocol §2, rule 9 is what is left of them). */
export function retiredNames(situation: DeploymentSituation): string[] {
  const open = openCreates(situation);
  const stray = situation.input.issued.filter(({ pod, revision }) => open.has(pod) && !isWanted(situation, revision));
  const surplus = Math.max(0, -shortage(situation) - stray.length);
  const unneeded = situation.input.issued.filter((name) => open.has(name.pod) && !stray.includes(name));
  return [...stray, ...unneeded.slice(0, surplus)].map(({ pod }) => pod);
}
