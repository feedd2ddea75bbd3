import { describe, expect, it } from 'vitest';
import { forgetWords, refuseGateWord, refuseIdleWord, takeGateWord, takeSpecRetry } from './gate-words.ts';
import { newWorkloadState, type RolloutLink, type WorkloadState } from './state.ts';

const open = { isOpen: true } as RolloutLink;

describe('words about hooks of pods', () => {
  it('are about all pods, or about one; each remembers its moment', () => {
    const state = newWorkloadState();
    expect(takeGateWord(state, 'retry', { by: 'ana' }, 10)).toBe('failed hooks of all pods are asked again');
    expect(takeGateWord(state, 'skip', { pod: 'a', reason: 'empty' }, 20)).toBe('failed hooks of pod a are passed');
    takeGateWord(state, 'retry', { pod: 'a' }, 30);
    takeGateWord(state, 'abort', { pod: 'b' }, 40);
    expect(state.gates).toEqual({
      retriedAtMs: 10,
      pods: { a: { skippedAtMs: 20, retriedAtMs: 30 }, b: { abortedAtMs: 40 } },
    });
    expect(state.notices[0]).toBe('retry by ana: failed hooks of all pods are asked again');
    expect(state.notices[1]).toBe('skip (empty): failed hooks of pod a are passed');
  });

  it('the last hundred pods are remembered', () => {
    const state = newWorkloadState();
    for (let at = 0; at < 101; at += 1) takeGateWord(state, 'skip', { pod: `pod-${at}` }, at);
    takeGateWord(state, 'skip', { pod: 'pod-1' }, 200);
    takeGateWord(state, 'skip', { pod: 'new' }, 201);
    const names = Object.keys(state.gates.pods ?? {});
    expect([names.length, names.at(-1), names.includes('pod-1'), names.includes('pod-2')]).toEqual([
      100,
      'new',
      true,
      false,
    ]);
  });

  it('are forgotten when nothing is left that they could be about, unless they were just said', () => {
    const state = newWorkloadState();
    for (const [pod, at] of [
      ['gone', 10],
      ['there', 10],
      ['new', 30_000],
    ] as const)
      takeGateWord(state, 'skip', { pod }, at);
    takeGateWord(state, 'retry', {}, 40);
    forgetWords(state, { asOfMs: 70_000 });
    expect(Object.keys(state.gates.pods ?? {})).toEqual(['gone', 'there', 'new']);
    forgetWords(state, { idleWords: ['gone', 'new', 'never'], asOfMs: 70_000 });
    expect(state.gates).toEqual({
      retriedAtMs: 40,
      pods: { there: { skippedAtMs: 10 }, new: { skippedAtMs: 30_000 } },
    });
    forgetWords(state, { idleWords: ['there', 'new'], asOfMs: 100_000 });
    expect(state.gates).toEqual({ retriedAtMs: 40 });
  });

  it('retry and skip would do nothing where no hook is known to have failed', () => {
    const state = newWorkloadState();
    expect(refuseIdleWord(state, 'skip')).toMatch(/^Nothing to skip: no hook of a pod has failed/);
    state.told.blockers = 'GateWaiting,PodsNotReady';
    expect(refuseIdleWord(state, 'retry')).toMatch(/^Nothing to retry/);
    expect(refuseIdleWord(state, 'abort')).toBeUndefined();
    for (const reason of ['GateFailed', 'PostInplaceHookFailed']) {
      state.told.blockers = `${reason},GateWaiting`;
      expect(refuseIdleWord(state, 'retry')).toBeUndefined();
    }
  });

  it('abort without a pod is for the rollout, while one is open', () => {
    const state = newWorkloadState();
    expect(refuseGateWord(state, 'abort', {})).toBeUndefined();
    state.rollout = open;
    expect(refuseGateWord(state, 'abort', {})).toMatch(/^A rollout is open/);
    expect(refuseGateWord(state, 'abort', { pod: 'a' })).toBeUndefined();
    expect(refuseGateWord(state, 'retry', {})).toBeUndefined();
  });
});

describe('retry: true in the spec (decision 10)', () => {
  const look = (
    state: WorkloadState,
    retried: string[] | undefined,
    nowMs: number,
    retryGates = retried !== undefined,
  ) => takeSpecRetry(state, { retryGates, ...(retried && { retried }) }, nowMs);

  it('is a word when it turns true, about the runs of that hook, and not again', () => {
    const state = newWorkloadState();
    const [before, after] = ['preDeleteUpdateStrategy', 'postInplaceUpdateStrategy'];
    const moments = [[], [before], [before], [before, after], [after], [], [before]].map((retried, at) => {
      look(state, retried, at, retried.length > 0);
      const { predelete, postinplace } = state.gates.hooks ?? {};
      return [predelete?.retriedAtMs, postinplace?.retriedAtMs];
    });
    expect(moments).toEqual([[], [1], [1], [1, 3], [1, 3], [1, 3], [6, 3]].map(([a, b]) => [a, b]));
    expect(state.gates.retriedAtMs).toBeUndefined();
  });

  it('one that is there at the first look is none: the state of before may be lost, and it acts once', () => {
    const state = newWorkloadState();
    look(state, ['preDeleteUpdateStrategy'], 1);
    expect(state.gates).toEqual({});
    look(state, ['preDeleteUpdateStrategy', 'preInplaceUpdateStrategy'], 2);
    expect(state.gates.hooks).toEqual({ preinplace: { retriedAtMs: 2 } });
  });

  it('observations of an earlier release are read as before', () => {
    const state = newWorkloadState();
    look(state, undefined, 1, true);
    look(state, undefined, 2, true);
    expect(state.gates.retriedAtMs).toBe(1);
  });
});
