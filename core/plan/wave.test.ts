import { describe, expect, it } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import type { Blocker, Move, Plan } from './types.ts';
import { blockedKey, shouldReturn, usualTimeToReadyMs, type WaveDecision, type WaveView, waveOf } from './wave.ts';

const NOW = 1_000_000;

const moves = (count: number): Move[] =>
  Array.from({ length: count }, (_, index) => ({ act: 'create', pod: `p-${index}`, revision: 'r', reason: 'test' }));

const closings = (count: number): Move[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ act: 'close-gate', pod: `c-${index}`, uid: `c-${index}`, resourceVersion: '1', reason: 'test' },
    ...{ revision: 'r', thenPatch: true, spends: true },
  }));

const openings = (count: number): Move[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ act: 'open-gate', pod: `o-${index}`, uid: `u-${index}` },
    ...{ resourceVersion: '1', reason: 'test' },
  }));

const blocker = (reason: Blocker['reason']): Blocker => ({ reason, message: 'because' });

function makePlan(changes: Partial<Plan>): Plan {
  return {
    moves: [],
    retired: [],
    counts: {
      replicas: 0,
      ready: 0,
      available: 0,
      updated: 0,
      updatedReady: 0,
      updatedAvailable: 0,
      waiting: 0,
      updating: 0,
      unavailable: 0,
      perRevision: {},
    },
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

const updating = (count: number): Plan['counts'] => ({ ...makePlan({}).counts, updating: count });

function makeView(plan: Partial<Plan>, changes: Partial<WaveView> = {}): WaveView {
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

const yes = (why: Extract<WaveDecision, { return: true }>['why']): WaveDecision => ({ return: true, why });
const parks = (untilMs: number): WaveDecision => ({ return: false, untilMs });

const small = { replicas: 10, partition: 0, maxUnavailable: 10, maxSurge: 0 };
/** The others restart. */
const servingOfTen = (available: number): Plan['counts'] => ({
  ...makePlan({}).counts,
  ...{ replicas: 10, available, updating: 10 - available },
});

const surgeOnly = { replicas: 9, partition: 0, maxUnavailable: 0, maxSurge: 40 };

const STALE = { isShown: false, showAtMs: NOW + 5_000 };

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

const at = (seconds: number) => new Date(seconds * 1000).toISOString();

function makePod(createdAt: number, readyAt?: number, updatedAt?: number): Pod {
  const state = updatedAt === undefined ? undefined : JSON.stringify({ revision: 'r', updateTimestamp: at(updatedAt) });
  return {
    metadata: {
      name: 'p',
      creationTimestamp: at(createdAt),
      labels: { 'controller-revision-hash': 'r' },
      annotations: state === undefined ? {} : { 'inplace-update-state': state },
    },
    spec: { containers: [] },
    status: {
      conditions: readyAt === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: at(readyAt) }],
    },
  };
}

/** Its containers became ready then; the gate may have kept the pod from it. */
function withContainers(pod: Pod, readyAt: number, status: 'True' | 'False' = 'True'): Pod {
  pod.status!.conditions!.push({ type: 'ContainersReady', status, lastTransitionTime: at(readyAt) });
  return pod;
}

describe('usualTimeToReadyMs', () => {
  it.each([
    ['nothing known', [], 0],
    ['pods that are not ready do not count', [makePod(0), makePod(0, 8)], 8_000],
    ['the median of created pods', [makePod(0, 2), makePod(0, 30), makePod(0, 6)], 6_000],
    ['an image change starts the clock anew', [makePod(0, 95, 90)], 5_000],
    ['a readiness older than the image change is not counted', [makePod(0, 80, 90)], 0],
    ['a pod that restarted and waits for its gate', [withContainers(makePod(0, undefined, 90), 97)], 7_000],
    ['a gate that opened late does not count', [withContainers(makePod(0, 99, 90), 97)], 7_000],
    ['containers that have not stopped yet do not count', [withContainers(makePod(0, undefined, 90), 5)], 0],
    ['containers that restart do not count', [withContainers(makePod(0, undefined, 90), 92, 'False')], 0],
    ['a new pod is to be Ready itself', [withContainers(makePod(0), 5), withContainers(makePod(0, 8), 5)], 8_000],
    ['a moment that nobody can read is none', [{ ...makePod(0, 8), metadata: { name: 'p' } }], 0],
  ])('%s', (_sentence, pods, want) => {
    expect(usualTimeToReadyMs(pods, 'r')).toBe(want);
  });

  it('goes by 200 pods that got there, wherever they stand', () => {
    const others = Array.from({ length: 300 }, () => makePod(0));
    const known = [...Array.from({ length: 200 }, () => makePod(0, 9)), ...others, makePod(0, 1), makePod(0, 1)];
    expect(usualTimeToReadyMs([...others, ...known], 'r')).toBe(9_000);
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
