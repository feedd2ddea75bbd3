import { describe, expect, it } from 'vitest';
import type { Blocker } from '../plan/types.ts';
import { bytesOf } from './sentence.ts';
import { dated, firstMoments, momentsToldBy, sinceWhen } from './since.ts';

const AT = Date.parse('2026-11-30T12:00:00.400Z');

it.each([
  ['Pod a waits for HookRun b.', AT, 'Pod a waits for HookRun b (since 2026-11-30T12:00:00Z).'],
  ['Pod a should be gone since 2026-11-30T11:00:00Z.', AT, 'Pod a should be gone since 2026-11-30T11:00:00Z.'],
  ['Nobody knows.', undefined, 'Nobody knows.'],
  ['Nobody knows.', 0, 'Nobody knows.'],
  ['Nobody knows.', Number.NaN, 'Nobody knows.'],
])('%s %s', (message, sinceMs, want) => {
  expect(sinceWhen({ message, sinceMs })).toBe(want);
});

it('a pod that the sentence does not name is named', () => {
  const message = sinceWhen({ message: 'HookTemplate b is missing.', pod: 'lobby-a', sinceMs: AT });
  expect(message).toBe('HookTemplate b is missing (pod lobby-a, since 2026-11-30T12:00:00Z).');
  const condition = { type: 'Ready', status: 'False' as const, reason: 'HookTemplateMissing', message };
  expect(momentsToldBy([condition])).toEqual({ HookTemplateMissing: Date.parse('2026-11-30T12:00:00Z') });
  expect(sinceWhen({ message: 'Pod lobby-a waits.', pod: 'lobby-a', sinceMs: AT })).not.toContain('pod lobby-a,');
});

it('a sentence that is too long is cut before its moment', () => {
  const message = sinceWhen({ message: 'exceeded quota '.repeat(100), sinceMs: AT });
  expect(bytesOf(message)).toBeLessThanOrEqual(1024);
  expect(message).toMatch(/…\s\(since 2026-11-30T12:00:00Z\)\.$/);
});

describe('what dates itself nowhere', () => {
  const blocker = (reason: Blocker['reason'], sinceMs?: number): Blocker => ({ reason, message: 'No.', sinceMs });

  it('is of the first look that saw it, for as long as it lasts', () => {
    const first = firstMoments([blocker('PodCreateFailed')], undefined, 1_000);
    const second = firstMoments([blocker('PodCreateFailed'), blocker('MoveRefused')], first, 2_000);
    expect(second).toEqual({ PodCreateFailed: 1_000, MoveRefused: 2_000 });
    const third = firstMoments([blocker('MoveRefused')], second, 3_000);
    expect(third).toEqual({ MoveRefused: 2_000 });
    expect(firstMoments([blocker('PodCreateFailed')], third, 4_000)).toEqual({ PodCreateFailed: 4_000 });
  });

  it('is remembered, and nothing else is', () => {
    expect(firstMoments([blocker('GateWaiting', 500), blocker('GateFailed', 0)], {}, 1_000)).toEqual({
      GateFailed: 1_000,
    });
  });

  it.each([
    ['what it says itself', blocker('GateWaiting', 500), { GateWaiting: 700 }, 500],
    ['what is remembered', blocker('PodCreateFailed'), { PodCreateFailed: 700 }, 700],
    ['now, where nobody has seen it before', blocker('PodCreateFailed'), {}, 1_000],
  ])('%s counts', (_, given, moments, want) => {
    expect(dated(given, moments, 1_000).sinceMs).toBe(want);
  });

  it('is read back from the conditions of an object', () => {
    const told = [
      { type: 'Ready', status: 'False' as const, reason: 'FailedScale', message: 'No (since 2026-11-30T12:00:00Z).' },
      { type: 'Paused', status: 'False' as const, reason: 'NotPaused', message: 'Nothing is paused.' },
    ];
    expect(momentsToldBy(told)).toEqual({ FailedScale: Date.parse('2026-11-30T12:00:00Z') });
    expect(momentsToldBy(undefined)).toEqual({});
  });
});
