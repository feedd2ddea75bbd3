import { describe, expect, test } from 'vitest';
import { RolloutStory } from '../../test/support/rollout-story.ts';

const limited = (steps = [{ partition: 1 }, { pause: {} }]) => new RolloutStory(steps, { progressDeadlineSeconds: 60 });
const exceeded = (story: RolloutStory) => story.state.view.blocked?.reason === 'ProgressDeadlineExceeded';

describe('progressDeadlineSeconds (decision 17)', () => {
  test('is seen at its moment; the rollout goes on trying (report 41)', () => {
    const story = limited();
    expect(story.waits?.untilMs).toBe(story.nowMs + 60_000);
    expect(exceeded(story.pass(59))).toBe(false);
    expect(exceeded(story.pass(1))).toBe(true);
    expect(story.sent.at(-1)?.view).toMatchObject({ phase: 'Progressing', blocked: { sinceMs: story.nowMs } });
    expect(story.waits?.untilMs).toBeUndefined();
  });

  test('is over when the step is reached', () => {
    expect(exceeded(limited().pass(61).reach(1))).toBe(false);
  });

  test('the clock stops while a person pauses', () => {
    const story = limited().pass(50);
    story.say('pause');
    story.pass(1000).say('resume');
    expect(exceeded(story.pass(9))).toBe(false);
    expect(exceeded(story.pass(1))).toBe(true);
  });

  test('the clock stops in the pause of a step', () => {
    expect(exceeded(limited().reach(1).pass(1000))).toBe(false);
  });

  const GATES = ['GateWaiting', 'GateFailed', 'HookTemplateMissing', 'HookArgumentUnresolved', 'NotImplemented'];

  test.each([...GATES, 'Suspended', 'WaitsForDeletion'])(
    'the clock stops for %s until pods move again (peers 21)',
    (reason) => {
      const story = limited().pass(50).block(reason).pass(1000);
      expect(exceeded(story)).toBe(false);
      expect(exceeded(story.block('').pass(10))).toBe(true);
    },
  );

  test('in runs of before it goes on where a hook cannot be asked', () => {
    const story = new RolloutStory([{ partition: 1 }], { progressDeadlineSeconds: 60, rulesVersion: 3 });
    expect(exceeded(story.block('HookTemplateMissing').pass(61))).toBe(true);
  });

  test('the clock stops while spec.updateStrategy.paused is true', () => {
    expect(exceeded(limited().revise({ pausedByUser: true }).pass(1000))).toBe(false);
  });

  test('without a deadline nothing is exceeded (peers 4)', () => {
    expect(exceeded(new RolloutStory([{ partition: 1 }]).pass(1e7))).toBe(false);
  });
});
