import { beforeEach, describe, expect, test } from 'vitest';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { ObjectStore } from './store.ts';
import type { StoreChange } from './store-reader.ts';
import { UNANSWERED_AFTER_MS, WatchHealth } from './watch-health.ts';

const make = (name: string, resourceVersion: string, fields: Partial<KubernetesObject['metadata']> = {}) =>
  ({ metadata: { name, namespace: 'n', uid: `uid-${name}`, resourceVersion, ...fields } }) as KubernetesObject;

let now: number;
let store: ObjectStore<KubernetesObject>;
let errors: unknown[];
let changes: StoreChange<KubernetesObject>[];

beforeEach(() => {
  now = 1_000_000;
  errors = [];
  changes = [];
  store = new ObjectStore({
    indexes: { app: (object) => [object.metadata.labels?.app ?? 'none'] },
    onError: (error) => errors.push(error),
    health: new WatchHealth(() => now),
  });
  store.onChange((change) => changes.push(change));
});

const story = () => changes.map((change) => `${change.kind} ${change.object.metadata.uid}`);

describe('what it holds', () => {
  test('events in order', () => {
    store.apply('ADDED', make('a', '1'));
    store.apply('MODIFIED', make('a', '2'));
    store.apply('DELETED', make('a', '3'));
    expect(story()).toEqual(['added uid-a', 'modified uid-a', 'deleted uid-a']);
    expect(store.size).toBe(0);
    expect(store.highestResourceVersion).toBe(3n);
  });

  test('an older version of what is known is ignored', () => {
    store.apply('ADDED', make('a', '10'));
    store.apply('MODIFIED', make('a', '9'));
    expect(store.get({ namespace: 'n', name: 'a' })?.metadata.resourceVersion).toBe('10');
    expect(story()).toEqual(['added uid-a']);
  });

  test('the same name with another uid is a deletion and an addition', () => {
    store.apply('ADDED', make('a', '1', { uid: 'old' }));
    store.apply('MODIFIED', make('a', '5', { uid: 'new' }));
    expect(story()).toEqual(['added old', 'deleted old', 'added new']);
    expect(store.isGone('old')).toBe(true);
    expect(store.getByUid('old')).toBeUndefined();
    expect(store.getByUid('new')).toBeDefined();
  });

  test('a late deletion of an earlier uid does not take the new object', () => {
    store.apply('ADDED', make('a', '5', { uid: 'new' }));
    store.apply('DELETED', make('a', '4', { uid: 'old' }));
    expect(store.getByUid('new')).toBeDefined();
    expect(store.isGone('old')).toBe(true);
  });

  test('managedFields and last-applied are dropped', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: '1' };
    store.apply('ADDED', make('a', '1', { annotations, managedFields: [] } as object));
    expect(store.list()[0]?.metadata).toEqual({
      name: 'a',
      namespace: 'n',
      uid: 'uid-a',
      resourceVersion: '1',
      annotations: { kept: '1' },
    });
  });

  test('a replacement tells only what differs, and what went unseen', () => {
    store.apply('ADDED', make('same', '1'));
    store.apply('ADDED', make('changed', '2'));
    store.apply('ADDED', make('gone', '3'));
    changes = [];
    store.replace([make('same', '1'), make('changed', '8'), make('new', '9')], '20');
    expect(story()).toEqual(['modified uid-changed', 'added uid-new', 'deleted uid-gone']);
    expect(store.isGone('uid-gone')).toBe(true);
  });
});

describe('indexes', () => {
  const labelled = (name: string, version: string, app: string) => make(name, version, { labels: { app } });

  test('follow an object from key to key', () => {
    store.apply('ADDED', labelled('a', '1', 'x'));
    store.apply('MODIFIED', labelled('a', '2', 'y'));
    expect(store.byIndex('app', 'x')).toEqual([]);
    expect(store.byIndex('app', 'y')).toHaveLength(1);
    expect(store.indexKeys('app')).toEqual(['y']);
    store.apply('DELETED', labelled('a', '3', 'y'));
    expect(store.indexKeys('app')).toEqual([]);
  });

  test('a subscriber hears of objects that come to, change under and leave its key', () => {
    const heard: string[] = [];
    const unsubscribe = store.subscribe('app', 'x', (change) => heard.push(change.kind));
    store.apply('ADDED', labelled('a', '1', 'x'));
    store.apply('ADDED', labelled('b', '2', 'y'));
    store.apply('MODIFIED', labelled('a', '3', 'y'));
    store.apply('MODIFIED', labelled('a', '4', 'y'));
    unsubscribe();
    store.apply('MODIFIED', labelled('a', '5', 'x'));
    expect(heard).toEqual(['added', 'modified']);
  });

  test('an unknown index is a programming error', () => {
    expect(() => store.byIndex('nope', 'x')).toThrow('the store has no index "nope"');
    expect(() => store.subscribe('nope', 'x', () => undefined)).toThrow();
  });
});

