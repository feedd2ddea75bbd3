/**
 * When an observation is worth returning (design §3): few, large waves instead of one for every pod that gets ready.
 * Pure; the activity that parks on the store calls it after each plan.
 */
import type { Pod } from '../../crds/kubernetes.ts';
import { IN_PLACE_STATE_ANNOTATION } from '../keys.ts';
import { momentOf } from '../moments.ts';
import { conditionOf, isActive, readySinceMs, revisionOf } from '../pods.ts';
import { spends } from './spending.ts';
import type { Blocker, Counts, Move, Plan } from './types.ts';

/** A wave holds at most this many moves that spend (protocol, design §3); the next one has the rest. */
export const WAVE_SIZE = 200;
/** More moves than this do not travel in one observation. */
const MAX_MOVES = 1_000;
/** An observation ends this long after the last change, whatever it sees. */
export const PARK_LIMIT_MS = 60_000;

/** See docs/adr/0006: more than the quarter in which evenly spread restarts fill a wave, so that few waves go early. */
const LINGER_SHARE = 0.3;
const LINGER_MIN_MS = 500;
const LINGER_MAX_MS = 60_000;
/** Gates of a small workload: a pod that is proven serves nobody while it waits. */
const GATHER_MAX_MS = 5_000;

export interface WaveView {
  plan: Plan;
  /** Generation or the annotations that matter differ from what the workflow has dealt with. */
  isSpecNew: boolean;
  /** `reached` was told to the rollout already. */
  toldReached: boolean;
  /** `blockedKey` of what was told already; empty if nothing was. */
  toldBlocked: string;
  /** The status says what this plan says; where it does not, it may be written again from `showAtMs` on. */
  isShown: boolean;
  showAtMs: number;
  /** Since when the plans of this observation have had moves; absent while there were none. */
  movesSinceMs?: number;
  /** When the workload or its pods last changed, or the observation began. */
  changedAtMs: number;
  usualTimeToReadyMs: number;
  nowMs: number;
}

export type WaveDecision =
  | { return: true; why: 'spec' | 'reached' | 'blocked' | 'settled' | 'idle' | 'status' | 'wave' | 'linger' }
  /** Parks on; looks again at the latest then (epoch milliseconds), earlier if something changes. */
  | { return: false; untilMs: number };

/** Whether an observation returns with this plan, or parks on and until when. */
export function shouldReturn(view: WaveView): WaveDecision {
  const { plan, nowMs } = view;
  if (view.isSpecNew) return { return: true, why: 'spec' };
  if (plan.reached && !view.toldReached) return { return: true, why: 'reached' };
  if (hasNewVerdict(plan.blockers, view.toldBlocked)) return { return: true, why: 'blocked' };
  if (!plan.inTransition) return { return: true, why: 'settled' };
  const idleAtMs = view.changedAtMs + PARK_LIMIT_MS;
  if (nowMs >= idleAtMs) return { return: true, why: 'idle' };
  const untilMs = Math.min(idleAtMs, plan.lookAgainAtMs ?? Number.POSITIVE_INFINITY);
  if (plan.moves.length === 0) return waitForPods(view, untilMs);
  const patienceMs = patienceMsOf(view);
  if (patienceMs === 0) return { return: true, why: 'wave' };
  const lingerEndsMs = (view.movesSinceMs ?? nowMs) + patienceMs;
  return nowMs >= lingerEndsMs
    ? { return: true, why: 'linger' }
    : { return: false, untilMs: Math.min(untilMs, lingerEndsMs) };
}

/** A wave of fewer moves waits for others that are about to come: each costs as much as a large one. */
const FEW = 10;

/** How long the moves wait for others; 0: they go at once. */
function patienceMsOf({ plan, usualTimeToReadyMs }: WaveView): number {
  const least = worthwhile(plan);
  const size = waveSize(plan, least);
  const isOnlyGates = plan.moves.every(isOpening);
  if (size < least) return isOnlyGates && isNothingElseUnderWay(plan) ? 0 : lingerMs(usualTimeToReadyMs, LINGER_MAX_MS);
  if (size >= FEW) return 0;
  if (isOnlyGates && areGatesComing(plan)) return lingerMs(usualTimeToReadyMs, GATHER_MAX_MS);
  return areSlotsComing(plan) ? LINGER_MIN_MS : 0;
}

const isOpening = ({ act }: Move): boolean => act === 'open-gate';
const openingsOf = (moves: Move[]): number => moves.filter(isOpening).length;

/** Other pods restart besides those whose gates open. */
const areGatesComing = ({ counts, moves }: Plan): boolean => counts.updating > openingsOf(moves);

/** Other pods do not serve besides those whose gates open: their slots become free. */
const areSlotsComing = ({ counts, moves }: Plan): boolean => counts.replicas - counts.available > openingsOf(moves);

const isNothingElseUnderWay = (plan: Plan): boolean =>
  !areGatesComing(plan) && !areSlotsComing(plan) && plan.counts.waiting === 0;

