import { describe, expect, test } from 'vitest';
import { BellBoard } from './bell-board.ts';

const KEY = 'gamedeployment/default/lobby';
const OTHER = 'gamedeployment/default/arena';

/** Presses and takes until nothing waits any more; answers when bells were rung, in milliseconds. */
function ringTimes(board: BellBoard, untilMs: number, pressEveryMs: number): number[] {
  const times: number[] = [];
  for (let now = 0; now <= untilMs; now += pressEveryMs) {
    board.press(KEY, 'pods', 'pods');
    if (board.take(now).length > 0) times.push(now);
  }
  return times;
}

describe('merging', () => {
  test('the first bell is rung at once', () => {
    const board = new BellBoard();
    board.press(KEY, 'added', 'object');
    expect(board.nextAt()).toBe(Number.NEGATIVE_INFINITY);
    expect(board.take(0)).toEqual([{ key: KEY, reason: 'added' }]);
    expect(board.nextAt()).toBeUndefined();
  });

  test('bells that change nothing come after 1, 2, 4, 8 and then every 10 seconds', () => {
    expect(ringTimes(new BellBoard(), 40_000, 100)).toEqual([0, 1_000, 3_000, 7_000, 15_000, 25_000, 35_000]);
  });

  test('a bell that changed something makes the next one come after a second', () => {
    const board = new BellBoard();
    ringTimes(board, 6_900, 100);
    board.sawEffect(KEY);
    board.press(KEY, 'pods', 'pods');
    expect(board.take(7_000)).toHaveLength(1);
    board.press(KEY, 'pods', 'pods');
    expect(board.take(7_999)).toHaveLength(0);
    expect(board.take(8_000)).toHaveLength(1);
  });

  test('a change of the object itself does not wait for the slow rhythm of its pods', () => {
    const board = new BellBoard();
    ringTimes(board, 14_900, 100);
    board.press(KEY, 'modified', 'object');
    expect(board.take(14_950)).toEqual([{ key: KEY, reason: 'modified' }]);
  });

  test('many bells of one key are one, and the reason of the object wins', () => {
    const board = new BellBoard();
    board.press(KEY, 'pods', 'pods');
    board.press(KEY, 'modified', 'object');
    board.press(KEY, 'pods', 'pods');
    expect(board.take(0)).toEqual([{ key: KEY, reason: 'modified' }]);
  });

  test('keys do not slow each other', () => {
    const board = new BellBoard();
    ringTimes(board, 15_000, 100);
    board.press(OTHER, 'added', 'object');
    expect(board.take(15_001).map(({ key }) => key)).toContain(OTHER);
  });

  test('no more are taken than asked for, and the rest stay', () => {
    const board = new BellBoard();
    board.press(KEY, 'added', 'object');
    board.press(OTHER, 'added', 'object');
    expect(board.take(0, 1)).toEqual([{ key: KEY, reason: 'added' }]);
    expect(board.take(0, 1)).toEqual([{ key: OTHER, reason: 'added' }]);
  });
});

describe('while the workload moves', () => {
  test('bells of pods are held back and rung once when it has settled', () => {
    const board = new BellBoard();
    board.sawMoving(KEY, true);
    board.press(KEY, 'pods', 'pods');
    board.press(KEY, 'pods', 'pods');
    expect(board.nextAt()).toBeUndefined();
    board.sawMoving(KEY, false);
    expect(board.take(0)).toEqual([{ key: KEY, reason: 'settled' }]);
    board.sawMoving(KEY, false);
    expect(board.nextAt()).toBeUndefined();
  });

  test('a settled workload that missed nothing is not rung', () => {
    const board = new BellBoard();
    board.sawMoving(KEY, true);
    board.sawMoving(KEY, false);
    expect(board.take(0)).toEqual([]);
  });

  test('a change of the object is not held back', () => {
    const board = new BellBoard();
    board.sawMoving(KEY, true);
    board.press(KEY, 'modified', 'object');
    expect(board.take(0)).toHaveLength(1);
  });
});

describe('bells that could not be rung', () => {
  test('they are rung again, after 0.5, 1, 2 … and at most 30 seconds', () => {
    const board = new BellBoard();
    board.press(KEY, 'added', 'object');
    const waits: number[] = [];
    let now = 0;
    for (let failures = 0; failures < 9; failures += 1) {
      const [bell] = board.take(now);
      expect(bell).toEqual({ key: KEY, reason: 'added' });
      board.failed(bell!, now);
      const next = board.nextAt() ?? Number.NaN;
      waits.push(next - now);
      now = next;
    }
    // The rhythm of bells that change nothing goes on beside the back-off.
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('after a success the next failure begins anew', () => {
    const board = new BellBoard();
    const bell = { key: KEY, reason: 'pods' };
    for (let failures = 0; failures < 5; failures += 1) board.failed(bell, 0);
    board.rung(bell);
    board.take(60_000);
    board.sawEffect(KEY);
    board.failed(bell, 60_000);
    expect(board.nextAt()).toBe(61_000);
  });
});

test('a deleted object is forgotten once its last bell was rung', () => {
  const board = new BellBoard();
  board.press(KEY, 'deleted', 'object');
  board.forget(KEY);
  expect(board.take(0)).toEqual([{ key: KEY, reason: 'deleted' }]);
  board.forget(KEY);
  board.press(KEY, 'added', 'object');
  expect(board.take(1)).toHaveLength(1);
});
