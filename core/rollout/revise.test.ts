import { describe, expect, test } from 'vitest';
import { RolloutStory } from '../../test/support/rollout-story.ts';
import type { Step } from './types.ts';

const hook = { templateName: 'check' };
const STEPS: Step[] = [{ partition: 3 }, { pause: {} }, { partition: 2 }, { pause: { durationSeconds: 60 } }, { hook }];

const paused = () => new RolloutStory(STEPS).reach(3);
const soaking = () => {
  const story = paused();
  story.say('resume');
  return story.pass(1).reach(2);
};
const changed = (index: number, step: Step) => STEPS.map((old, at) => (at === index ? step : old));

describe('edited steps (decision 13)', () => {
  test('row 103: satisfied steps pass at once from the first one that differs', () => {
    const story = soaking().edit(changed(0, { partition: 4 }));
    expect([story.at, story.allowance?.partition]).toEqual(['0 partition', 4]);
    expect(story.reach(4).at).toBe('1 pause paused');
  });

  test('a later step only: the unchanged pause keeps its clock', () => {
    const story = soaking();
    const before = story.state.pause;
    expect(story.pass(20).edit(changed(4, { hook: { templateName: 'other' } })).state.pause).toEqual(before);
    expect(story.pass(40).created).toEqual([{ stepIndex: 4, attempt: 1 }]);
  });

  test('an edited pause begins anew', () => {
    const story = soaking()
      .pass(20)
      .edit(changed(3, { pause: { durationSeconds: 90 } }));
    expect(story.at).toBe('3 pause');
    expect(story.reach(2).state.pause?.endsAtMs).toBe(story.nowMs + 90_000);
  });

  test('a step before the present one goes back to it', () => {
    expect(soaking().edit(changed(1, { pause: { durationSeconds: 5 } })).at).toBe('1 pause');
  });

  test('cut short: all steps are done', () => {
    expect(soaking().edit(STEPS.slice(0, 2)).allowance?.partition).toBe(0);
  });

  test('a step added at the end of a rollout that is past it is done', () => {
    const story = new RolloutStory([{ partition: 1 }]).reach(1).edit([{ partition: 1 }, { pause: {} }]);
    expect(story.at).toBe('1 pause');
  });

  test('removed: the partition of the spec is followed', () => {
    expect(paused().edit([]).allowance?.partition).toBe('spec');
  });

  test('the same hash changes nothing', () => {
    expect(paused().edit(changed(0, { partition: 1 }), JSON.stringify(STEPS)).state.steps).toEqual(STEPS);
  });

  test('only arguments of hooks: the step stays, and a retry takes the new ones', () => {
    const story = soaking().pass(60).hookEnds('Failed').edit(STEPS, 'other-arguments');
    expect(story.at).toBe('4 hook paused');
    story.say('retry');
    expect(story.state).toMatchObject({ stepsHash: 'other-arguments', hook: { attempt: 2 } });
  });

  test('a running hook of an edited step is terminated', () => {
    const story = soaking()
      .pass(60)
      .edit(changed(4, { hook: { templateName: 'other' } }));
    expect(story.terminated).toEqual(['run-4-1']);
    expect(story.created.at(-1)).toEqual({ stepIndex: 4, attempt: 2 });
  });

  test('decision 16: an aborted rollout survives it and starts again with the new steps', () => {
    const story = paused();
    story.say('abort');
    expect(story.edit([{ partition: 1 }]).state.view.phase).toBe('Aborted');
    story.pass(1).say('retry');
    expect(story.allowance?.partition).toBe(1);
  });

  test("a person's pause stays", () => {
    const story = new RolloutStory(STEPS);
    story.say('pause', { by: 'ana' });
    expect(story.edit(changed(0, { partition: 4 })).at).toBe('0 partition held');
    expect(story.state.log.at(-1)).toMatchObject({ what: 'pause by message', by: 'ana' });
  });

  test('a rollback has no steps to go back to', () => {
    const story = new RolloutStory(STEPS, { rolledBack: true }).edit([{ partition: 1 }]);
    expect(story.allowance?.partition).toBe(0);
  });
});

describe('spec.updateStrategy.paused (decisions 7 and 8)', () => {
  test('that turns false ends an untimed pause', () => {
    const story = paused().revise({ pausedByUser: true });
    expect(story.revise({ pausedByUser: false, pauseLifted: true }).at).toBe('2 partition');
    expect(story.state.log[1]).toMatchObject({ outcome: 'resumed', by: 'spec.updateStrategy.paused' });
  });

  test('that turns false ends a timed pause early', () => {
    expect(soaking().pass(1).revise({ pauseLifted: true }).at).toBe('4 hook');
  });

  test('that was written for this pause and is lifted ends it, and no other one', () => {
    const story = paused();
    const { stepIndex: step, pause } = story.state;
    const liftedPause = { step, startedAtMs: pause!.startedAtMs };
    expect(story.revise({ liftedPause: { ...liftedPause, startedAtMs: 1 } }).at).toBe('1 pause paused');
    expect(story.revise({ liftedPause: { ...liftedPause, step: 0 } }).at).toBe('1 pause paused');
    expect(story.revise({ liftedPause }).at).toBe('2 partition');
    expect(story.state.log[1]).toMatchObject({ outcome: 'resumed', by: 'spec.updateStrategy.paused' });
    expect(story.pass(1).reach(2).revise({ liftedPause }).at).toBe('3 pause paused');
  });

  test('that is lifted under the pause of a person leaves both', () => {
    const story = soaking();
    const { stepIndex: step, pause } = story.state;
    story.say('pause', { by: 'ana' });
    expect(story.revise({ liftedPause: { step, startedAtMs: pause!.startedAtMs } }).at).toBe('3 pause paused held');
  });

  test('that is false already ends nothing', () => {
    expect(paused().revise({ pausedByUser: false }).at).toBe('1 pause paused');
  });

  test('that turns false without a pause changes nothing and says nothing', () => {
    const story = new RolloutStory(STEPS)
      .revise({ pausedByUser: true })
      .revise({ pausedByUser: false, pauseLifted: true });
    expect([story.at, story.state.notices]).toEqual(['0 partition', []]);
  });

  test('the clock of a timed pause goes on', () => {
    expect(soaking().revise({ pausedByUser: true }).pass(60).at).toBe('4 hook');
  });
});

