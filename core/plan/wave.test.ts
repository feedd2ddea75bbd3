import { describe, expect, it } from 'vitest';
import {
  blocker,
  closings,
  makeView,
  moves,
  NOW,
  openings,
  parks,
  STALE,
  servingOfTen,
  small,
  surgeOnly,
  updating,
  yes,
} from '../../test/support/waves.ts';
import { blockedKey, shouldReturn, type WaveDecision, type WaveView, waveOf } from './wave.ts';

const cases: { sentence: string; view: WaveView; want: WaveDecision }[] = [
  { sentence: 'a new generation ends it', view: makeView({}, { isSpecNew: true }), want: yes('spec') },
  {
    sentence: 'a status that lags is not written before its time',
    view: makeView({}, STALE),
    want: parks(NOW + 5_000),
  },
  {
    sentence: 'a status that lags is written when its time has come',
    view: makeView({}, { ...STALE, nowMs: NOW + 5_000 }),
    want: yes('status'),
  },
  { sentence: 'an allowance that is reached ends it', view: makeView({ reached: true }), want: yes('reached') },
  {
    sentence: 'an allowance that was told as reached does not end it again',
    view: makeView({ reached: true }, { toldReached: true }),
    want: parks(NOW + 60_000),
  },
  {
    sentence: 'a blocker that needs a person ends it',
    view: makeView({ blockers: [blocker('HookTemplateMissing')] }),
    want: yes('blocked'),
  },
  {
    sentence: 'the same blocker, told already, does not',
    view: makeView({ blockers: [blocker('HookTemplateMissing')] }, { toldBlocked: 'GateWaiting,HookTemplateMissing' }),
    want: parks(NOW + 60_000),
  },
  {
    sentence: 'pods that are not ready yet do not end it while they are in transition',
    view: makeView({ blockers: [blocker('PodsNotReady')] }),
    want: parks(NOW + 60_000),
  },
  { sentence: 'a settled workload returns at once', view: makeView({ inTransition: false }), want: yes('settled') },
  {
    sentence: 'moves that nothing pending holds up go at once',
    view: makeView({ inTransition: false, moves: moves(1) }),
    want: yes('settled'),
  },
  {
    sentence: '60 s after the last change it ends',
    view: makeView({}, { changedAtMs: NOW - 60_000 }),
    want: yes('idle'),
  },
  {
    sentence: 'before, it parks until then',
    view: makeView({}, { changedAtMs: NOW - 1_000 }),
    want: parks(NOW + 59_000),
  },
  {
    sentence: 'it looks again when the plan changes by time alone',
    view: makeView({ lookAgainAtMs: NOW + 700 }),
    want: parks(NOW + 700),
  },
  { sentence: 'a quarter of maxUnavailable is a wave', view: makeView({ moves: moves(25) }), want: yes('wave') },
  {
    sentence: 'a few gates wait a moment for pods that are under way',
    view: makeView({ moves: openings(3), resolved: small, counts: servingOfTen(0) }, { movesSinceMs: NOW }),
    want: parks(NOW + 500),
  },
  {
    sentence: 'that moment over, they open',
    view: makeView({ moves: openings(3), resolved: small, counts: servingOfTen(0) }, { movesSinceMs: NOW - 500 }),
    want: yes('linger'),
  },
  {
    sentence: 'where pods take longer, the gates wait three tenths of that',
    view: makeView(
      { moves: openings(3), resolved: small, counts: servingOfTen(0) },
      { movesSinceMs: NOW, usualTimeToReadyMs: 10_000 },
    ),
    want: parks(NOW + 3_000),
  },
  {
    sentence: 'five seconds at most, however long pods take',
    view: makeView(
      { moves: openings(3), resolved: small, counts: servingOfTen(0) },
      { movesSinceMs: NOW, usualTimeToReadyMs: 600_000 },
    ),
    want: parks(NOW + 5_000),
  },
  {
    sentence: 'no longer than that moment for pods behind gates that were opened: only their slots are to come',
    view: makeView(
      { moves: openings(3), resolved: small, counts: { ...servingOfTen(0), updating: 3 } },
      { movesSinceMs: NOW, usualTimeToReadyMs: 10_000 },
    ),
    want: parks(NOW + 500),
  },
  {
    sentence: 'a few slots wait a moment for others, however long pods take',
    view: makeView(
      { moves: [...closings(3), ...openings(1)], resolved: small, counts: servingOfTen(3) },
      { movesSinceMs: NOW, usualTimeToReadyMs: 10_000 },
    ),
    want: parks(NOW + 500),
  },
  {
    sentence: 'pods that are missing wait no longer either',
    view: makeView(
      { moves: moves(3), resolved: small, counts: servingOfTen(3) },
      { movesSinceMs: NOW, usualTimeToReadyMs: 10_000 },
    ),
    want: parks(NOW + 500),
  },
  {
    sentence: 'they do not wait where no other pod is under way',
    view: makeView({ moves: openings(3), resolved: small, counts: servingOfTen(7) }, { movesSinceMs: NOW }),
    want: yes('wave'),
  },
  {
    sentence: 'ten moves do not wait',
    view: makeView({ moves: openings(10), resolved: small, counts: servingOfTen(0) }, { movesSinceMs: NOW }),
    want: yes('wave'),
  },
  {
    sentence: 'slots of gates that just opened wait for the next gates while pods restart',
    view: makeView({ moves: closings(48), counts: updating(60) }, { movesSinceMs: NOW }),
    want: parks(NOW + 500),
  },
  {
    sentence: 'half of the budget does not wait for gates',
    view: makeView({ moves: closings(50), counts: updating(50) }, { movesSinceMs: NOW }),
    want: yes('wave'),
  },
  {
    sentence: 'pods that are missing wait for no gates',
    view: makeView({ moves: moves(25), counts: updating(50) }, { movesSinceMs: NOW }),
    want: yes('wave'),
  },
  {
    sentence: 'slots do not wait for gates where no pod restarts any more',
    view: makeView({ moves: [...closings(25), ...openings(20)], counts: updating(20) }, { movesSinceMs: NOW }),
    want: yes('wave'),
  },
  {
    sentence: 'a small budget never waits',
    view: makeView(
      {
        ...{ moves: closings(4), counts: updating(9) },
        resolved: { replicas: 100, partition: 0, maxUnavailable: 16, maxSurge: 0 },
      },
      { movesSinceMs: NOW },
    ),
    want: yes('wave'),
  },
  {
    sentence: 'gates that open and gates that close are counted apart: 20 of each are no wave',
    view: makeView({ moves: [...moves(20), ...openings(20)] }, { movesSinceMs: NOW }),
    want: parks(NOW + 500),
  },
  {
    sentence: 'a quarter of maxUnavailable to be opened is a wave',
    view: makeView({ moves: openings(25) }),
    want: yes('wave'),
  },
  {
    sentence: 'less than a quarter lingers half a second at least',
    view: makeView({ moves: moves(24) }, { movesSinceMs: NOW }),
    want: parks(NOW + 500),
  },
  {
    sentence: 'the linger over, it returns',
    view: makeView({ moves: moves(1) }, { movesSinceMs: NOW - 500 }),
    want: yes('linger'),
  },
  {
    sentence: 'the linger is three tenths of the usual time to ready',
    view: makeView({ moves: moves(1) }, { movesSinceMs: NOW, usualTimeToReadyMs: 60_000 }),
    want: parks(NOW + 18_000),
  },
  {
    sentence: 'the linger is a minute at most',
    view: makeView(
      { moves: moves(1) },
      { movesSinceMs: NOW, changedAtMs: NOW + 30_000, usualTimeToReadyMs: 3_600_000 },
    ),
    want: parks(NOW + 60_000),
  },
  { sentence: 'all that remains is a wave', view: makeView({ moves: moves(3), remaining: 3 }), want: yes('wave') },
  {
    sentence: 'gates linger while other pods restart, with nothing left to move',
    view: makeView({ moves: openings(3), remaining: 0, counts: updating(4) }, { movesSinceMs: NOW }),
    want: parks(NOW + 500),
  },
  {
    sentence: 'the last gates do not: no others are to come',
    view: makeView({ moves: openings(3), remaining: 0, counts: updating(3) }, { usualTimeToReadyMs: 60_000 }),
    want: yes('wave'),
  },
  {
    sentence: 'they linger while other pods are not available yet, whose slots are used in the same wave',
    view: makeView({ moves: openings(2), counts: servingOfTen(7) }, { movesSinceMs: NOW }),
    want: parks(NOW + 500),
  },
  {
    sentence: 'they linger while hooks of other pods run',
    view: makeView({ moves: openings(3), counts: { ...updating(3), waiting: 1 } }, { movesSinceMs: NOW }),
    want: parks(NOW + 500),
  },
  {
    sentence: '200 moves are a wave however large the budget is',
    view: makeView({
      moves: moves(200),
      resolved: { replicas: 9000, partition: 0, maxUnavailable: 3000, maxSurge: 0 },
    }),
    want: yes('wave'),
  },
  {
    sentence: 'one pod of a small workload is a wave',
    view: makeView({ moves: moves(1), resolved: { replicas: 5, partition: 0, maxUnavailable: 2, maxSurge: 0 } }),
    want: yes('wave'),
  },
  {
    sentence: 'a budget of surge alone counts as a budget',
    view: makeView({ moves: moves(10), resolved: surgeOnly }),
    want: yes('wave'),
  },
];

describe('shouldReturn', () => {
  it.each(cases)('$sentence', ({ view, want }) => {
    expect(shouldReturn(view)).toEqual(want);
  });
});

describe('blockedKey', () => {
  it('names each reason once, in a stable order', () => {
    const key = blockedKey([blocker('PodsNotReady'), blocker('GateFailed'), blocker('PodsNotReady')]);
    expect(key).toBe('GateFailed,PodsNotReady');
    expect(blockedKey([])).toBe('');
  });
});

describe('the moves of one wave', () => {
  it('200 of those that spend, and all others', () => {
    const wave = waveOf([...closings(300), ...openings(300)]);
    expect(wave.map(({ act }) => act)).toEqual([...Array(200).fill('close-gate'), ...Array(300).fill('open-gate')]);
  });

  it('a thousand at most', () => {
    expect(waveOf(moves(3_000))).toEqual(moves(3_000).slice(0, 1_000));
  });
});
