import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Watched } from '../stores.ts';
import type { Bell } from './bell-board.ts';
import { type Doorbell, startDoorbell } from './doorbell.ts';

const LOBBY = 'gamedeployment/default/lobby';
const nothing = { list: () => [], onChange: () => () => undefined };
const names = [
  ...['gameDeployments', 'gameStatefulSets', 'pods', 'controllerRevisions'],
  ...['hookRuns', 'hookTemplates', 'nodes'],
];
const emptyStores = Object.fromEntries(names.map((name) => [name, nothing])) as unknown as Watched;

let doorbell: Doorbell;
let rung: Bell[];

function start(ring: (bell: Bell) => Promise<void>, everything: string[], stale: () => string[] = () => []): void {
  doorbell = startDoorbell({
    ...{
      stores: emptyStores,
      everything: () => everything,
      stale,
      onRung: () => undefined,
    },
    log: { info: () => undefined, warn: () => undefined },
    ring: async (bell) => {
      rung.push(bell);
      await ring(bell);
    },
  });
}

beforeEach(() => {
  rung = [];
  vi.useFakeTimers({ now: 0 });
});
afterEach(async () => {
  await doorbell.stop();
  vi.useRealTimers();
});

describe('taking over', () => {
  test('rings everything there is', async () => {
    start(async () => undefined, [LOBBY, 'hookrun/default/run']);
    await vi.advanceTimersByTimeAsync(0);
    expect(rung).toEqual([
      { key: LOBBY, reason: 'resync' },
      { key: 'hookrun/default/run', reason: 'resync' },
    ]);
  });

  test('rings no more than 20 at once, and all in the end', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const keys = Array.from({ length: 50 }, (_, index) => `gamedeployment/default/w${index}`);
    start(() => gate, keys);
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
    start(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('unavailable');
    }, [LOBBY]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(rung).toHaveLength(5);
  });

  test('after a stop nothing is rung any more', async () => {
    start(() => Promise.reject(new Error('unavailable')), [LOBBY]);
    await vi.advanceTimersByTimeAsync(0);
    await doorbell.stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(rung).toHaveLength(1);
  });
});

test('what looks stale is rung about every 5 minutes', async () => {
  start(
    async () => undefined,
    [],
    () => [LOBBY],
  );
  await vi.advanceTimersByTimeAsync(250_000);
  expect(rung).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(rung).toEqual([{ key: LOBBY, reason: 'resync' }]);
  await vi.advanceTimersByTimeAsync(3_300_000);
  expect(rung.length).toBeGreaterThanOrEqual(10);
});

test('a resync that fails is tried again by the next one', async () => {
  let resyncs = 0;
  const stale = () => {
    resyncs += 1;
    throw new Error('a fault');
  };
  start(async () => undefined, [], stale);
  await vi.advanceTimersByTimeAsync(1_200_000);
  expect(resyncs).toBeGreaterThanOrEqual(3);
});
