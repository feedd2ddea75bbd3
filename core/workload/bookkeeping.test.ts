import { describe, expect, it } from 'vitest';
import type { Counts, GateDecisions, Move, Unresolved } from '../plan/types.ts';
import type { RolloutView } from '../rollout/types.ts';
import { calmDown, restMs, takeAllowance, takeEfforts, takeOutcomes, takeSight } from './bookkeeping.ts';
import { newWorkloadState } from './state.ts';

const deletion: Move = {
  ...{ act: 'delete', pod: 'lobby-a', uid: 'u-a', resourceVersion: '40', reason: 'test', spends: true },
};

const outcome = (changes: object = {}) => ({ unresolved: [], written: {}, gone: [], quorum: false, ...changes });

describe('the fence of a workload', () => {
  it('is no more than an observation saw that finds etcd put back to a state of before', () => {
    const state = newWorkloadState();
    takeSight(state, { fence: { written: { pods: '90', hookruns: '91' }, gone: [] }, unresolved: [], issued: [] });
    takeSight(state, { fence: { written: { pods: '9' }, gone: [], isReset: true }, unresolved: [], issued: [] });
    expect(state.fence).toEqual({ written: { pods: '9' }, gone: [] });
  });

  it('else rises by what an observation saw, and never falls', () => {
    const state = newWorkloadState();
    takeSight(state, { fence: { written: { pods: '90' }, gone: [] }, unresolved: [], issued: [] });
    takeSight(state, { fence: { written: { pods: '9', hookruns: '3' }, gone: [] }, unresolved: [], issued: [] });
    expect(state.fence.written).toEqual({ pods: '90', hookruns: '3' });
  });

  it('keeps what must be gone over waves, until an observation has seen it', () => {
    const state = newWorkloadState();
    takeOutcomes(state, [deletion], [outcome({ gone: ['u-a'] })]);
    takeOutcomes(state, [], [outcome({ gone: ['u-b'] })]);
    expect(state.fence.gone).toEqual(['u-a', 'u-b']);
    takeSight(state, { fence: { written: {}, gone: [] }, unresolved: [], issued: [] });
    expect(state.fence.gone).toEqual([]);
  });
});

describe('a rollout that wanted to end, and heard more', () => {
  const word = (sequence: number, phase: 'Completed' | 'Aborted') => ({
    ...{
      uid: 'u',
      number: 1,
      sequence,
      allowance: { revision: phase === 'Completed' ? 'r2' : 'r1', partition: 0, paused: false },
    },
    view: { number: 1, phase, stepIndex: 0, stepCount: 0, stepsHash: 'h', message: '' },
  });

  it('is open again, and its workload stands where it stood before', () => {
    const rollout = {
      ...{ number: 1, fromRevision: 'r1', toRevision: 'r2', rolledBack: false, isOpen: true, sequence: 1 },
      ...{ view: null, allowance: null },
    };
    const state = { ...newWorkloadState(), uid: 'u', stableRevision: 'r1', rollout };
    takeAllowance(state, word(2, 'Completed'), 0);
    expect([state.rollout.isOpen, state.stableRevision]).toEqual([false, 'r2']);
    takeAllowance(state, word(3, 'Aborted'), 0);
    expect([state.rollout.isOpen, state.stableRevision]).toEqual([true, 'r1']);
  });
});

describe('since when pods move to a target', () => {
  const VIEW: RolloutView = {
    number: 1,
    phase: 'Progressing',
    stepIndex: 0,
    stepCount: 0,
    stepsHash: '',
    message: '',
  };
  const link = { number: 1, fromRevision: 'r1', toRevision: 'r2', rolledBack: false, isOpen: true };
  const taken = (gates: GateDecisions, ...targets: string[]) => {
    const state = newWorkloadState();
    Object.assign(state, { gates, rollout: { ...link, sequence: 0, allowance: null, view: null } });
    targets.forEach((revision, index) => {
      const allowance = { revision, partition: 1, paused: false };
      takeAllowance(state, { uid: '', number: 1, sequence: index + 1, allowance, view: VIEW }, (index + 1) * 1_000);
    });
    return state.gates.target;
  };

  it('each change of it counts: an abort, and a new start after that', () => {
    expect(taken({}, 'r1', 'r2', 'r2')).toEqual({ revision: 'r2', sinceMs: 2_000 });
    expect(taken({}, 'r1', 'r2', 'r1', 'r2')).toEqual({ revision: 'r2', sinceMs: 4_000 });
  });

  it('is not known after a loss of state', () => {
    expect(taken({}, 'r2', 'r2')).toEqual({ revision: 'r2', sinceMs: 0 });
  });

  it('the rollout knows, also after a loss of state, and when it begins anew', () => {
    const said = (movesSinceMs: number, at: number, state = newWorkloadState()) => {
      state.rollout = { ...link, sequence: 0, allowance: null, view: null };
      const allowance = { revision: 'r2', partition: 0, paused: false };
      takeAllowance(state, { uid: '', number: 1, sequence: 1, allowance, view: { ...VIEW, movesSinceMs } }, at);
      return state;
    };
    const lost = said(500, 9_000);
    expect(lost.gates.target).toEqual({ revision: 'r2', sinceMs: 500 });
    expect(said(9_500, 10_000, lost).gates.target).toEqual({ revision: 'r2', sinceMs: 9_500 });
  });

  it('stays with the words of people', () => {
    expect(taken({ target: { revision: 'r2', sinceMs: 500 }, skippedAtMs: 7 }, 'r2')?.sinceMs).toBe(500);
  });
});

