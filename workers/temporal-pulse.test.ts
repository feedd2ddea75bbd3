import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CannotStart } from './startup-error.ts';
import { TemporalPulse } from './temporal-pulse.ts';

const log = { info: () => undefined, warn: () => undefined };
const away = () => new CannotStart('Temporal does not answer at here:1', { isPassing: true });
let pulse: TemporalPulse;

beforeEach(() => {
  vi.useFakeTimers();
  pulse = new TemporalPulse(log);
});
afterEach(() => {
  pulse.stop();
  vi.useRealTimers();
});

test('what time heals is tried again, and said meanwhile', async () => {
  const answers = [away(), away()];
  const reached = pulse.reach(async () => {
    const next = answers.shift();
    if (next !== undefined) throw next;
    return 'here';
  });
  await vi.advanceTimersByTimeAsync(500);
  expect(pulse.problem).toBe('Temporal does not answer at here:1');
  await vi.advanceTimersByTimeAsync(10_000);
  expect([await reached, pulse.problem]).toEqual(['here', undefined]);
});

test.each([
  ['a wrong configuration', new CannotStart('no such namespace')],
  ['a fault of ours', new TypeError('x is not a function')],
])('%s ends it', async (_what, error) => {
  await expect(pulse.reach(() => Promise.reject(error))).rejects.toBe(error);
});

test('stop ends the wait', async () => {
  const reached = pulse.reach(() => Promise.reject(away()));
  const ended = expect(reached).rejects.toThrow(/aborted/);
  await vi.advanceTimersByTimeAsync(500);
  pulse.stop();
  await ended;
});

test('afterwards one late answer says nothing, silence does, and an answer ends it', async () => {
  let isAway = true;
  pulse.follow(async () => {
    if (isAway) throw new Error('deadline exceeded');
  });
  await vi.advanceTimersByTimeAsync(6_000);
  expect(pulse.problem).toBeUndefined();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(pulse.problem).toBe('Temporal does not answer: deadline exceeded');
  isAway = false;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(pulse.problem).toBeUndefined();
});

test('an answer that it serves another cluster now is told as it is', async () => {
  pulse.follow(() => Promise.reject(new CannotStart('This Temporal namespace belongs to another cluster')));
  await vi.advanceTimersByTimeAsync(11_000);
  expect(pulse.problem).toBe('This Temporal namespace belongs to another cluster');
});
