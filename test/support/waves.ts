/** Plans as an observation meets them: when is a wave worth making? */
import { NO_PODS } from '../../core/plan/counts.ts';
import type { Blocker, Move, Plan } from '../../core/plan/types.ts';
import type { WaveDecision, WaveView } from '../../core/plan/wave.ts';

export const NOW = 1_000_000;

export const moves = (count: number): Move[] =>
  Array.from({ length: count }, (_, index) => ({ act: 'create', pod: `p-${index}`, revision: 'r', reason: 'test' }));

export const closings = (count: number): Move[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ act: 'close-gate', pod: `c-${index}`, uid: `c-${index}`, resourceVersion: '1', reason: 'test' },
    ...{ revision: 'r', thenPatch: true, spends: true },
  }));

export const openings = (count: number): Move[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ act: 'open-gate', pod: `o-${index}`, uid: `u-${index}` },
    ...{ resourceVersion: '1', reason: 'test' },
  }));

export const blocker = (reason: Blocker['reason']): Blocker => ({ reason, message: 'because' });

export function makePlan(changes: Partial<Plan>): Plan {
  return {
    moves: [],
    retired: [],
    counts: { ...NO_PODS },
    resolved: { replicas: 1000, partition: 0, maxUnavailable: 100, maxSurge: 0 },
    reached: false,
    blockers: [],
    inTransition: true,
    freeBudget: 0,
    remaining: 500,
    replacesFailed: 0,
    ...changes,
  };
}

export const updating = (count: number): Plan['counts'] => ({ ...makePlan({}).counts, updating: count });

export function makeView(plan: Partial<Plan>, changes: Partial<WaveView> = {}): WaveView {
  return {
    plan: makePlan(plan),
    isSpecNew: false,
    toldReached: false,
    toldBlocked: '',
    isShown: true,
    showAtMs: NOW,
    changedAtMs: NOW,
    usualTimeToReadyMs: 0,
    nowMs: NOW,
    ...changes,
  };
}

export const yes = (why: Extract<WaveDecision, { return: true }>['why']): WaveDecision => ({ return: true, why });
export const parks = (untilMs: number): WaveDecision => ({ return: false, untilMs });

export const small = { replicas: 10, partition: 0, maxUnavailable: 10, maxSurge: 0 };
/** The others restart. */
export const servingOfTen = (available: number): Plan['counts'] => ({
  ...makePlan({}).counts,
  ...{ replicas: 10, available, updating: 10 - available },
});

export const surgeOnly = { replicas: 9, partition: 0, maxUnavailable: 0, maxSurge: 40 };

export const STALE = { isShown: false, showAtMs: NOW + 5_000 };
