import { describe, expect, it } from 'vitest';
import { refuseGateWord, takeGateWord } from './gate-words.ts';
import { newWorkloadState, type RolloutLink } from './state.ts';

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

  it('abort without a pod is for the rollout, while one is open', () => {
    const state = newWorkloadState();
    expect(refuseGateWord(state, 'abort', {})).toBeUndefined();
    state.rollout = open;
    expect(refuseGateWord(state, 'abort', {})).toMatch(/^A rollout is open/);
    expect(refuseGateWord(state, 'abort', { pod: 'a' })).toBeUndefined();
    expect(refuseGateWord(state, 'retry', {})).toBeUndefined();
  });
});
