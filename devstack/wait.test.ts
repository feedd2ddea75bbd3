import { expect, test } from 'vitest';
import { GaveUp, waitFor } from './wait.ts';

const options = { what: 'spring', timeoutMs: 50, intervalMs: 1 };

test('the first value that is neither undefined nor false is returned', async () => {
  const answers = [undefined, false as const, 0];
  expect(await waitFor(async () => answers.shift(), options)).toBe(0);
});

test('an error means not yet, and the last one is quoted when the time is over', async () => {
  const check = async () => Promise.reject(new Error('still winter'));
  await expect(waitFor(check, options)).rejects.toThrow('spring did not happen within 0.05 s; last seen: still winter');
});

test('GaveUp ends the waiting at once', async () => {
  let calls = 0;
  const check = async () => {
    calls++;
    throw new GaveUp('no more seasons');
  };
  await expect(waitFor(check, { ...options, timeoutMs: 60_000 })).rejects.toThrow('no more seasons');
  expect(calls).toBe(1);
});
