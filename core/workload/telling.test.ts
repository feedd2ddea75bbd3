import { describe, expect, it } from 'vitest';
import type { Allowance, Counts } from '../plan/types.ts';
import { newWorkloadState, type RolloutLink, type WorkloadState } from './state.ts';
import {
  askedOf,
  forbidsMore,
  isReachedTold,
  isStillAllowed,
  PASSES_WITHIN_MS,
  takeNews,
  takeSpecNews,
} from './telling.ts';

const counts = {} as Counts;

const link = (sequence: number, allowance: Partial<Allowance> | null = {}, number = 7): RolloutLink => ({
  ...{ number, fromRevision: 'r1', toRevision: 'r2', rolledBack: false, isOpen: true, sequence, view: null },
  allowance: allowance && { revision: 'r2', partition: 3, paused: false, ...allowance },
});

const stateWith = (rollout: RolloutLink | null): WorkloadState => ({ ...newWorkloadState(), rollout });

const seen = (changes: object = {}) => ({
  ...{ asOfMs: 1_000, reached: true, partition: 3, counts, blockers: [], moves: [] },
  ...changes,
});

const waiting = { reason: 'GateWaiting' as const, message: 'Pod lobby-a waits.' };

describe('what was seen is told', () => {
  it('once per allowance', () => {
    const state = stateWith(link(5));
    const asked = askedOf(state);
    expect(takeNews(state, asked, seen()).reached?.partition).toBe(3);
    expect(isReachedTold(state, asked)).toBe(true);
    expect(takeNews(state, asked, seen())).toEqual({});
  });

  it('again when replicas gave the partition another number', () => {
    const state = stateWith(link(5, { partition: 'spec' }));
    takeNews(state, askedOf(state), seen());
    expect(takeNews(state, askedOf(state), seen({ partition: 2 })).reached?.partition).toBe(2);
  });

  it('under the allowance of the look, not under one that came since: the next step is not passed unseen', () => {
    const state = stateWith(link(5));
    const asked = askedOf(state);
    state.rollout = link(6, { partition: 1 });
    expect(takeNews(state, asked, seen()).reached).toBeDefined();
    expect(asked).toMatchObject({ number: 7, sequence: 5 });
    expect(isReachedTold(state, askedOf(state))).toBe(false);
    expect(takeNews(state, askedOf(state), seen({ partition: 1 })).reached?.partition).toBe(1);
  });

  it('not to another rollout than the one that asked', () => {
    const state = stateWith(link(5));
    const asked = askedOf(state);
    state.rollout = link(1, {}, 8);
    expect(takeNews(state, asked, seen())).toEqual({});
    expect(takeNews(state, askedOf(state), seen()).reached).toBeDefined();
  });

  it('not in a pause', () => {
    const state = stateWith(link(5, { paused: true }));
    expect(takeNews(state, askedOf(state), seen()).reached).toBeUndefined();
  });

  it('since when it is blocked is remembered, as long as it is', () => {
    const state = stateWith(null);
    const look = (asOfMs: number, ...blockers: object[]) => {
      takeNews(state, askedOf(state), seen({ asOfMs, blockers }));
      return state.told.since;
    };
    const refused = { reason: 'PodCreateFailed', message: 'No.' };
    expect(look(1_000, refused)).toEqual({ PodCreateFailed: 1_000 });
    expect(look(2_000, waiting, refused)).toEqual({ GateWaiting: 2_000, PodCreateFailed: 1_000 });
    expect(look(3_000)).toEqual({});
  });

  it('what blocks is told once, and its end too', () => {
    const state = stateWith(link(5));
    const look = (changes: object) => takeNews(state, askedOf(state), seen({ reached: false, ...changes })).blocked;
    expect(look({ blockers: [waiting] })).toEqual(waiting);
    expect(look({ blockers: [waiting] })).toBeUndefined();
    expect(look({})).toEqual({ reason: '', message: '' });
  });

  it('what blocked before the rollout spoke is told when it has spoken', () => {
    const state = stateWith(link(0, null));
    const blocked = seen({ reached: false, blockers: [waiting] });
    expect(takeNews(state, askedOf(state), blocked)).toEqual({});
    state.rollout = link(1);
    expect(takeNews(state, askedOf(state), blocked).blocked).toEqual(waiting);
  });
});

describe('what waits for a person', () => {
  const failed = { reason: 'GateFailed' as const, message: 'Pod lobby-b failed.' };
  const moves = [{}];

  it('is told while other pods move, also behind what only waits', () => {
    const state = stateWith(link(5));
    const look = seen({ reached: false, moves, blockers: [waiting, failed] });
    expect(takeNews(state, askedOf(state), look).blocked).toEqual(failed);
  });

  it('is all that is told then', () => {
    const state = stateWith(link(5));
    expect(
      takeNews(state, askedOf(state), seen({ reached: false, moves, blockers: [waiting] })).blocked,
    ).toBeUndefined();
  });
});

