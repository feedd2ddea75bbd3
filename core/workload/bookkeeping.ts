/** How a workload's state takes in observations, outcomes of moves and words of its rollout. Pure. */
import type { Allowance, BackOff, Counts, Issued, Move, Unresolved } from '../plan/types.ts';
import { issuedOf } from '../plan/unresolved.ts';
import type { RolloutView } from '../rollout/types.ts';
import { forgetWords } from './gate-words.ts';
import type { RolloutLink, WorkloadState } from './state.ts';

const FIRST_BACK_OFF_MS = 10_000;
const LONGEST_BACK_OFF_MS = 600_000;
const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 30_000;

interface AllowMessage {
  uid: string;
  number: number;
  sequence: number;
  allowance: Allowance;
  view: RolloutView;
}

/**
 * Takes an allowance of the rollout that this workload listens to, or of a later one. False: an older word, ignored.
 * A completed rollout makes its revision the stable one.
 */
export function takeAllowance(state: WorkloadState, message: AllowMessage, nowMs: number): boolean {
  const { rollout } = state;
  if (message.uid !== state.uid || rollout === null || !isFrom(rollout, message)) return false;
  if (message.sequence <= rollout.sequence) return false;
  const { number, sequence, allowance, view } = message;
  Object.assign(rollout, { number, sequence, allowance, view });
  noteTarget(state, allowance.revision, nowMs, view.movesSinceMs);
  if (view.phase === 'Completed') {
    state.stableRevision = rollout.toRevision;
    rollout.isOpen = false;
  } else if (!rollout.isOpen) {
    // It had more to hear just when it wanted to end, and goes on.
    state.stableRevision = rollout.fromRevision;
    rollout.isOpen = true;
  }
  return true;
}

/**
 * Since when pods move there the rollout knows (`sinceMs`), also where this state was lost. Where nobody knows, what failed is
 * forgiven by people, not by the loss.
 */
export function noteTarget(state: WorkloadState, revision: string, nowMs: number, sinceMs?: number): void {
  const { target } = state.gates;
  const unknown = target?.revision === revision ? target.sinceMs : nowMs;
  const next = { revision, sinceMs: sinceMs ?? (target === undefined ? 0 : unknown) };
  if (target?.revision !== revision || target.sinceMs !== next.sinceMs) state.gates = { ...state.gates, target: next };
}

/** A link made while the run is being started does not know its number yet: number 0 takes the first that fits. */
function isFrom({ number, fromRevision, toRevision }: RolloutLink, message: AllowMessage): boolean {
  if (number !== 0) return message.number === number;
  return message.allowance.revision === toRevision || message.allowance.revision === fromRevision;
}

/** The name counts as a pod from the moment its create is sent (protocol §2, rule 5). */
export function issueNames(state: WorkloadState, moves: Move[]): void {
  const known = new Set(state.issued.map(({ pod }) => pod));
  for (const move of moves) {
    if (move.act === 'create' && !known.has(move.pod)) state.issued.push(issuedOf(move));
  }
}

const later = (a: string | undefined, b: string): string => (a === undefined || BigInt(a) < BigInt(b) ? b : a);

/** Raises the fence by what was written. */
export function raiseFence(state: WorkloadState, written: Record<string, string>): void {
  for (const [resource, version] of Object.entries(written)) {
    state.fence.written[resource] = later(state.fence.written[resource], version);
  }
}

interface Sight {
  fence: { written: Record<string, string>; gone: string[]; isReset?: true };
  unresolved: Unresolved[];
  issued: Issued[];
  idleWords?: string[];
  createdInFull?: true;
  asOfMs?: number;
}

/**
 * Takes in what an observation has seen and settled. The next one may be made by another process, whose stores must not
 * be older: what was settled on newer facts would be spent a second time (protocol §2, rules 4 and 6).
 */
export function takeSight(state: WorkloadState, sight: Sight): void {
  const { fence, unresolved, issued } = sight;
  if (fence.isReset === true) state.fence.written = {};
  raiseFence(state, fence.written);
  state.fence.gone = fence.gone;
  Object.assign(state, { unresolved, issued });
  if (sight.createdInFull === true) state.createdInFull = true;
  forgetWords(state, sight);
}

interface Outcome {
  unresolved: Unresolved[];
  written: Record<string, string>;
  gone: string[];
  /** An attempt could not say all that it or the ones before it wrote: only a quorum read can. */
  quorum: boolean;
  refusal?: string;
}

