import { describe, expect, test } from 'vitest';
import { RolloutStory } from '../../test/support/rollout-story.ts';
import { effectivePartition } from './allowance.ts';
import type { Step } from './types.ts';

const hook = { templateName: 'check' };
/** game-workloads §6 row 59. */
const DOC_STEPS: Step[] = [
  { partition: 3 },
  { pause: {} },
  { partition: 2 },
  { pause: { durationSeconds: 60 } },
  { hook },
];

describe('effective partition', () => {
  const pauseThenOne: Step[] = [{ pause: {} }, { partition: 1 }];
  test.each([
    { row: 'row 52: no canary follows the spec', steps: [], index: 0, want: 'spec' },
    { row: 'row 52: the nearest step with a partition', steps: pauseThenOne, index: 1, want: 1 },
    { row: 'row 52: no step with a partition yet keeps all pods', steps: pauseThenOne, index: 0, want: '100%' },
    { row: 'row 53: past the end', steps: [{ partition: 1 }], index: 1, want: 0 },
    { row: 'a percentage stays one', steps: [{ partition: '30%' }, { pause: {} }], index: 1, want: '30%' },
    { row: 'a step without partition keeps the one before', steps: DOC_STEPS, index: 4, want: 2 },
  ] satisfies { row: string; steps: Step[]; index: number; want: unknown }[])('$row', ({ steps, index, want }) => {
    expect(effectivePartition(steps, index)).toBe(want);
  });
});

describe('one step', () => {
  test('row 54: a timed pause passes when its time is over', () => {
    const story = new RolloutStory([{ pause: { durationSeconds: 1 } }]).reach(5);
    expect(story.at).toBe('0 pause paused');
    expect(story.pass(5).at).toBe('1 partition');
  });

  test('row 55: an untimed pause waits for a person and passes on resume', () => {
    const story = new RolloutStory([{ partition: 1 }, { pause: {} }]).reach(1);
    expect(story.pass(1e6).at).toBe('1 pause paused');
    expect(story.say('resume')).toContain('Resumed step 1');
    expect(story.at).toBe('2 partition');
  });

  test('row 56: a partition step completes when the workload says that it is reached', () => {
    const story = new RolloutStory([{ partition: 1 }]);
    expect(story.allowance).toEqual({ revision: 'lobby-new', partition: 1, paused: false });
    expect(story.reach(1).allowance).toEqual({ revision: 'lobby-new', partition: 0, paused: false });
  });

  test('row 57: a hook step completes on success', () => {
    expect(new RolloutStory([{ hook }]).hookEnds('Successful').at).toBe('1 partition');
  });

  test('row 57: a hook step without a verdict waits', () => {
    expect(new RolloutStory([{ hook }]).hookEnds('Running').at).toBe('0 hook');
  });

  test('row 57: the pause after a failed hook ends by a resume', () => {
    const story = new RolloutStory([{ hook }]).hookEnds('Failed');
    expect(story.state.view.pause?.reason).toBe('PausedByStepBasedHook');
    story.say('resume');
    expect(story.at).toBe('1 partition');
  });

  test('row 58: paused=true by the user stays, and is shown, when all steps are done', () => {
    const story = new RolloutStory([{ partition: 1 }]).reach(1).revise({ pausedByUser: true });
    expect(story.state.view.pause?.reason).toBe('PausedByUser');
    expect(story.state.view.message).toContain('spec.updateStrategy.paused is true');
    expect(story.say('resume')).toContain('refused: The pause is in the spec');
    expect(story.result).toBeUndefined();
  });
});

