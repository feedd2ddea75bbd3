import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Stores } from '../../activities/ports.ts';
import type { Bell } from './bell-board.ts';
import { type Doorbell, type DoorbellOptions, startDoorbell } from './doorbell.ts';

const LOBBY = 'gamedeployment/default/lobby';
const nothing = { list: () => [], onChange: () => () => undefined };
const names = [
  ...['gameDeployments', 'gameStatefulSets', 'pods', 'controllerRevisions'],
  ...['hookRuns', 'hookTemplates', 'persistentVolumeClaims', 'nodes'],
];
const emptyStores = Object.fromEntries(names.map((name) => [name, nothing])) as unknown as Stores;

let doorbell: Doorbell;
let rung: Bell[];

const hear: DoorbellOptions['ring'] = async () => undefined;

/** Nothing is stale unless a test says so. */
function start(options: Partial<DoorbellOptions>): void {
  const { ring = hear } = options;
  doorbell = startDoorbell({
    ...{ stores: emptyStores, stale: async () => [], onRung: () => undefined },
    log: { info: () => undefined, warn: () => undefined },
    ...options,
    ring: async (bell) => {
      rung.push(bell);
      await ring(bell);
    },
  });
}

/** The keys, the first time that they are asked for. */
const once = (...keys: string[]) => {
  const left = [keys];
  return async () => left.shift() ?? [];
};

beforeEach(() => {
  rung = [];
  vi.useFakeTimers({ now: 0 });
});
afterEach(async () => {
  await doorbell.stop();
  vi.useRealTimers();
});

describe('taking over', () => {
  test('rings what looks stale, and what Temporal and the cluster do not agree about', async () => {
    start({ stale: once(LOBBY), unmatched: async () => ['gamedeployment/default/lost'] });
    await vi.advanceTimersByTimeAsync(0);
    expect(rung).toEqual([
      { key: LOBBY, reason: 'resync' },
      { key: 'gamedeployment/default/lost', reason: 'resync' },
    ]);
  });

  test('rings no more than 20 at once, and all in the end', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const keys = Array.from({ length: 50 }, (_, index) => `gamedeployment/default/w${index}`);
    start({ ring: () => gate, stale: once(...keys) });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rung).toHaveLength(20);
    open();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(new Set(rung.map(({ key }) => key))).toEqual(new Set(keys));
  });
});

describe('Temporal is away', () => {
  test('the bell is rung again, ever more slowly, until it is heard', async () => {
    let failures = 4;
    const ring = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('unavailable');
    };
    start({ ring, stale: once(LOBBY) });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(rung).toHaveLength(5);
  });

  test('it is asked again soon which runs are there', async () => {
    const answers = [Promise.reject(new Error('unavailable')), Promise.resolve([LOBBY])];
    start({ unmatched: async () => answers.shift() ?? [] });
    await vi.advanceTimersByTimeAsync(40_000);
    expect(rung).toEqual([{ key: LOBBY, reason: 'resync' }]);
  });

  test('after a stop nothing is rung any more', async () => {
    start({ ring: () => Promise.reject(new Error('unavailable')), stale: once(LOBBY) });
    await vi.advanceTimersByTimeAsync(0);
    await doorbell.stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(rung).toHaveLength(1);
  });
});

test('what looks stale is rung about every 5 minutes', async () => {
  start({ stale: async () => [LOBBY] });
  await vi.advanceTimersByTimeAsync(250_000);
  expect(rung).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(rung).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(3_300_000);
  expect(rung.length).toBeGreaterThanOrEqual(11);
});

test('a run that was lost rings its object within seconds, not at the next resync', async () => {
  const answers = [[], [LOBBY]];
  start({ lost: async () => answers.shift() ?? [] });
  await vi.advanceTimersByTimeAsync(40_000);
  expect(rung).toEqual([{ key: LOBBY, reason: 'resync' }]);
});

test('a look for lost runs that fails is followed by the next one', async () => {
  let looks = 0;
  const lost = async () => {
    looks += 1;
    if (looks === 1) throw new Error('unavailable');
    return looks === 2 ? [LOBBY] : [];
  };
  start({ lost });
  await vi.advanceTimersByTimeAsync(40_000);
  expect(rung).toHaveLength(1);
});

test('a resync that fails is tried again by the next one', async () => {
  let resyncs = 0;
  const stale = async () => {
    resyncs += 1;
    throw new Error('a fault');
  };
  start({ stale });
  await vi.advanceTimersByTimeAsync(1_200_000);
  expect(resyncs).toBeGreaterThanOrEqual(3);
});