const keyOf = ({ act, pod, uid = '' }: Unresolved): string => `${act}/${pod}/${uid}`;

/** An item that was refused before stays one that was: it is tried less often each time. */
function withBackOff(item: Unresolved, before: ReadonlyMap<string, Unresolved>): Unresolved {
  const { backOff } = before.get(keyOf(item)) ?? {};
  return backOff === undefined ? item : { ...item, backOff };
}

/** Takes in what a wave brought. Items of the wave replace what was open on them; other open items stay. */
export function takeOutcomes(state: WorkloadState, moves: Move[], outcomes: Outcome[]): void {
  const tried = new Set(moves.map((move) => keyOf({ ...move, outcome: 'unknown' })));
  const untouched = state.unresolved.filter((item) => !tried.has(keyOf(item)));
  const before = new Map(state.unresolved.map((item) => [keyOf(item), item]));
  const open = outcomes.flatMap(({ unresolved }) => unresolved).map((item) => withBackOff(item, before));
  state.unresolved = [...untouched, ...open];
  state.fence.gone = [...new Set([...state.fence.gone, ...outcomes.flatMap(({ gone }) => gone)])];
  for (const { written } of outcomes) raiseFence(state, written);
  if (outcomes.some(({ quorum }) => quorum)) state.needsQuorum = true;
}

/** A wave as the rules of waiting see it. */
interface Effort {
  done: number;
  unresolved: Unresolved[];
}

/**
 * What a wave says about waiting: creates that were refused and failed pods that were deleted are tried less and less
 * often (protocol §4). Only what this wave tried counts: other waves do not put off what waits already. Names of a
 * GameDeployment stand for each other, so they wait together; one ordinal does not hold up the others.
 */
export function takeEfforts(state: WorkloadState, efforts: Effort[], replacesFailed: number, nowMs: number): void {
  const refused = new Set(efforts.flatMap(({ unresolved }) => unresolved.filter(isRefusedCreate)).map(keyOf));
  if (refused.size > 0) state.backOff = longer(state.backOff, nowMs);
  state.unresolved = state.unresolved.map((item) =>
    refused.has(keyOf(item)) ? { ...item, backOff: longer(item.backOff, nowMs) } : item,
  );
  if (replacesFailed > 0) state.failures = longer(state.failures, nowMs);
  state.fruitless = efforts.some(({ done }) => done > 0) ? 0 : state.fruitless + 1;
}

const isRefusedCreate = ({ act, outcome }: Unresolved): boolean => act === 'create' && outcome === 'refused';

function longer(before: BackOff | undefined, nowMs: number): BackOff {
  const { count } = before ?? { count: 0 };
  return { count: count + 1, untilMs: nowMs + Math.min(FIRST_BACK_OFF_MS * 2 ** count, LONGEST_BACK_OFF_MS) };
}

/**
 * How long to wait before the next look: after one wave without effect not at all (somebody else was faster), then longer
 * and longer, so that a refusal or a store that is not fresh does not spin.
 */
export const restMs = ({ fruitless }: Pick<WorkloadState, 'fruitless'>): number =>
  fruitless < 2 ? 0 : Math.min(FIRST_REST_MS * 2 ** (fruitless - 2), LONGEST_REST_MS);

/** A create that was refused and has not come about since, whatever its last attempt came to. */
const isRefusedStill = (item: Unresolved): boolean =>
  isRefusedCreate(item) || (item.act === 'create' && item.backOff !== undefined);

interface Calm {
  counts: Counts;
  moves: Move[];
  /** Pods come, go or wait. */
  inTransition: boolean;
}

/** A pod that Failed is there, is about to be replaced, or its replacement is not in service yet. */
const isReplacing = ({ counts, moves, inTransition }: Calm): boolean =>
  inTransition || (counts.failed ?? 0) > 0 || moves.some(({ act }) => act === 'create');

/**
 * All pods are available again: the next failure is answered quickly. Where an update lives by its surge alone that is always so
 * of the replicas: what it tries again and again, a create that is refused or a pod that fails, waits longer and longer all the same.
 */
export function calmDown(state: WorkloadState, seen: Calm): void {
  if (seen.counts.unavailable > 0) return;
  if (state.backOff.count > 0 && !state.unresolved.some(isRefusedStill)) state.backOff = { count: 0, untilMs: 0 };
  if (state.failures.count > 0 && !isReplacing(seen)) state.failures = { count: 0, untilMs: 0 };
}