describe('a run of steps', () => {
  test('row 59: the documented run', () => {
    const story = new RolloutStory(DOC_STEPS).reach(3);
    expect([story.at, story.allowance?.partition]).toEqual(['1 pause paused', 3]);
    story.say('resume');
    story.reach(2);
    expect([story.at, story.waits?.untilMs]).toEqual(['3 pause paused', story.nowMs + 60_000]);
    story.pass(60).hookEnds('Failed', 'assertion was false');
    expect(story.at).toBe('4 hook paused');
    expect(story.state.view.pause?.reason).toBe('PausedByStepBasedHook');
    story.say('resume', { by: 'ana' });
    story.reach();
    expect(story.result?.outcome).toBe('Completed');
    expect(story.result?.steps.map(({ step, what, outcome }) => `${step} ${what}: ${outcome}`)).toMatchInlineSnapshot(`
      [
        "0 partition 3: done",
        "1 pause until resumed: resumed",
        "2 partition 2: done",
        "3 pause 60 s: elapsed",
        "4 hook check: failed",
        "4 pause after the failed hook: resumed",
        "5 all pods: done",
      ]
    `);
  });

  test('row 61: a third revision ends the rollout and terminates its hook', () => {
    const story = new RolloutStory([{ hook }]).supersede();
    expect(story.terminated).toEqual(['run-0-1']);
    expect(story.result?.outcome).toBe('Superseded');
  });

  test('row 62: the first steps of a workload hold from step 0', () => {
    const story = new RolloutStory(DOC_STEPS, { number: 3 });
    expect(story.allowance).toEqual({ revision: 'lobby-new', partition: 3, paused: false });
  });

  test('row 63: a partition above replicas completes when the workload has nothing to do', () => {
    expect(new RolloutStory([{ partition: 5 }]).reach(3).at).toBe('1 partition');
  });

  test('row 102: a timed pause of a billion seconds waits on', () => {
    const story = new RolloutStory([{ pause: { durationSeconds: 1_000_000_000 } }]).reach(5);
    expect(story.pass(86_400 * 365).at).toBe('0 pause paused');
    expect(story.waits?.untilMs).toBeGreaterThan(story.nowMs);
  });

  test('row 104: a paused rollout allows no update but still answers the workload', () => {
    const story = new RolloutStory([{ partition: 3 }, { pause: {} }]).reach(3);
    expect(story.allowance).toEqual({ revision: 'lobby-new', partition: 3, paused: true });
    expect(story.reach(3).at).toBe('1 pause paused');
  });

  test('decision 14: keys combined in one step are all done, partition, hook, pause', () => {
    const story = new RolloutStory([{ partition: 2, hook, pause: { durationSeconds: 10 } }]);
    expect([story.at, story.created.length]).toEqual(['0 partition', 0]);
    expect([story.reach(2).at, story.created.length]).toEqual(['0 hook', 1]);
    expect(story.hookEnds('Successful').at).toBe('0 pause paused');
    expect(story.pass(10).at).toBe('1 partition');
  });

  test('a pause begins only when the partition of before is reached', () => {
    const story = new RolloutStory([{ pause: {} }]);
    expect([story.at, story.allowance?.partition]).toEqual(['0 pause', '100%']);
    expect(story.reach(4).at).toBe('0 pause paused');
  });

  test('the same partition twice passes at once', () => {
    expect(new RolloutStory([{ partition: 3 }, { partition: 3 }]).reach(3).at).toBe('2 partition');
  });
});

describe('completion', () => {
  test('decision 15: only a reached partition of 0 completes', () => {
    const story = new RolloutStory([]);
    expect(story.allowance?.partition).toBe('spec');
    story.reach(3);
    expect(story.result).toBeUndefined();
    expect(story.state.view.message).toBe('Held by spec partition 3');
    story.reach(0);
    expect(story.result?.outcome).toBe('Completed');
    expect(story.sent.at(-1)?.view.phase).toBe('Completed');
  });

  test.each([
    ['gamedeployment', {}, 'spec.updateStrategy.partition'],
    ['gamestatefulset', {}, 'spec.updateStrategy.rollingUpdate.partition'],
    ['gamestatefulset', { rulesVersion: 3 }, 'spec.updateStrategy.partition'],
  ])('a %s %j names the field of its spec that holds pods', (kind, rules, field) => {
    const story = new RolloutStory([], { workload: `${kind}/default/lobby`, ...rules });
    expect(story.state.view.message).toBe(`Moves pods to lobby-new as far as ${field} allows`);
    expect(story.waits?.summary).toBe(`as far as ${field} allows`);
  });

  test('decision 12: a rollback runs no steps and ignores the partition of the spec', () => {
    const story = new RolloutStory(DOC_STEPS, { rolledBack: true });
    expect(story.allowance).toEqual({ revision: 'lobby-new', partition: 0, paused: false });
    expect(new RolloutStory([], { rolledBack: true }).allowance?.partition).toBe(0);
    expect(story.reach().result?.outcome).toBe('Completed');
  });

  test.each([
    { what: 'of another rollout', later: 0, number: 2 },
    { what: 'to an allowance that was replaced', later: -1, number: 3 },
    { what: 'to an allowance that was never sent', later: 8, number: 3 },
  ])('an answer $what is ignored', ({ later, number }) => {
    const story = new RolloutStory([{ partition: 1 }]);
    expect(story.reach(1, story.state.sequence + later, number).at).toBe('0 partition');
  });

  const numbersOf = (story: RolloutStory) => story.sent.map(({ sequence }) => sequence);
  const walk = (story: RolloutStory) => {
    story.reach(3).say('resume');
    return story.reach(2).pass(60).hookEnds('Successful').reach();
  };

  test('each message to the workload has a later number', () => {
    const story = walk(new RolloutStory(DOC_STEPS));
    expect(story.result?.outcome).toBe('Completed');
    expect(numbersOf(story)).toEqual([...new Set(numbersOf(story))].sort((a, b) => a - b));
  });

  test('decision 18: all that a run says after a reset is later than what it said before', () => {
    const before = walk(new RolloutStory(DOC_STEPS));
    const [first = 0] = numbersOf(new RolloutStory(DOC_STEPS, {}, before.nowMs + 1_000));
    expect(first).toBeGreaterThan(Math.max(...numbersOf(before)));
    // Reset to a moment in the middle, it goes on from what it remembers of then.
    const middle = new RolloutStory(DOC_STEPS).pass(3_600).reach(3);
    expect(numbersOf(middle).at(-1)).toBeGreaterThan(Math.max(...numbersOf(before)));
  });

  test('a run that began under the rules of then counts on as it did', () => {
    const story = walk(new RolloutStory(DOC_STEPS, { rulesVersion: 1 }));
    expect(numbersOf(story)).toEqual(numbersOf(story).map((_, index) => index + 1));
  });
});
