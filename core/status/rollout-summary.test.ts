import { describe, expect, it } from 'vitest';
import type { RolloutResult } from '../rollout/types.ts';
import { summaryText } from './rollout-summary.ts';

const result = (count: number, reason: string): RolloutResult => ({
  outcome: 'Completed',
  number: 3,
  fromRevision: 'lobby-old',
  toRevision: 'lobby-new',
  startedAt: '2026-11-30T06:00:00Z',
  endedAt: '2026-11-30T07:00:00Z',
  steps: Array.from({ length: count }, (_, step) => ({
    step,
    what: `step ${step}`,
    startedAt: '2026-11-30T06:00:00Z',
    outcome: 'resumed',
    by: 'ada',
    reason,
  })),
});

describe('summaryText', () => {
  it('is the whole result where it fits', () => {
    expect(JSON.parse(summaryText(result(6, 'looks good')))).toEqual(result(6, 'looks good'));
  });

  it('cuts long words before it leaves steps out', () => {
    const cut = JSON.parse(summaryText(result(6, 'ä'.repeat(5000))));
    expect(cut.left).toBe(0);
    expect(cut.steps).toHaveLength(6);
  });

  it.each([
    [250, 'ä'.repeat(5000)],
    [256, 'short'],
  ])('is at most 8 KiB and keeps both ends of %i steps', (count, reason) => {
    const text = summaryText(result(count, reason));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8192);
    const cut = JSON.parse(text);
    expect(cut.steps[0].step).toBe(0);
    expect(cut.steps.at(-1).step).toBe(count - 1);
    expect(cut.steps.length + cut.left).toBe(count);
    expect(cut).toMatchObject({ outcome: 'Completed', toRevision: 'lobby-new' });
  });
});
