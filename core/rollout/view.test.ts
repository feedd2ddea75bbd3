import { describe, expect, test } from 'vitest';
import { RolloutStory } from '../../test/support/rollout-story.ts';
import { detailsOf } from './details.ts';

const STEPS = [{ partition: 3 }, { pause: {} }];
const COMMAND = '-w gamedeployment/default/lobby/rollout --namespace staging --name';

describe('a rollout in a Temporal namespace other than default', () => {
  const { state } = new RolloutStory(STEPS, { temporalNamespace: 'staging' }).reach(3);

  test('tells the workload, and names it in its own sentence', () => {
    expect(state.view.temporalNamespace).toBe('staging');
    expect(state.view.message).toContain(`temporal workflow signal ${COMMAND} resume --input '{"step":1}'`);
  });

  test('keeps it in the commands of its page, whatever the verb', () => {
    expect(detailsOf(state)).toContain(`${COMMAND} resume`);
    const failed = new RolloutStory([{ hook: { templateName: 'check' } }], { temporalNamespace: 'staging' });
    const page = detailsOf(failed.hookEnds('Failed').state);
    for (const verb of ['retry', 'skip']) expect(page).toContain(`${COMMAND} ${verb}`);
  });
});

test('a rollout in the namespace default says what one of before said, which knew none', () => {
  const { state } = new RolloutStory(STEPS, { temporalNamespace: 'default' }).reach(3);
  expect(state).toEqual(new RolloutStory(STEPS).reach(3).state);
  expect(Object.keys(state.view)).not.toContain('temporalNamespace');
  expect(state.view.message).toContain('-w gamedeployment/default/lobby/rollout --name resume');
});
