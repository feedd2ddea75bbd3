/** What a real apiserver does not do on demand; test/kubernetes/reflector.test.ts has the rest. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Pod } from '../crds/kubernetes.ts';
import type { KubernetesClient, WatchOptions } from './client.ts';
import { ApiError } from './errors.ts';
import { type ReflectorOptions, startReflector } from './reflector.ts';
import { pods } from './resource-types.ts';
import { ServerPulse } from './server-pulse.ts';
import { ObjectStore } from './store.ts';
import type { WatchEvent } from './watch-stream.ts';

/** One watch as the fake server plays it. */
type Script = (options: WatchOptions) => AsyncGenerator<WatchEvent<Pod>>;

const pod = (name: string, resourceVersion: string) =>
  ({ metadata: { name, namespace: 'n', uid: `uid-${name}`, resourceVersion } }) as Pod;
const added = (name: string, version: string): WatchEvent<Pod> => ({ type: 'ADDED', object: pod(name, version) });
const end = (resourceVersion: string): WatchEvent<Pod> => ({ type: 'BOOKMARK', resourceVersion, initialEnd: true });

async function untilAborted(signal: AbortSignal): Promise<never> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  throw new ApiError('cancelled', { reason: 'aborted', sent: true });
}

/** Sends these events and then stays open in silence. */
const sending = (...events: WatchEvent<Pod>[]): Script =>
  async function* send(options) {
    options.onBytes?.();
    yield* events;
    await untilAborted(options.signal);
  };

/** Sends these events; `lifeMs` after them the server ends the stream in peace. */
const ending = (lifeMs: number, ...events: WatchEvent<Pod>[]): Script =>
  async function* send(options) {
    options.onBytes?.();
    yield* events;
    await new Promise((resolve) => setTimeout(resolve, lifeMs));
  };

const failing = (reason: ApiError['reason'], status: number): Script =>
  // biome-ignore lint/correctness/useYield: this watch fails before its first event
  async function* fail() {
    throw new ApiError(reason, { reason, status, sent: true });
  };

interface Played extends Partial<ReflectorOptions<Pod>> {
  /** The version that the server is at when a watch is to be resumed; far ahead when absent. */
  latest?: string;
}

function play(scripts: Script[], { latest = '1000000', ...options }: Played = {}) {
  const opened: WatchOptions[] = [];
  const lists: string[] = [];
  const problems: ApiError[] = [];
  const store = new ObjectStore<Pod>();
  const watch = (_type: unknown, watchOptions: WatchOptions) => {
    opened.push(watchOptions);
    const script = scripts.length > 1 ? scripts.shift() : scripts[0];
    return script!(watchOptions);
  };
  const list = async () => {
    lists.push('list');
    return { items: [pod('listed', '40')], resourceVersion: '50' };
  };
  const client = {
    watch,
    list,
    latestVersion: async () => latest,
    probe: async () => true,
  } as unknown as KubernetesClient;
  const onProblem = (problem: ApiError) => problems.push(problem);
  const pulse = new ServerPulse(client);
  const reflector = startReflector({ client, type: pods, store, pulse, onProblem, ...options });
  return { reflector, store, opened, lists, problems };
}

const names = (store: ObjectStore<Pod>) => store.list().map((object) => object.metadata.name);
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

describe('the first objects', () => {
  test('are asked for as a watch-list and shown in one step, when they are complete', async () => {
    const finished = Promise.withResolvers<void>();
    const script: Script = async function* slow(options) {
      options.onBytes?.();
      yield added('a', '1');
      await finished.promise;
      yield added('b', '2');
      yield end('9');
      await untilAborted(options.signal);
    };
    const { reflector, store, opened } = play([script]);
    await pass(0);
    expect([names(store), store.isFresh()]).toEqual([[], false]);
    finished.resolve();
    await pass(0);
    expect([names(store), store.isFresh()]).toEqual([['a', 'b'], true]);
    expect(opened[0]).toMatchObject({ sendInitialEvents: true, resourceVersion: undefined });
    await reflector.stop();
  });

  test.each(['invalid', 'badRequest'] as const)('come by LIST when the watch-list is refused as %s', async (reason) => {
    const { reflector, store, opened, lists } = play([failing(reason, 422), sending()]);
    await pass(1_000);
    expect([names(store), lists, store.isFresh()]).toEqual([['listed'], ['list'], true]);
    expect(opened[1]).toMatchObject({ sendInitialEvents: false, resourceVersion: '50' });
    await reflector.stop();
  });

  test('come by LIST when the watch-list brings nothing', async () => {
    const { reflector, store, problems } = play([sending(), sending()]);
    await pass(20_000);
    expect(names(store)).toEqual(['listed']);
    expect(problems.map((problem) => problem.message)).toEqual(['the watch-list brought nothing']);
    await reflector.stop();
  });

  test('that replace older ones leave the store unfresh until they are complete', async () => {
    const expired: Script = async function* expire(options) {
      options.onBytes?.();
      yield added('a', '1');
      yield end('9');
      throw new ApiError('too old', { reason: 'expired', status: 410, sent: true });
    };
    const { reflector, store } = play([expired, sending(added('b', '20'))]);
    await pass(1_000);
    expect([names(store), store.isFresh()]).toEqual([['a'], false]);
    await reflector.stop();
  });
});

