import { expect, test } from 'vitest';
import { Lateness } from './lateness.ts';

test('counts from the answer to the next question, of each asker by itself', () => {
  const lateness = new Lateness(1000);
  for (const [asker, second] of [
    ['a', 0],
    ['b', 0.5],
    ['a', 1.2],
    ['b', 1.6],
    ['a', 2.3],
  ] as const) {
    lateness.asked(asker, second * 1000);
    lateness.answered(asker, second * 1000 + 100);
  }
  expect(lateness.askers).toBe(2);
  expect(lateness.summary()).toEqual({ questions: 3, medianMs: 0, p99Ms: 100, mostMs: 100 });
});

test('what was before the restart does not count, the next question does', () => {
  const lateness = new Lateness(1000);
  lateness.asked('a', 0);
  lateness.answered('a', 0);
  lateness.asked('a', 9000);
  lateness.answered('a', 9000);
  lateness.restart();
  lateness.asked('a', 10_250);
  expect(lateness.summary()).toEqual({ questions: 1, medianMs: 250, p99Ms: 250, mostMs: 250 });
});

test('nothing asked is no number', () => {
  expect(new Lateness(1000).summary()).toMatchObject({ questions: 0, medianMs: Number.NaN });
});
