import { describe, expect, test } from 'vitest';
import { RolloutStory } from '../../test/support/rollout-story.ts';
import { detailsOf } from './details.ts';
import { noteRefusal } from './human.ts';

const STEPS = [{ partition: 3 }, { pause: {} }, { hook: { templateName: 'check' }, pause: { durationSeconds: 60 } }];

describe('current details', () => {
  test('of a pause: what it waits for, the exact command, the steps and what happened', () => {
    const story = new RolloutStory(STEPS).reach(3);
    expect(detailsOf(story.state)).toMatchInlineSnapshot(`
      "**gamedeployment/default/lobby** rollout 3: lobby-old → lobby-new

      **Paused**: Step 1 is paused since 2026-01-01T00:00:00Z until someone resumes it; resume with holdfast resume, with temporal workflow signal -w gamedeployment/default/lobby/rollout --name resume --input '{"step":1}', or with the annotation holdfast.dev/resume: lobby-new/1.

      To resume: \`temporal workflow signal -w gamedeployment/default/lobby/rollout --name resume --input '{"step":1}'\`

      | step | what | |
      |---|---|---|
      | 0 | partition 3 | done |
      | 1 | pause | **now** (pause) |
      | 2 | hook check, pause 60 s |  |
      | 3 | all pods |  |

      | step | what | began | ended | outcome | by (as claimed) | reason |
      |---|---|---|---|---|---|---|
      | 0 | partition 3 | 2026-01-01T00:00:00.000Z | 2026-01-01T00:00:00.000Z | done |  |  |
      | 1 | pause until resumed | 2026-01-01T00:00:00.000Z |  | open |  |  |"
    `);
  });

  test('name retry and skip after a failed hook', () => {
    const story = new RolloutStory([{ hook: { templateName: 'check' } }]).hookEnds('Failed');
    const command = (verb: string) => `-w gamedeployment/default/lobby/rollout --name ${verb} --input '{"step":0}'`;
    for (const verb of ['retry', 'skip']) expect(detailsOf(story.state)).toContain(command(verb));
  });

  test('show why nothing moves', () => {
    const story = new RolloutStory(STEPS).block('PodsNotReady', 'lobby-7 is not ready');
    expect(detailsOf(story.state)).toContain(
      'Nothing moves since 2026-01-01T00:00:00Z: lobby-7 is not ready (PodsNotReady).',
    );
  });

  test('show what was ignored, without letting its text break the page', () => {
    const state = noteRefusal(new RolloutStory(STEPS).state, 'unknown signal a|b\n# c', 0);
    expect(detailsOf(state)).toContain('- 1970-01-01T00:00:00Z unknown signal a\\|b # c');
  });
});

describe('timers', () => {
  test('say what is waited for, one per step', () => {
    const story = new RolloutStory(STEPS);
    const summaries = [story.waits?.summary];
    for (const act of [
      () => story.reach(3),
      () => story.say('resume'),
      () => story.hookEnds('Successful'),
      () => story.pass(0).reach(3),
      () => story.pass(60),
    ]) {
      act();
      summaries.push(story.waits?.summary);
    }
    expect(summaries).toMatchInlineSnapshot(`
      [
        "step 0: partition 3",
        "step 1: paused until resumed",
        "step 2: hook check",
        "step 2: before the pause",
        "step 2: pause 60 s",
        "all pods",
      ]
    `);
  });

  test('go on while the wait is the same', () => {
    const story = new RolloutStory([{ partition: 3 }]);
    const before = story.waits;
    expect(story.block('PodsNotReady').pass(5).waits?.key).toBe(before?.key);
  });
});