describe('a resumed stream', () => {
  /** A server says within this time that history is gone, if it does. */
  const SETTLE_MS = 300;

  test('is not believed before the server can have said that history is gone', async () => {
    const historyIsGone = Promise.withResolvers<void>();
    const refusing: Script = async function* refuse(options) {
      options.onBytes?.();
      await historyIsGone.promise;
      yield* failing('expired', 410)(options);
    };
    const { reflector, store, opened, problems } = play([ending(2_000, end('9')), refusing, sending(end('30'))]);
    await pass(2_000 + SETTLE_MS - 1);
    expect([opened.length, store.isFresh()]).toEqual([2, false]);
    historyIsGone.resolve();
    await vi.waitFor(() => expect(problems.map(({ reason }) => reason)).toEqual(['expired']), { interval: 0 });
    expect([opened.length, store.isFresh()]).toEqual([2, false]);
    await pass(1_000);
    expect([opened.length, store.isFresh()]).toEqual([3, true]);
    await reflector.stop();
  });

  test('is believed once the server has had that time and said nothing', async () => {
    const { reflector, store, opened } = play([ending(2_000, end('9')), sending()]);
    await pass(2_000 + SETTLE_MS - 1);
    expect([opened.length, store.isFresh()]).toEqual([2, false]);
    // One more turn of the event loop, in which what has arrived would be read.
    await pass(2);
    expect([opened.length, store.isFresh()]).toEqual([2, true]);
    await reflector.stop();
  });
});

test.each([
  {
    what: 'has not come so far: everything is read anew',
    latest: '8',
    resumed: { sendInitialEvents: true, resourceVersion: undefined },
  },
  { what: 'has come just so far', latest: '9', resumed: { sendInitialEvents: false, resourceVersion: '9' } },
])('a stream is not resumed ahead of its server, which $what', async ({ latest, resumed }) => {
  const { reflector, opened } = play([ending(2_000, end('9')), sending()], { latest });
  await pass(2_000);
  expect(opened[1]).toMatchObject(resumed);
  await reflector.stop();
});

describe('a stream that ends', () => {
  test('in peace goes on at the last version, without reading everything again', async () => {
    const modified: WatchEvent<Pod> = { type: 'MODIFIED', object: pod('a', '12') };
    const { reflector, opened, problems } = play([ending(2_000, added('a', '1'), end('9'), modified), sending()]);
    await pass(2_000);
    expect(opened[1]).toMatchObject({ resourceVersion: '12', sendInitialEvents: false });
    expect(problems).toEqual([]);
    await reflector.stop();
  });

  test('at once, again and again, is asked for ever less often', async () => {
    const { reflector, opened } = play([ending(0, end('9'))]);
    await pass(60_000);
    expect(opened.length).toBeGreaterThan(5);
    expect(opened.length).toBeLessThan(30);
    await reflector.stop();
  });

  test('by an error goes on after a pause, whatever the error', async () => {
    const scripts = [sending(end('9')), failing('forbidden', 403), failing('unavailable', 503)];
    const { reflector, problems, opened } = play(scripts.slice(1).concat(scripts[0]!));
    await pass(5_000);
    expect(problems.map((problem) => problem.reason)).toEqual(['forbidden', 'unavailable']);
    expect(opened).toHaveLength(3);
    await reflector.stop();
  });
});

test('a stream that withholds what is known to have happened is replaced and not believed meanwhile', async () => {
  const { reflector, store, opened, problems } = play([
    sending(added('a', '1'), end('9')),
    sending({ type: 'MODIFIED', object: pod('a', '15') }),
  ]);
  await pass(0);
  const waiting = store.whenReached('15', { timeoutMs: 30_000 });
  await pass(4_900);
  expect([store.isFresh(), opened.length]).toEqual([true, 1]);
  await pass(200);
  expect(store.isFresh()).toBe(false);
  await pass(5_000);
  expect(await waiting).toBe(true);
  expect([store.isFresh(), opened.length]).toEqual([true, 2]);
  expect(problems.map((problem) => problem.message)).toEqual([
    'the watch withholds a change that is known to have happened',
  ]);
  await reflector.stop();
});

test('one that goes on and withholds again is not gone on with: everything is read anew', async () => {
  const { reflector, store, opened } = play([sending(end('9')), sending(), sending(end('20'))]);
  await pass(0);
  const waiting = store.whenReached('15', { timeoutMs: 60_000 });
  await pass(20_000);
  expect(opened.map(({ sendInitialEvents }) => sendInitialEvents)).toEqual([true, false, true]);
  expect(await waiting).toBe(true);
  await reflector.stop();
});

test('a listener of problems that throws does not end the watch', async () => {
  const onProblem = () => {
    throw new Error('bad listener');
  };
  const { reflector, store } = play([failing('unavailable', 503), sending(end('9'))], { onProblem });
  await pass(2_000);
  expect(store.isFresh()).toBe(true);
  await reflector.stop();
});

test('stopping while everything is read leaves no stream behind', async () => {
  const { reflector, opened } = play([sending()], { start: 'list' });
  await reflector.stop();
  await pass(10_000);
  expect(opened.every((options) => options.signal.aborted)).toBe(true);
});