/** Nothing is left to do. */
const calm = () => ({
  counts: { unavailable: 0 } as Counts,
  moves: [] as Move[],
  inTransition: false,
});

describe('trying less often', () => {
  const refused: Unresolved = { act: 'create', pod: 'lobby-a', outcome: 'refused', message: 'exceeded quota' };

  it('a refused create waits 10 s, then 20 s', () => {
    const state = newWorkloadState();
    takeEfforts(state, [{ done: 0, unresolved: [refused] }], 0, 1_000);
    expect(state.backOff).toEqual({ count: 1, untilMs: 11_000 });
    takeEfforts(state, [{ done: 0, unresolved: [refused] }], 0, 11_000);
    expect(state.backOff).toEqual({ count: 2, untilMs: 31_000 });
  });

  it('each refused name waits for itself, for as long as it stays refused', () => {
    const state = newWorkloadState();
    const create: Move = { act: 'create', pod: 'lobby-a', revision: 'r1', reason: 'test' };
    const wave = (unresolved: Unresolved[], nowMs: number, moves = [create]) => {
      takeOutcomes(state, moves, [outcome({ unresolved })]);
      takeEfforts(state, [{ done: 0, unresolved }], 0, nowMs);
      return state.unresolved.map(({ pod, backOff }) => [pod, backOff?.count, backOff?.untilMs]);
    };
    expect(wave([refused], 1_000)).toEqual([['lobby-a', 1, 11_000]]);
    expect(wave([refused], 11_000)).toEqual([['lobby-a', 2, 31_000]]);
    const other = { ...create, pod: 'lobby-b' };
    expect(wave([{ ...refused, pod: 'lobby-b' }], 12_000, [other])).toEqual([
      ['lobby-a', 2, 31_000],
      ['lobby-b', 1, 22_000],
    ]);
    expect(wave([], 31_000)).toEqual([['lobby-b', 1, 22_000]]);
  });

  it('waves that create nothing do not put off what waits: a rollout does not starve healing', () => {
    const state = newWorkloadState();
    state.unresolved = [refused];
    takeEfforts(state, [{ done: 3, unresolved: [] }], 0, 1_000);
    expect(state.backOff.untilMs).toBe(0);
  });

  it('failed pods that are deleted do not put off creates', () => {
    const state = newWorkloadState();
    takeEfforts(state, [{ done: 1, unresolved: [] }], 1, 1_000);
    expect([state.failures.untilMs, state.backOff.untilMs]).toEqual([11_000, 0]);
    calmDown(state, calm());
    expect(state.failures).toEqual({ count: 0, untilMs: 0 });
  });

  describe('where the surge alone funds an update, all replicas are available all the time', () => {
    const create: Move = { act: 'create', pod: 'lobby-a', revision: 'r2', reason: 'test' };
    const refusedTwice = (open: Unresolved[]) => {
      const state = newWorkloadState();
      Object.assign(state, { backOff: { count: 2, untilMs: 31_000 }, unresolved: open });
      calmDown(state, calm());
      return state.backOff.count;
    };

    it.each<[string, Unresolved[], number]>([
      ['a create that is refused goes on waiting', [refused], 2],
      [
        'also when its last attempt was not answered',
        [{ ...refused, outcome: 'unknown', backOff: { count: 2, untilMs: 0 } }],
        2,
      ],
      ['one that was never refused is none', [{ ...refused, outcome: 'unknown' }], 0],
      ['nor is another write', [{ ...refused, act: 'delete' }], 0],
      ['one that came about ends it', [], 0],
    ])('%s', (_, open, want) => {
      expect(refusedTwice(open)).toBe(want);
    });

    it.each<[string, Partial<ReturnType<typeof calm>>, number]>([
      ['a pod that failed is there', { counts: { unavailable: 0, failed: 1 } as Counts }, 2],
      ['another one is made in its place', { moves: [create] }, 2],
      ['that one is not in service yet', { inTransition: true }, 2],
      ['that one is in service', {}, 0],
    ])('failures: %s', (_, changes, want) => {
      const state = newWorkloadState();
      state.failures = { count: 2, untilMs: 31_000 };
      calmDown(state, { ...calm(), ...changes });
      expect(state.failures.count).toBe(want);
    });
  });

  it('waves that bring nothing about are followed by longer and longer rests, until one does', () => {
    const state = newWorkloadState();
    const rests = Array.from({ length: 9 }, () => {
      takeEfforts(state, [{ done: 0, unresolved: [] }], 0, 0);
      return restMs(state);
    });
    expect(rests).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    takeEfforts(
      state,
      [
        { done: 0, unresolved: [] },
        { done: 1, unresolved: [] },
      ],
      0,
      0,
    );
    expect(restMs(state)).toBe(0);
  });
});