describe('fences', () => {
  const wait = (version: string, timeoutMs = 50) => store.whenReached(version, { timeoutMs });

  test('lists and bookmarks never raise the highest object version', () => {
    store.replace([make('a', '5')], '100');
    store.bookmark('200');
    expect(store.highestResourceVersion).toBe(5n);
  });

  test('what a list or bookmark covers has been reached', () => {
    store.replace([make('a', '5')], '100');
    expect(store.hasReached('100')).toBe(true);
    expect(store.hasReached('101')).toBe(false);
    store.bookmark('200');
    expect(store.hasReached('200')).toBe(true);
  });

  test('nothing has been reached before the first sync', () => {
    store.apply('ADDED', make('a', '5'));
    expect(store.hasReached('5')).toBe(false);
  });

  test('the waiting ends with the event', async () => {
    store.replace([], '1');
    const waiting = wait('7', 10_000);
    store.apply('ADDED', make('a', '6'));
    store.apply('DELETED', make('b', '7'));
    expect(await waiting).toBe(true);
  });

  test('the waiting ends with the time', async () => {
    store.replace([], '1');
    expect(await wait('7', 5)).toBe(false);
  });

  test('the waiting ends with the signal', async () => {
    store.replace([], '1');
    const stop = new AbortController();
    const waiting = store.whenReached('7', { timeoutMs: 10_000, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(store.whenReached('7', { timeoutMs: 1, signal: stop.signal })).rejects.toThrow('enough');
  });

  test('a uid never seen is not gone', () => {
    store.replace([], '1');
    expect(store.isGone('unknown')).toBe(false);
  });

  test('a history that went back voids what was reached', () => {
    store.replace([make('a', '500')], '600');
    store.replace([make('a', '3')], '10');
    expect(store.highestResourceVersion).toBe(3n);
    expect(store.hasReached('500')).toBe(false);
  });
});

describe('freshness', () => {
  const openAndSync = () => {
    store.replace([], '1');
    store.health.connected();
    store.health.answered();
  };

  test('needs a sync, a connection and a recent answer', () => {
    expect(store.isFresh()).toBe(false);
    store.health.connected();
    store.health.answered();
    expect(store.isFresh()).toBe(false);
    store.replace([], '1');
    expect(store.isFresh()).toBe(true);
    store.health.disconnected();
    expect(store.isFresh()).toBe(false);
  });

  test('ends when the server is silent, or when this process itself was frozen', () => {
    openAndSync();
    now += UNANSWERED_AFTER_MS;
    expect(store.isFresh()).toBe(false);
    store.health.answered();
    expect(store.isFresh()).toBe(true);
  });

  test('an answer to an old question does not make it young', () => {
    openAndSync();
    const askedAt = now;
    now += UNANSWERED_AFTER_MS;
    store.health.answered(askedAt);
    expect(store.isFresh()).toBe(false);
  });

  test('ends when a version that we were told of does not come', async () => {
    openAndSync();
    await store.whenReached('9', { timeoutMs: 1 });
    expect(store.isFresh()).toBe(true);
    now += UNANSWERED_AFTER_MS;
    store.health.answered();
    expect(store.isFresh()).toBe(false);
    store.apply('ADDED', make('a', '9'));
    expect(store.isFresh()).toBe(true);
  });

  test('comes back with a new reading, which no version that is still missing can be older than', async () => {
    openAndSync();
    await store.whenReached('900', { timeoutMs: 1 });
    now += UNANSWERED_AFTER_MS;
    store.health.answered();
    expect(store.isFresh()).toBe(false);
    now += 1;
    store.readingBegins();
    openAndSync();
    expect(store.isFresh()).toBe(true);
  });

  test('does not come back with a reading that was asked for before the version was known', async () => {
    store.readingBegins();
    await store.whenReached('900', { timeoutMs: 1 });
    openAndSync();
    now += UNANSWERED_AFTER_MS;
    store.health.answered();
    expect(store.isFresh()).toBe(false);
  });

  test('goes on while somebody always waits, each for a moment only', async () => {
    openAndSync();
    for (let version = 2; version < 20; version += 1) {
      await store.whenReached(String(version + 1), { timeoutMs: 0 });
      store.apply('ADDED', make('a', String(version)));
      now += UNANSWERED_AFTER_MS / 2;
      store.health.answered();
      expect([version, store.isFresh()]).toEqual([version, true]);
    }
    now += UNANSWERED_AFTER_MS;
    store.health.answered();
    expect(store.isFresh()).toBe(false);
  });

  test('a new stream has its time to bring what is missing', async () => {
    openAndSync();
    await store.whenReached('9', { timeoutMs: 0 });
    now += UNANSWERED_AFTER_MS;
    store.health.connected();
    store.health.answered();
    expect(store.isFresh()).toBe(true);
    now += UNANSWERED_AFTER_MS;
    store.health.answered();
    expect(store.isFresh()).toBe(false);
  });
});

test('a listener that throws is reported and harms nobody else', () => {
  const heard: string[] = [];
  store.onChange(() => {
    throw new Error('bad listener');
  });
  store.onChange((change) => heard.push(change.kind));
  store.apply('ADDED', make('a', '1'));
  expect(heard).toEqual(['added']);
  expect(errors).toMatchObject([{ message: 'bad listener' }]);
  expect(store.size).toBe(1);
});
