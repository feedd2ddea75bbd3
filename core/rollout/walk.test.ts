/** Seeded random lives of rollouts: whatever people, pods, hooks and time do, in any order, the invariants hold. */
import { describe, expect, test } from 'vitest';
import { RolloutStory } from '../../test/support/rollout-story.ts';
import { allowanceOf } from './allowance.ts';
import { HUMAN_VERBS, type Step } from './types.ts';
import { viewOf } from './view.ts';

const WALKS = 600;
const MOVES = 40;
const STEPS: Step[] = [
  { partition: 4 },
  { pause: {} },
  { partition: 2, hook: { templateName: 'check' }, pause: { durationSeconds: 30 } },
  { hook: { templateName: 'last' } },
];

/** Small, seeded, good enough to vary a walk. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return state % below;
  };
}

type Pick = (below: number) => number;

const ACTS: ((story: RolloutStory, pick: Pick) => unknown)[] = [
  (story) => story.reach(0),
  (story) => story.reach(0),
  (story, pick) => story.reach(0, pick(20)),
  (story, pick) => story.say(HUMAN_VERBS[pick(HUMAN_VERBS.length)]!),
  (story, pick) => story.say('resume', { step: pick(5) }),
  (story, pick) => story.pass(pick(40)),
  (story) => story.hookEnds('Successful'),
  (story) => story.hookEnds('Failed'),
  (story, pick) => story.revise({ pausedByUser: pick(2) === 0, pauseLifted: pick(4) === 0 }),
  (story, pick) => story.edit(STEPS.slice(0, pick(5))),
  (story, pick) => story.revise({ progressDeadlineSeconds: pick(4) === 0 ? null : 1 + pick(200) }),
  (story, pick) => story.revise({ resumeToken: `lobby-new/${pick(5)}` }),
  (story, pick) => story.block(pick(2) === 0 ? 'GateFailed' : ''),
];

function expectInvariants(story: RolloutStory): void {
  const { state, sent } = story;
  expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  expect(state.stepIndex).toBeLessThanOrEqual(state.steps.length);
  const numbers = sent.map(({ sequence }) => sequence);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(sent.at(-1)?.allowance).toEqual(allowanceOf(state));
  expect(sent.at(-1)?.view).toEqual(viewOf(state));
  if (state.pause || state.hold) expect(state.allowance.paused || state.aborted !== undefined).toBe(true);
  if (state.closed) expect(story.result?.steps.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
  if (state.closed) expect(state.reached?.partition).toBe(0);
  const attempts = story.created.map(({ stepIndex, attempt }) => `${stepIndex}/${attempt}`);
  expect(new Set(attempts).size).toBe(attempts.length);
}

describe('random walks', () => {
  test(`${WALKS} of them keep the invariants`, () => {
    for (let seed = 1; seed <= WALKS; seed += 1) {
      const pick = randomOf(seed);
      const story = new RolloutStory(STEPS, { progressDeadlineSeconds: 60 });
      for (let move = 0; move < MOVES; move += 1) ACTS[pick(ACTS.length)]!(story, pick);
      expectInvariants(story);
    }
  });
});
