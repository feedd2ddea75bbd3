import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { ApiError, type ApiErrorReason } from './errors.ts';
import { cutBytes, type EventNote, eventSuffix, microTime } from './event-notes.ts';
import { createEventRecorder } from './event-recorder.ts';

const note: EventNote = {
  regarding: { apiVersion: 'v1', kind: 'Pod', name: 'a', namespace: 'n', uid: 'u' },
  type: 'Normal',
  reason: 'Paused',
  action: 'Pause',
  note: 'paused',
};

/** Fails with these reasons first. */
function setUp(failures: ApiErrorReason[] = [], capacity = 10) {
  const written: string[] = [];
  const problems: unknown[] = [];
  const attempt = (what: string) => {
    const reason = failures.shift();
    if (reason !== undefined) throw new ApiError(reason, { reason, status: STATUS[reason], sent: true });
    written.push(what);
  };
  const client = {
    create: async (_type: unknown, object: KubernetesObject & { message?: string; series?: { count: number } }) => {
      attempt(`create ${object.message} ${object.series?.count ?? 1}`);
      return object;
    },
    patch: async (_type: unknown, _ref: unknown, patch: { body: { series: { count: number } } }) => {
      attempt(`raise ${patch.body.series.count}`);
      return {};
    },
  };
  const recorder = createEventRecorder({
    client: client as never,
    controller: 'c',
    instance: 'i',
    capacity,
    onProblem: (problem) => problems.push(problem),
  });
  return { recorder, written, problems };
}

const STATUS: Partial<Record<ApiErrorReason, number>> = { unavailable: 503, forbidden: 403, notFound: 404 };

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

describe('repetition', () => {
  test('is written at most every 5 s', async () => {
    const { recorder, written } = setUp();
    for (let second = 0; second < 12; second += 1) {
      recorder.record(note);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(written).toEqual(['create paused 1', 'raise 5', 'raise 10']);
  });

  test('after 10 quiet minutes is a new event', async () => {
    const { recorder, written } = setUp();
    recorder.record(note);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    recorder.record(note);
    await vi.advanceTimersByTimeAsync(0);
    expect(written).toEqual(['create paused 1', 'create paused 1']);
  });

  test('of an event that has expired in the cluster creates it anew', async () => {
    const failures: ApiErrorReason[] = [];
    const { recorder, written, problems } = setUp(failures);
    recorder.record(note);
    await recorder.flush();
    failures.push('notFound');
    recorder.record(note);
    await recorder.flush();
    expect([written, problems]).toEqual([['create paused 1', 'create paused 1'], []]);
  });
});

describe('failure', () => {
  test('that may pass is tried again', async () => {
    const { recorder, written, problems } = setUp(['unavailable', 'network']);
    recorder.record(note);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([written, problems]).toEqual([['create paused 1'], []]);
  });

  test('that stays is given up after four tries', async () => {
    const { recorder, written, problems } = setUp(['unavailable', 'unavailable', 'unavailable', 'unavailable']);
    recorder.record(note);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([written, problems]).toEqual([[], [expect.objectContaining({ reason: 'unavailable' })]]);
  });

  test('that cannot pass is reported at once and holds nobody up', async () => {
    const { recorder, written, problems } = setUp(['forbidden']);
    recorder.record(note);
    recorder.record({ ...note, note: 'resumed' });
    await vi.advanceTimersByTimeAsync(0);
    expect(written).toEqual(['create resumed 1']);
    expect(problems).toMatchObject([{ reason: 'forbidden' }]);
  });

  test('of a lost answer is no failure: the name is known to be ours', async () => {
    const { recorder, written, problems } = setUp(['network', 'alreadyExists']);
    recorder.record(note);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([written, problems]).toEqual([[], []]);
  });
});

test('too many at once are dropped and counted', async () => {
  const { recorder, written } = setUp([], 3);
  for (let i = 0; i < 5; i += 1) recorder.record({ ...note, note: `note ${i}` });
  expect(recorder.dropped).toBe(2);
  await recorder.flush();
  expect(written).toHaveLength(3);
  recorder.record(note);
  expect(recorder.dropped).toBe(2);
});

test('flush gives up when its time is over', async () => {
  const { recorder } = setUp();
  recorder.record(note);
  await vi.advanceTimersByTimeAsync(0);
  expect(await recorder.flush()).toBe(true);
  const stuck = createEventRecorder({
    client: { create: () => new Promise(() => undefined), patch: () => new Promise(() => undefined) },
    controller: 'c',
    instance: 'i',
  });
  stuck.record(note);
  const flushed = stuck.flush(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await flushed).toBe(false);
});

test('names of events sort by when they were told', () => {
  const at = (ms: number, order: number) => eventSuffix(new Date(1_796_000_000_000 + ms), order, 'ffff');
  const inOrder = [at(0, 9), at(0, 10), at(1, 0), at(16, 11)];
  expect(inOrder.toSorted()).toEqual(inOrder);
});

test('times have six digits', () => {
  expect(microTime(new Date('2026-01-02T03:04:05.678Z'))).toBe('2026-01-02T03:04:05.678000Z');
});

test.each([
  ['short enough', 'abc', 3, 'abc'],
  ['too long', 'abcdefgh', 6, 'abc…'],
  ['never half a character', 'äöü', 5, 'ä…'],
  ['never half a pair', '😀😀', 7, '😀…'],
])('a text that is %s', (_what, text, limit, want) => {
  expect(cutBytes(text, limit)).toBe(want);
});
