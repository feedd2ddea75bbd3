import { describe, expect, test } from 'vitest';
import { RolloutStory } from '../../test/support/rollout-story.ts';
import type { Step } from './types.ts';

const STEPS: Step[] = [
  { partition: 3 },
  { pause: {} },
  { partition: 2 },
  { pause: { durationSeconds: 60 } },
  { hook: { templateName: 'check' } },
];

describe('a rollout whose run was lost (decision 18)', () => {
  test('is paused again at the pause step where it was', () => {
    const story = new RolloutStory(STEPS, { resumeAt: { stepIndex: 1, paused: true, aborted: false } });
    expect([story.at, story.allowance]).toEqual([
      '1 pause paused',
      { revision: 'lobby-new', partition: 3, paused: true },
    ]);
  });

  test('is held at any other step, and does it when resumed', () => {
    const story = new RolloutStory(STEPS, { resumeAt: { stepIndex: 4, paused: true, aborted: false } });
    expect([story.at, story.created.length]).toEqual(['4 partition held', 0]);
    story.say('resume');
    expect([story.at, story.created.length]).toEqual(['4 hook', 1]);
  });

  test('says that nobody paused it, and what ends that', () => {
    const story = new RolloutStory(STEPS, { resumeAt: { stepIndex: 0, paused: true, aborted: false } });
    const { pause, message } = story.state.view;
    expect([pause?.reason, story.allowance?.paused]).toEqual(['PausedByLostRun', true]);
    expect(message).toMatch(/^Held since its run was lost, .* until someone resumes step 0, .* holdfast resume/);
    expect(story.waits?.summary).toBe('step 0: held since its run was lost');
    expect(story.state.log.at(-1)).toMatchObject({ what: 'hold after the run was lost', by: 'holdfast' });
    story.say('resume');
    expect(story.state.log.at(-2)).toMatchObject({ what: 'hold after the run was lost', outcome: 'resumed' });
  });

  test('says that a person had paused it, where one had', () => {
    const resumeAt = { stepIndex: 0, paused: true, aborted: false, pausedBy: 'PausedByUser' as const };
    expect(new RolloutStory(STEPS, { resumeAt }).state.view).toMatchObject({
      pause: { reason: 'PausedByUser' },
      message: expect.stringContaining('it was paused when its run was lost'),
    });
  });

  test('is paused again at the pause of a step that does more, and goes on with one word', () => {
    const resumeAt = { stepIndex: 0, paused: true, aborted: false, pausedBy: 'PausedByCanaryPauseStep' as const };
    const story = new RolloutStory([{ partition: 2, pause: {} }, { partition: 1 }], { resumeAt });
    expect(story.reach(2).at).toBe('0 pause paused');
    story.say('resume');
    expect(story.at).toBe('1 partition');
  });

  describe('at a hook that had failed', () => {
    const resumeAt = {
      ...{ stepIndex: 4, paused: true, aborted: false, pausedBy: 'PausedByStepBasedHook' as const },
      ...{ hookRun: 'run-4-2', hookAttempt: 2 },
    };
    const lost = () => new RolloutStory(STEPS, { resumeAt });

    test('says what failed, and waits', () => {
      const story = lost();
      expect([story.at, story.created]).toEqual(['4 hook paused', []]);
      const { pause, hookRun, message } = story.state.view;
      expect([pause?.reason, hookRun]).toEqual(['PausedByStepBasedHook', 'run-4-2']);
      expect(message).toMatch(/^Step 4 .* because HookRun run-4-2 did not succeed, .*; retry runs the hook again/);
    });

    test('retry asks again, as an attempt that was never made', () => {
      const story = lost();
      story.say('retry');
      expect(story.created).toEqual([{ stepIndex: 4, attempt: 3 }]);
    });

    test('resume passes it, as before the loss', () => {
      const story = lost();
      story.say('resume');
      expect(story.at).toBe('5 partition');
    });

    test('a hook that was taken out of the step meanwhile is not waited for', () => {
      const story = new RolloutStory([...STEPS.slice(0, 4), { partition: 1 }], { resumeAt });
      expect([story.at, story.state.view.pause?.reason]).toEqual(['4 partition held', 'PausedByLostRun']);
    });
  });

  test('goes on at its step where it was not paused', () => {
    const story = new RolloutStory(STEPS, { resumeAt: { stepIndex: 2, paused: false, aborted: false } });
    expect([story.at, story.allowance?.partition]).toEqual(['2 partition', 2]);
  });

  test('speaks in numbers above those of the lost run', () => {
    const story = new RolloutStory(STEPS, { resumeAt: { stepIndex: 0, paused: false, aborted: false } });
    expect(story.sent[0]?.sequence).toBeGreaterThan(1e12);
    expect(story.reach(3).sent.at(-1)?.sequence).toBe(story.sent[0]!.sequence + 1);
  });

  test('stays aborted', () => {
    const story = new RolloutStory(STEPS, { resumeAt: { stepIndex: 2, paused: false, aborted: true } });
    expect(story.allowance).toEqual({ revision: 'lobby-old', partition: 0, paused: false });
    expect(story.state.view.phase).toBe('Aborted');
  });

  test('does not act again on an annotation that may have acted before', () => {
    const resumeAt = { stepIndex: 1, paused: true, aborted: false };
    const story = new RolloutStory(STEPS, { resumeAt, resumeToken: 'lobby-new/1' });
    expect(story.revise({ resumeToken: 'lobby-new/1' }).at).toBe('1 pause paused');
  });
});
