import { describe, expect, test } from 'vitest';
import { eventually } from './eventually.ts';

const quick = { timeoutMs: 200, intervalMs: 5 };

describe('eventually', () => {
  test('returns the first value that is neither undefined, null nor false', async () => {
    const answers = [undefined, false, null, new Error('not yet'), 0];
    const value = await eventually('there is an answer', () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    });
    expect(value).toBe(0);
    expect(answers).toEqual([]);
  });

  test('says what was seen last when it gives up', async () => {
    const waiting = eventually('five pods are ready', () => ({ ready: 3 }), { ...quick, until: () => false });
    await expect(waiting).rejects.toThrow(
      'gave up after 200 ms waiting until five pods are ready; last seen: { ready: 3 }',
    );
  });

  test('reports the last error of the probe', async () => {
    const waiting = eventually('the server answers', () => Promise.reject(new Error('ECONNREFUSED')), quick);
    await expect(waiting).rejects.toThrow('the last probe failed: ECONNREFUSED');
  });

  test('does not wait for a probe that hangs', async () => {
    const waiting = eventually('the server answers', () => new Promise<string>(() => undefined), quick);
    await expect(waiting).rejects.toThrow('the probe never answered');
  });
});
