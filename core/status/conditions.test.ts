import { describe, expect, it } from 'vitest';
import type { Condition } from '../../crds/kubernetes.ts';
import { SUSPEND_ANNOTATION } from '../keys.ts';
import type { Blocker } from '../plan/types.ts';
import { ROWS } from './condition-rows.ts';
import { DUE, makeConditions, makeInput, makeView, NOW_MS } from './fixtures.ts';
import { BLOCKING } from './reasons.ts';
import { bytesOf } from './sentence.ts';

describe('conditions (decision 44)', () => {
  it.each(ROWS)('%s', (_name, input, ready, available, progressing, pausedAs, degraded, stalled) => {
    const seen = Object.fromEntries(
      makeConditions(input).map(({ type, status, reason }) => [type, `${status}/${reason}`]),
    );
    expect(seen).toEqual({
      Ready: ready,
      Available: available,
      Progressing: progressing,
      Paused: pausedAs,
      Degraded: degraded,
      ...(stalled === undefined ? {} : { Stalled: stalled }),
    });
  });

  it.each(ROWS)('messages are one bounded sentence: %s', (_name, input) => {
    for (const { message = '', observedGeneration } of makeConditions(input)) {
      expect(message).toMatch(/^[^\n]+[.!?…]$/);
      expect(bytesOf(message)).toBeLessThanOrEqual(1024);
      expect(observedGeneration).toBe(7);
    }
  });
});

it.each([
  [0, 'No pods are asked for and no rollout is open.'],
  [1, 'The pod is available and no rollout is open.'],
  [5, 'All 5 pods are available and no rollout is open.'],
])('%i pods that are all there read as a sentence', (replicas, want) => {
  const input = makeInput({ resolved: { replicas }, counts: { replicas, available: replicas } });
  expect(makeConditions(input)[0]).toMatchObject({ type: 'Ready', status: 'True', message: want });
});

it.each(['GateFailed', 'GateWaiting', 'PodsNotReady'] as const)('%s says since when', (reason) => {
  const sinceMs = Date.parse('2026-11-30T05:00:00Z');
  const input = makeInput({
    counts: { available: 2 },
    blockers: [{ reason, message: 'Pod a waits.', pod: 'a', sinceMs }],
  });
  const told = makeConditions(input).filter((condition) => condition.reason === reason);
  const message = 'Pod a waits (since 2026-11-30T05:00:00Z).';
  expect(told.length).toBeGreaterThan(0);
  for (const condition of told) expect(condition.message).toBe(message);
});

describe('every condition that is waited for says since when', () => {
  const reasons = Object.keys(BLOCKING) as Blocker['reason'][];

  it.each(reasons)('%s, as it is remembered', (reason) => {
    const annotations: Record<string, string> = reason === 'Suspended' ? { [SUSPEND_ANNOTATION]: 'true' } : {};
    const blockers = [{ reason, message: 'Pod a waits.', pod: 'a' }];
    const input = makeInput({ annotations, blockers }, { since: { [reason]: NOW_MS - 60_000 } });
    const ready = makeConditions(input).find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({ reason, message: expect.stringMatching(/ \(since 2026-11-30T05:59:00Z\)\.$/) });
  });

  it('also a template that is refused, and a deadline', () => {
    const invalid = { revision: 'lobby-new', message: 'No.', sinceMs: NOW_MS - 60_000 };
    const blocked = { reason: 'ProgressDeadlineExceeded' as const, message: 'It waits', sinceMs: NOW_MS - 60_000 };
    const messages = [makeInput(DUE, { invalid }), makeInput(DUE, { view: makeView({ blocked }) })].map(
      (input) => makeConditions(input).find(({ type }) => type === 'Stalled')?.message,
    );
    const ways =
      'it goes on trying: change the template, or take the pods back with `holdfast abort gamedeployment/lobby -n games`';
    const when = '(since 2026-11-30T05:59:00Z).';
    expect(messages).toEqual([`No ${when}`, `It waits; ${ways} ${when}`]);
  });
});

describe('lastTransitionTime', () => {
  const before = (status: 'True' | 'False'): Condition[] => [
    { type: 'Ready', status, reason: 'Old', lastTransitionTime: '2020-01-01T00:00:00Z' },
  ];

  it.each([
    ['stays while the status is the same, whatever the reason', 'True' as const, '2020-01-01T00:00:00Z'],
    ['is now when the status changes', 'False' as const, '2026-11-30T06:00:00Z'],
  ])('%s', (_name, status, want) => {
    expect(makeConditions(makeInput(), before(status))[0]).toMatchObject({ type: 'Ready', lastTransitionTime: want });
  });
});
