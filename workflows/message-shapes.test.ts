import { describe, expect, test } from 'vitest';
import { isBlocked, isFinished, isReached, isRevise, isSupersede, readHumanMessage } from './message-shapes.ts';

const reached = { number: 1, sequence: 2, observedGeneration: 1, partition: 0, counts: {} };

describe('messages of other workflows', () => {
  test('are taken in their shape', () => {
    expect(isReached(reached)).toBe(true);
    expect(isBlocked({ number: 1, sequence: 2, reason: '', message: '' })).toBe(true);
    expect(isSupersede({ number: 2, revision: 'a', rolledBack: false })).toBe(true);
    expect(isFinished({ hookRun: 'a', phase: 'Failed' })).toBe(true);
    expect(isRevise({ pausedByUser: false })).toBe(true);
    expect(isRevise({ pausedByUser: false, steps: [{ partition: 1 }], stepsHash: 'x' })).toBe(true);
    expect(isRevise({ pausedByUser: false, progressDeadlineSeconds: 600 })).toBe(true);
    expect(isRevise({ pausedByUser: false, progressDeadlineSeconds: null })).toBe(true);
    expect(isRevise({ pausedByUser: false, liftedPause: { step: 1, startedAtMs: 7 } })).toBe(true);
  });

  test.each([
    undefined,
    null,
    'yes',
    7,
    [],
    {},
    { number: '1' },
    { pausedByUser: true, steps: [null], stepsHash: 'x' },
    { pausedByUser: true, liftedPause: { step: '1', startedAtMs: 7 } },
    { pausedByUser: true, progressDeadlineSeconds: '600' },
    { pausedByUser: true, progressDeadlineSeconds: 0 },
    { pausedByUser: true, progressDeadlineSeconds: 0.5 },
  ])('%j is none', (value) => {
    for (const is of [isReached, isBlocked, isSupersede, isFinished, isRevise]) expect(is(value)).toBe(false);
  });
});

describe("people's messages", () => {
  test.each([
    [undefined, {}],
    [null, {}],
    [{}, {}],
    [
      { step: 2, by: 'ana', reason: 'ok', other: 1 },
      { step: 2, by: 'ana', reason: 'ok' },
    ],
    [{ by: 7 }, { by: '7' }],
    [{ pod: 'lobby-a' }, { pod: 'lobby-a' }],
    [{ pod: 7 }, 'The pod must be a name, not 7'],
    [{ step: '2' }, 'The step must be a whole number, not "2"'],
    [{ step: 1.5 }, 'The step must be a whole number, not 1.5'],
    ['resume', 'The message must be an object such as {"step":1,"by":"ana","reason":"looks good"}'],
    [[1], 'The message must be an object such as {"step":1,"by":"ana","reason":"looks good"}'],
  ])('%j', (message, want) => {
    expect(readHumanMessage(message)).toEqual(want);
  });

  test('are cut to what fits a line', () => {
    expect(readHumanMessage({ reason: 'x'.repeat(5_000) })).toEqual({ reason: 'x'.repeat(200) });
  });
});