/** Such a wait may take long: what people see of it must not be what was true before it began. */
function waitForPods({ isShown, showAtMs, nowMs }: WaveView, untilMs: number): WaveDecision {
  if (isShown) return { return: false, untilMs };
  return nowMs >= showAtMs ? { return: true, why: 'status' } : { return: false, untilMs: Math.min(untilMs, showAtMs) };
}

/**
 * The moves of a plan that are made now. What spends is limited more: activities that carry out one wave at the same
 * time tell each other of it, should one of them have to plan again.
 */
export function waveOf(moves: Move[]): Move[] {
  let spending = 0;
  const isIn = (move: Move) => !spends(move) || spending++ < WAVE_SIZE;
  return moves.filter(isIn).slice(0, MAX_MOVES);
}

/** More blockers than this do not travel in one observation. */
export const MAX_BLOCKERS = 20;
const MESSAGE_COMPARED = 200;

/** What a status says of pods: two plans with the same key are shown alike. */
export function shownKey(generation: number, { perRevision: _, ...counts }: Counts, blockers: Blocker[]): string {
  const why = blockers
    .slice(0, MAX_BLOCKERS)
    .map(({ reason, message }) => `${reason}: ${message.slice(0, MESSAGE_COMPARED)}`);
  return JSON.stringify([generation, counts, why]);
}

/** What a set of blockers says, without names and times: told again only when it changes. */
export function blockedKey(blockers: Blocker[]): string {
  return [...new Set(blockers.map((blocker) => blocker.reason))].sort().join(',');
}

/** So many times say as much as all: a large workload is looked at again and again. */
const SAMPLED = 200;

/**
 * Median time from a pod's start (or its image change) to Ready, over pods of a revision that got there; 0 where none has.
 * Such times are whole seconds.
 */
export function usualTimeToReadyMs(pods: Pod[], revision: string): number {
  const times: number[] = [];
  for (const pod of pods) {
    if (times.length === SAMPLED) break;
    const time = isActive(pod) && revisionOf(pod) === revision ? timeToReadyMs(pod) : Number.NaN;
    if (time >= 0) times.push(time);
  }
  times.sort((left, right) => left - right);
  return times[Math.floor(times.length / 2)] ?? 0;
}

/** NaN where it is not known. After an image change the containers count: how long the gate stayed closed is our own doing. */
function timeToReadyMs(pod: Pod): number {
  const state = pod.metadata.annotations?.[IN_PLACE_STATE_ANNOTATION];
  if (state === undefined) return (readySinceMs(pod) ?? Number.NaN) - momentOf(pod.metadata.creationTimestamp);
  const sinceMs = readySinceMs(pod, conditionOf(pod, 'ContainersReady') ?? conditionOf(pod, 'Ready'));
  return sinceMs === undefined ? Number.NaN : sinceMs - changedAtMs(state, pod);
}

/** Blockers that only wait for pods are told when nothing else moves; the others at once: they need a person. */
export function hasNewVerdict(blockers: Blocker[], toldBlocked: string): boolean {
  const verdicts = blockers.filter(needsPerson);
  const told = new Set(toldBlocked.split(','));
  return verdicts.some(({ reason }) => !told.has(reason));
}

export const needsPerson = ({ reason }: Blocker): boolean => !PATIENT.has(reason);

const PATIENT: ReadonlySet<Blocker['reason']> = new Set([
  'PodsNotReady',
  'GateWaiting',
  'WaitsForDeletion',
  'WaitsForIndex',
  'PodTerminating',
  'ClaimTerminating',
]);

/** Where a quarter of the budget is fewer pods than this, slots do not wait: it would save few events. */
const LEAST_OF_ROUND = 5;

const isRestart = ({ act }: Move): boolean => act === 'close-gate' || act === 'patch-images';

/**
 * Opening gates frees slots and closing them uses slots: a slow rollout does as much of either. Slots are free a moment
 * after the gates were opened: while other pods restart, their use waits for the next gates, so that a round is one wave.
 */
function waveSize({ moves, counts }: Plan, least: number): number {
  const openings = openingsOf(moves);
  const others = moves.length - openings;
  const areOthersRestarting = counts.updating > openings && least >= LEAST_OF_ROUND;
  const restarts = areOthersRestarting ? moves.filter(isRestart).length : 0;
  return Math.max(openings, others - Math.floor(restarts / 2));
}

/** Moves that make a wave: 200, all that remains, or a quarter of the update's budget (which may be all surge). */
function worthwhile(plan: Plan): number {
  const { maxUnavailable, maxSurge } = plan.resolved;
  const quarter = Math.ceil(Math.max(maxUnavailable, maxSurge) / 4);
  return Math.max(1, Math.min(WAVE_SIZE, plan.remaining || WAVE_SIZE, quarter || WAVE_SIZE));
}

const lingerMs = (usualMs: number, maxMs: number): number =>
  Math.min(maxMs, Math.max(LINGER_MIN_MS, usualMs * LINGER_SHARE));

function changedAtMs(state: string, pod: Pod): number {
  const [, updatedAt] = /"updateTimestamp":"([^"]+)"/.exec(state) ?? [];
  return momentOf(updatedAt ?? pod.metadata.creationTimestamp);
}
