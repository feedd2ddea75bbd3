/** Pods that are missing: which slots are filled now, at which revision, with which claims (decisions 11 and 22). */
import { claimNames } from '../../claims.ts';
import { batchLimit } from '../create-batch.ts';
import { creatable, openCreates } from '../creates.ts';
import type { Planned } from '../kind.ts';
import type { Blocker, Move } from '../types.ts';
import { firstOpenSlot } from './order.ts';
import type { SetSituation, Slot } from './situation.ts';

/** Names given out, and those of them whose create is not answered. */
interface Given {
  issued: ReadonlySet<string>;
  open: ReadonlySet<string>;
}

const givenNames = (situation: SetSituation): Given => ({
  issued: new Set(situation.input.issued.map(({ pod }) => pod)),
  open: openCreates(situation),
});

/** No pod has the name, and no create of ours is answered and not yet seen. A terminating pod keeps its name until it is gone. */
const isMissing = ({ view, name }: Slot, { issued, open }: Given): boolean =>
  view === undefined && (!issued.has(name) || open.has(name));

/**
 * How many names may be given or given again; one whose create was answered has its place. A Failed pod has its place in the
 * batch of a first creation, and its name: the place of another pod it takes from none.
 */
function placesLeft({ active, terminal, input, numbers, isOrdered }: SetSituation, { issued, open }: Given): number {
  const batch = isOrdered ? Number.POSITIVE_INFINITY : batchLimit(input, active);
  const answered = [...issued].filter((name) => !open.has(name)).length;
  const inBatch = batch - terminal.length;
  return Math.max(0, Math.min(numbers.replicas + numbers.maxSurge, inBatch) - active.length - answered);
}

/** Unanswered names that keep their place, the lowest ordinals first. */
function keptNames(situation: SetSituation, { issued, open }: Given): string[] {
  if (open.size === 0) return [];
  const wanted = [...situation.slots, ...situation.surgeSlots].map(({ name }) => name);
  const names = wanted.filter((name) => issued.has(name) && open.has(name));
  return names.slice(0, placesLeft(situation, { issued, open }));
}

/** The slots that may be filled: all of them, or under OrderedReady the one whose turn it is. */
function slotsInTurn(situation: SetSituation): Slot[] {
  if (!situation.isOrdered) return [...situation.slots, ...situation.surgeSlots];
  const next = firstOpenSlot(situation);
  return next === undefined ? [] : [next];
}

/** Names given before come first: they have their place. */
function slotsToFill(situation: SetSituation): Slot[] {
  const given = givenNames(situation);
  const kept = new Set(keptNames(situation, given));
  const missing = slotsInTurn(situation).filter((slot) => isMissing(slot, given));
  const again = missing.filter(({ name }) => kept.has(name));
  const fresh = missing.filter(({ name }) => !given.issued.has(name));
  return [...again, ...fresh.slice(0, placesLeft(situation, given) - kept.size)];
}

/**
 * How many slots beyond the partition are to be old: as many as there are new pods below it, as where a reserved ordinal
 * moved them there. `partition` old ones stay old, wherever they are (decision 22).
 */
function owedToStable(situation: SetSituation, missing: readonly Slot[]): number {
  const { slots, target, input } = situation;
  const given = new Map(input.issued.map(({ pod, revision }) => [pod, revision]));
  const open = new Set(missing);
  const held = (slot: Slot) =>
    open.has(slot) ? undefined : slot.view?.isActive === true ? slot.view.revision : given.get(slot.name);
  const below = slots.filter((slot) => !slot.isBeyondPartition && held(slot) === target);
  const beyond = slots.filter((slot) => slot.isBeyondPartition && (held(slot) ?? target) !== target);
  return Math.max(0, below.length - beyond.length);
}

/** A slot has a revision of its own: stable below the partition, and while nothing may be updated (decision 11). */
function slotsOfStable(situation: SetSituation, missing: readonly Slot[]): ReadonlySet<Slot> {
  if (missing.length === 0) return new Set();
  const { isPaused, createsByShare, numbers, target, stable } = situation;
  if (target === stable || (isPaused && !createsByShare)) return new Set(missing);
  const beyond = missing.filter((slot) => slot.isBeyondPartition && slot.position < numbers.replicas);
  const owed = beyond.sort((a, b) => a.position - b.position).slice(0, owedToStable(situation, missing));
  return new Set([...missing.filter((slot) => !slot.isBeyondPartition), ...owed]);
}

function create(situation: SetSituation, slot: Slot, revision: string): Move {
  const { claims = {}, workload } = situation.input;
  const missing = claimNames(workload, slot.name).filter((name) => claims[name] === undefined);
  return {
    act: 'create',
    pod: slot.name,
    revision,
    reason: `ordinal ${slot.ordinal} has no pod`,
    ...(missing.length > 0 ? { claims: missing } : {}),
  };
}

/** A claim that is being deleted is one from an earlier life: the pod would wait for it, and then find it gone. */
function goingClaim({ input }: SetSituation, { name }: Slot): string | undefined {
  return claimNames(input.workload, name).find((claim) => input.claims?.[claim]?.isTerminating);
}

function waitsForClaim(slot: Slot, claim: string): Blocker {
  const message = `Pod ${slot.name} waits until PersistentVolumeClaim ${claim} is gone, which somebody deletes.`;
  return { reason: 'ClaimTerminating', message, pod: slot.name };
}

/** As with every pod that is not the set's: it keeps the name for as long as it is there. */
function nameTaken({ name, ordinal }: Slot): Blocker {
  const message = `Ordinal ${ordinal} has no pod: a pod that is not the set's has the name ${name}; it has to be deleted first.`;
  return { reason: 'PodCreateFailed', message, pod: name };
}

/** Names that the API has refused, while their back-off runs: each waits for itself. */
function refusedNames({ input }: SetSituation): ReadonlySet<string> {
  const refused = input.unresolved.filter(({ backOff }) => (backOff?.untilMs ?? 0) > input.nowMs);
  return new Set(refused.map(({ pod }) => pod));
}

export function planSetCreates(situation: SetSituation): Planned {
  const taken = new Set(situation.input.takenNames);
  const refused = refusedNames(situation);
  const toFill = slotsToFill(situation).filter(({ name }) => !refused.has(name));
  const slots = toFill.filter(({ name }) => !taken.has(name));
  const lost = toFill.filter(({ name }) => taken.has(name)).map(nameTaken);
  const waiting = slots.flatMap((slot): Blocker[] => {
    const claim = goingClaim(situation, slot);
    return claim === undefined ? [] : [waitsForClaim(slot, claim)];
  });
  const free = slots.filter((slot) => goingClaim(situation, slot) === undefined);
  const ofStable = slotsOfStable(situation, free);
  const { moves, blockers } = creatable(
    situation,
    free.map((slot) => create(situation, slot, ofStable.has(slot) ? situation.stable : situation.target)),
  );
  return { moves, blockers: [...blockers, ...waiting, ...lost] };
}

/** Names given out and not seen that nobody wants any more, or that have no place now. */
export function retiredOrdinals(situation: SetSituation): string[] {
  const given = givenNames(situation);
  const kept = new Set(keptNames(situation, given));
  return [...given.issued].filter((name) => given.open.has(name) && !kept.has(name));
}
