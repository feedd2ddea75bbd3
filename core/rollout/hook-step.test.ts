import { describe, expect, test } from 'vitest';
import { type HookAnswer, RolloutStory } from '../../test/support/rollout-story.ts';
import type { Step } from './types.ts';

const STEPS: Step[] = [{ hook: { templateName: 'check' } }, { partition: 1 }];

const inFlight = () => {
  const story = new RolloutStory([]);
  story.hookAnswer = () => undefined;
  return story.edit(STEPS);
};
const asked = { stepIndex: 0, attempt: 1 };
const run: HookAnswer = { hookRun: 'run-0-1' };

describe('the hook of a step', () => {
  test.each(['Failed', 'Error', 'Inconclusive', 'Terminated', 'Gone'])('%s pauses with the reason', (phase) => {
    const story = new RolloutStory(STEPS).hookEnds(phase, 'value 3');
    expect(story.state.view).toMatchObject({ phase: 'Paused', pause: { reason: 'PausedByStepBasedHook' } });
    expect(story.state.view.message).toContain(`because run-0-1 is ${phase}: value 3`);
  });

  test.each([
    { rulesVersion: 4, said: 'because run-0-1 is Failed: Value 3.; retry' },
    { rulesVersion: 5, said: 'because run-0-1 is Failed: Value 3; retry' },
  ])('under rules $rulesVersion its sentence within the pause reads "$said"', ({ rulesVersion, said }) => {
    const story = new RolloutStory(STEPS, { rulesVersion }).hookEnds('Failed', 'Value 3.');
    expect(story.state.view.message).toContain(said);
  });

  test.each(['Failed', 'Error', 'Gone'])('%s aborts with the reason where the step says so', (phase) => {
    const story = new RolloutStory([{ hook: { templateName: 'check' }, onFailure: 'abort' }, { partition: 1 }]);
    story.hookEnds(phase, 'value 3');
    expect(story.allowance).toEqual({ revision: 'lobby-old', partition: 0, paused: false });
    expect(story.state.view).toMatchObject({
      phase: 'Aborted',
      abortedBecause: `run-0-1 is ${phase}: value 3 at step 0`,
      message: expect.stringMatching(/^Aborted because run-0-1 is .*: pods go back to lobby-old/),
    });
    expect(story.state.log.at(-1)).toMatchObject({ what: 'back to lobby-old', by: 'onFailure: abort' });
    expect(story.say('retry')).toContain('Started again at step 0');
    expect(story.hookEnds('Successful').at).toBe('1 partition');
  });

  test('a hook that fails below the pause of a person aborts after the resume', () => {
    const story = new RolloutStory([{ hook: { templateName: 'check' }, onFailure: 'abort' }]);
    story.say('pause');
    expect(story.hookEnds('Failed').state.view.phase).toBe('Paused');
    story.pass(1).say('resume');
    expect(story.state.view.phase).toBe('Aborted');
  });

  test('the verdict of another HookRun is ignored', () => {
    expect(new RolloutStory(STEPS).hookEnds('Successful', undefined, 'run-0-7').at).toBe('0 hook');
  });

  test('retry runs it again under the next number', () => {
    const story = new RolloutStory(STEPS).hookEnds('Failed');
    expect(story.say('retry')).toContain('runs again, attempt 2');
    expect(story.hookEnds('Successful', undefined, 'run-0-1').at).toBe('0 hook');
    expect(story.hookEnds('Successful').at).toBe('1 partition');
  });

  test('a HookRun that cannot be created pauses with the reason', () => {
    const story = new RolloutStory([]);
    story.hookAnswer = () => ({ blocked: 'HookTemplateMissing', message: 'HookTemplate check does not exist' });
    story.edit(STEPS);
    expect(story.at).toBe('0 hook paused');
    expect(story.state.view.message).toContain('because HookTemplate check does not exist');
  });

  test('a verdict that comes before the name of its HookRun counts', () => {
    const story = inFlight().hookEnds('Successful', undefined, 'run-0-1');
    expect(story.at).toBe('0 hook');
    expect(story.hookCreated(asked, run).at).toBe('1 partition');
  });

  test('a run that had ended before it was asked for again counts', () => {
    expect(inFlight().hookCreated(asked, { ...run, phase: 'Successful' }).at).toBe('1 partition');
  });

  test('a run that nobody wants when it appears is terminated', () => {
    const story = inFlight();
    story.say('skip');
    story.hookCreated(asked, run);
    expect([story.at, story.terminated]).toEqual(['1 partition', ['run-0-1']]);
  });

  test('the rollout does not close over a creation in flight', () => {
    const story = inFlight().supersede();
    expect(story.result).toBeUndefined();
    story.hookCreated(asked, run);
    expect([story.result?.outcome, story.terminated]).toEqual(['Superseded', ['run-0-1']]);
  });

  test('is not created while a person pauses the rollout', () => {
    const story = new RolloutStory([{ partition: 1 }, ...STEPS]);
    story.say('pause');
    story.pass(1).reach(1);
    expect(story.created).toEqual([]);
  });
});