describe('a wave', () => {
  it.each<[string, Partial<Allowance> | null, Partial<Allowance> | null, boolean]>([
    ['ends with a pause', {}, { paused: true }, true],
    ['ends when pods shall be of another revision', {}, { revision: 'r1' }, true],
    ['ends when fewer pods may move', {}, { partition: 4 }, true],
    ['ends when nobody can say which partition is larger', {}, { partition: '50%' }, true],
    ['goes on with the next step', {}, { partition: 1 }, false],
    ['goes on with a resume', { paused: true }, {}, false],
    ['goes on where only the view changed', {}, {}, false],
    ['goes on with the first word of a rollout', null, {}, false],
    ['ends where that word is a pause', null, { paused: true }, true],
  ])('%s', (_sentence, then, now, want) => {
    const state = stateWith(link(5, then));
    const asked = askedOf(state);
    state.rollout = link(6, now);
    expect(forbidsMore(state, asked)).toBe(want);
  });
});

describe('moves of a look', () => {
  it.each<[string, RolloutLink | null, boolean]>([
    ['are made when only the view changed', link(6), true],
    ['are not made after a pause', link(6, { paused: true }), false],
    ['are not made after an abort', link(6, { revision: 'r1', partition: 0 }), false],
    ['are not made when another rollout is being started', link(0, null, 8), false],
  ])('%s', (_sentence, rollout, want) => {
    const state = stateWith(link(5));
    const asked = askedOf(state);
    state.rollout = rollout;
    expect(isStillAllowed(state, asked)).toBe(want);
  });
});

describe('what the spec says is told', () => {
  const spec = { steps: [], stepsHash: 'h', pausedByUser: false };
  const edits: [string, object, object][] = [
    ['other steps', { steps: [{ partition: 1 }], stepsHash: 'other' }, { stepsHash: 'other' }],
    ['a pause', { pausedByUser: true }, { pausedByUser: true, pauseLifted: false }],
    ['a resume annotation', { resumeToken: 'r2/1' }, { resumeToken: 'r2/1' }],
    ['a deadline', { progressDeadlineSeconds: 60 }, { progressDeadlineSeconds: 60 }],
  ];

  it.each(edits)('once, when it changes: %s', (_sentence, edit, want) => {
    const state = stateWith(link(5));
    takeSpecNews(state, spec);
    expect(takeSpecNews(state, spec)).toBeUndefined();
    expect(takeSpecNews(state, { ...spec, ...edit })).toMatchObject(want);
    expect(takeSpecNews(state, { ...spec, ...edit })).toBeUndefined();
  });

  it('a deadline that was taken away', () => {
    const state = stateWith(link(5));
    takeSpecNews(state, { ...spec, progressDeadlineSeconds: 60 });
    expect(takeSpecNews(state, spec)).toMatchObject({ progressDeadlineSeconds: null });
  });

  it('that a pause was lifted, where the rollout knew of it', () => {
    const lifted = (isKnown: boolean) => {
      const state = { ...stateWith(link(5)), pausedByUser: true };
      if (isKnown) takeSpecNews(state, { ...spec, pausedByUser: true });
      return takeSpecNews(state, spec)?.pauseLifted;
    };
    expect([lifted(true), lifted(false)]).toEqual([true, false]);
  });

  it('to nobody where no rollout is open; the next one hears it', () => {
    const state = stateWith({ ...link(5), isOpen: false });
    expect(takeSpecNews(state, spec)).toBeUndefined();
    state.rollout = link(1, {}, 8);
    expect(takeSpecNews(state, spec)).toBeDefined();
  });

  it('not again by a release that tells deadlines, where none is given', () => {
    const state = stateWith(link(5));
    state.told.spec = JSON.stringify(['h', false, '']);
    expect(takeSpecNews(state, spec)).toBeUndefined();
  });
});

describe('a reason that passes by itself', () => {
  const starting = { reason: 'PodsNotReady' as const, message: 'Pod lobby-a is not ready.' };
  const at = (asOfMs: number, blockers: object[]) => seen({ reached: false, asOfMs, blockers });
  /** What is told of each look, one after another. */
  const told = (...looks: ReturnType<typeof at>[]) => {
    const state = stateWith(link(5));
    return looks.map((look) => takeNews(state, askedOf(state), look, PASSES_WITHIN_MS).blocked?.reason);
  };

  it('is told when it has lasted', () => {
    expect(told(at(0, [starting]), at(9_999, [starting]), at(10_000, [starting]), at(20_000, [starting]))).toEqual([
      ...[undefined, undefined, 'PodsNotReady', undefined],
    ]);
  });

  it('lasts since its pods say so', () => {
    expect(told(at(60_000, [{ ...starting, sinceMs: 50_000 }]))).toEqual(['PodsNotReady']);
    expect(told(at(60_000, [{ ...starting, sinceMs: 50_001 }]))).toEqual([undefined]);
  });

  it('is told at once where the clock of a node is ahead', () => {
    expect(told(at(60_000, [{ ...starting, sinceMs: 60_001 }]))).toEqual(['PodsNotReady']);
  });

  it('does not keep alive what was told before it', () => {
    expect(told(at(0, [waiting]), at(1_000, [starting]))).toEqual(['GateWaiting', '']);
  });

  it('is told at once in a run of earlier rules', () => {
    const state = stateWith(link(5));
    expect(takeNews(state, askedOf(state), at(0, [starting])).blocked?.reason).toBe('PodsNotReady');
  });
});