describe('annotation holdfast.dev/resume (decision 7)', () => {
  test('with the value of the present step ends the pause once', () => {
    const story = paused().revise({ resumeToken: 'lobby-new/1' });
    expect(story.at).toBe('2 partition');
    expect(story.sent.at(-1)?.view.consumedResume).toEqual(['lobby-new/1']);
  });

  test('is not acted on twice, though it is read twice', () => {
    const story = paused().revise({ resumeToken: 'lobby-new/1' }).pass(1);
    story.say('abort');
    story.pass(1).say('retry');
    expect(story.reach(3).revise({ resumeToken: 'lobby-new/1' }).at).toBe('1 pause paused');
  });

  test('left from a rollout before, to the same revision, it does not act', () => {
    const resumeToken = 'lobby-new/1';
    const story = new RolloutStory(STEPS, { resumeToken }).reach(3);
    expect(story.revise({ resumeToken, pausedByUser: true }).at).toBe('1 pause paused');
  });

  test('taken away and given again it acts again', () => {
    const story = paused().revise({ resumeToken: 'lobby-new/1' }).pass(1);
    story.say('abort');
    story.pass(1).say('retry');
    story.reach(3).revise({}).pass(1);
    expect(story.revise({ resumeToken: 'lobby-new/1' }).at).toBe('2 partition');
  });

  test.each(['lobby-new/3', 'lobby-old/1', 'true'])('with %s is ignored with a reason', (resumeToken) => {
    const story = paused().revise({ resumeToken });
    expect(story.at).toBe('1 pause paused');
    expect(story.state.notices[0]?.text).toContain('the value for the present step is lobby-new/1');
  });
});

describe('spec.progressDeadlineSeconds (decision 17)', () => {
  const waiting = (progressDeadlineSeconds?: number) =>
    new RolloutStory([{ partition: 1 }, { pause: {} }], { progressDeadlineSeconds });
  const blocked = (story: RolloutStory) => story.state.view.blocked?.reason;

  test('that is shortened counts what was waited already', () => {
    const story = waiting(600).pass(50).revise({ progressDeadlineSeconds: 60 });
    expect(story.waits?.untilMs).toBe(story.nowMs + 10_000);
    expect(blocked(story)).toBeUndefined();
    expect(blocked(story.pass(10))).toBe('ProgressDeadlineExceeded');
  });

  test('that is shorter than what was waited is exceeded at once', () => {
    expect(blocked(waiting(600).pass(61).revise({ progressDeadlineSeconds: 60 }))).toBe('ProgressDeadlineExceeded');
  });

  test('that is given while pods are waited for counts from the beginning of the wait', () => {
    const story = waiting().pass(50).revise({ progressDeadlineSeconds: 60 });
    expect(story.waits?.untilMs).toBe(story.nowMs + 10_000);
    expect(blocked(story.pass(10))).toBe('ProgressDeadlineExceeded');
  });

  test('that is lengthened ends the blame, and the rest of the time is given', () => {
    const story = waiting(60).pass(70).revise({ progressDeadlineSeconds: 100 });
    expect(blocked(story)).toBeUndefined();
    expect(story.sent.at(-1)?.view).not.toHaveProperty('blocked');
    expect(blocked(story.pass(30))).toBe('ProgressDeadlineExceeded');
  });

  test('that is lengthened too little keeps the blame, since when it was exceeded', () => {
    const story = waiting(60).pass(60);
    const { sinceMs } = story.state.view.blocked!;
    story.pass(40).revise({ progressDeadlineSeconds: 90 });
    expect(story.state.view.blocked).toMatchObject({ sinceMs, message: expect.stringContaining('Seconds 90 ') });
  });

  test('that is taken away is never exceeded', () => {
    const story = waiting(60).pass(70).revise({ progressDeadlineSeconds: null });
    expect(blocked(story)).toBeUndefined();
    expect(blocked(story.pass(1e6))).toBeUndefined();
  });

  test('that is edited in a pause does not count the pause', () => {
    const story = waiting(60).pass(50);
    story.say('pause');
    expect(blocked(story.pass(1_000).revise({ progressDeadlineSeconds: 55 }))).toBeUndefined();
    story.say('resume');
    expect(blocked(story.pass(5))).toBe('ProgressDeadlineExceeded');
  });

  test('of which a message says nothing stays', () => {
    expect(blocked(waiting(60).revise({}).pass(60))).toBe('ProgressDeadlineExceeded');
  });

  test('that is edited holds for the steps that follow', () => {
    const story = new RolloutStory([{ partition: 1 }, { partition: 0 }]).revise({ progressDeadlineSeconds: 60 });
    expect(blocked(story.pass(50).reach(1).pass(59))).toBeUndefined();
    expect(blocked(story.pass(1))).toBe('ProgressDeadlineExceeded');
  });
});

describe('a workload that asks', () => {
  test('is told the allowance again, and its earlier answer still counts', () => {
    const story = new RolloutStory([{ partition: 1 }]);
    const { sequence } = story.sent.at(-1)!;
    story.revise({});
    expect(story.sent.at(-1)?.sequence).toBe(sequence + 1);
    expect(story.reach(1, sequence).at).toBe('1 partition');
  });
});
