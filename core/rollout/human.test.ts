import { describe, expect, test } from 'vitest';
import { RolloutStory } from '../../test/support/rollout-story.ts';
import { HUMAN_VERBS, type HumanVerb, type Step } from './types.ts';

const hook = { templateName: 'check' };
const STEPS: Step[] = [{ partition: 3 }, { pause: {} }, { partition: 2 }, { pause: { durationSeconds: 60 } }, { hook }];

const moving = () => new RolloutStory(STEPS);
const paused = () => moving().reach(3);
const soaking = () => {
  const story = paused().pass(1);
  story.say('resume');
  return story.pass(1).reach(2);
};
const hooked = () => soaking().pass(60);
const failed = () => hooked().hookEnds('Failed', 'value 3');
const aborted = () => {
  const story = paused().pass(1);
  story.say('abort');
  return story.pass(1);
};
const final = () => {
  const story = hooked().hookEnds('Successful');
  return story.pass(1);
};
const over = () => final().reach(0);

/** What each verb does in each situation: the new place, or why it is refused. */
const TABLE: [string, () => RolloutStory, Record<HumanVerb, string>][] = [
  [
    'while pods move',
    moving,
    {
      pause: '0 partition held',
      resume: 'refused: Nothing to resume. Step 0 moves pods',
      skip: 'refused: Nothing to skip',
      retry: '0 partition',
      abort: 'aborted',
      promote: '5 partition',
    },
  ],
  [
    'in an untimed pause',
    paused,
    {
      pause: 'refused: Already paused. Step 1 is paused since 2026-01-01T00:00:00Z until someone resumes it',
      resume: '2 partition',
      skip: '2 partition',
      retry: 'refused: Nothing to retry',
      abort: 'aborted',
      promote: '5 partition',
    },
  ],
  [
    'in a timed pause',
    soaking,
    {
      pause: '3 pause paused held',
      resume: '4 hook',
      skip: '4 hook',
      retry: 'refused: Nothing to retry',
      abort: 'aborted',
      promote: '5 partition',
    },
  ],
  [
    'while a hook runs',
    hooked,
    {
      pause: '4 hook held',
      resume: 'refused: Nothing to resume. Step 4 waits for its hook check (HookRun run-4-1)',
      skip: '5 partition',
      retry: 'refused: Nothing to retry',
      abort: 'aborted',
      promote: '5 partition',
    },
  ],
  [
    'after a failed hook',
    failed,
    {
      pause: 'refused: Already paused. Step 4 is paused since 2026-01-01T00:01:02Z because run-4-1 is Failed: value 3',
      resume: '5 partition',
      skip: '5 partition',
      retry: '4 hook',
      abort: 'aborted',
      promote: '5 partition',
    },
  ],
  [
    'when aborted',
    aborted,
    {
      pause: 'refused: The rollout is aborted: send retry to start it again',
      resume: 'refused: The rollout is aborted: send retry to start it again',
      skip: 'refused: The rollout is aborted: send retry to start it again',
      retry: '0 partition',
      abort: 'refused: The rollout is aborted: send retry to start it again',
      promote: 'refused: The rollout is aborted: send retry to start it again',
    },
  ],
  [
    'after the last step',
    final,
    {
      pause: '5 partition held',
      resume: 'refused: Nothing to resume. Moves all pods to lobby-new',
      skip: 'refused: Nothing to skip',
      retry: '5 partition',
      abort: 'aborted',
      promote: 'refused: No step is left to pass',
    },
  ],
  [
    'when it is over',
    over,
    Object.fromEntries(HUMAN_VERBS.map((verb) => [verb, 'refused: The rollout is over (Completed)'])) as Record<
      HumanVerb,
      string
    >,
  ],
];

describe.each(TABLE)('%s', (_, situation, wants) => {
  test.each(HUMAN_VERBS)('%s', (verb) => {
    const story = situation();
    const answer = story.say(verb);
    const place = story.state.aborted ? 'aborted' : story.at;
    expect(answer.startsWith('refused') ? answer : place).toContain(wants[verb]);
  });

  test('an answer says each thing once', () => {
    for (const verb of HUMAN_VERBS) {
      const sentences = situation().say(verb).split('. ');
      const beginnings = sentences.map((sentence) => sentence.split(/[ :]/)[0]);
      expect(beginnings).toEqual([...new Set(beginnings)]);
    }
  });

  test('another step than the present one is refused', () => {
    const story = situation();
    const why = story.state.closed ? /^refused: The rollout is over/ : /^refused: .*not at step 9$/;
    for (const verb of HUMAN_VERBS) expect(story.say(verb, { step: 9 })).toMatch(why);
  });
});

describe('resume', () => {
  test('two of the same moment open one pause only', () => {
    const story = new RolloutStory([{ pause: {} }, { pause: {} }]).reach(4);
    expect(story.say('resume')).toContain('Resumed step 0');
    story.reach(4);
    expect(story.say('resume')).toBe('refused: Another resume of the same moment was applied already');
    expect(story.at).toBe('1 pause paused');
    expect(story.pass(0.3).say('resume'), 'a bit later').toContain('refused: Another resume of the same moment');
    expect(story.pass(0.1).say('resume', { step: 1 }), 'with its step').toContain('Resumed step 1');
  });

  test('ends the pause of a person and leaves the timed pause below it', () => {
    const story = soaking();
    story.say('pause', { by: 'ana', reason: 'spike' });
    expect(story.state.view.message).toContain('Paused by ana at 2026-01-01T00:00:02Z (spike) while at step 3');
    expect(story.pass(30).say('resume')).toContain('Resumed at step 3. Step 3 is paused until 2026-01-01T00:01:02Z');
    expect(story.pass(30).at).toBe('4 hook');
  });

  test('a timed pause that ran out below the pause of a person passes with its resume', () => {
    const story = soaking();
    story.say('pause');
    expect(story.pass(600).at).toBe('3 pause paused held');
    story.say('resume');
    expect(story.at).toBe('4 hook');
  });

  test('the step log says who and why (report 42)', () => {
    const story = paused();
    story.say('resume', { by: 'ana', reason: 'graphs are flat' });
    const entry = { outcome: 'resumed', by: 'ana', reason: 'graphs are flat' };
    expect(story.state.log.find(({ step }) => step === 1)).toMatchObject(entry);
  });
});

describe('pause', () => {
  test('stops the pods, and the same partition is asked for again after it', () => {
    const story = moving();
    story.say('pause');
    expect(story.allowance).toEqual({ revision: 'lobby-new', partition: 3, paused: true });
    expect(story.reach(3).pass(1).at).toBe('0 partition held');
    story.say('resume');
    expect(story.allowance).toEqual({ revision: 'lobby-new', partition: 3, paused: false });
    expect(story.at).toBe('0 partition');
  });

  test('a hook that ends below it is acted on after the resume', () => {
    const story = hooked();
    story.say('pause');
    expect(story.hookEnds('Successful').at).toBe('4 hook held');
    story.pass(1).say('resume');
    expect(story.at).toBe('5 partition');
  });
});

describe('abort and retry', () => {
  test('decision 16: pods go back to stable under the normal budget, and the run stays open', () => {
    const story = aborted();
    expect(story.allowance).toEqual({ revision: 'lobby-old', partition: 0, paused: false });
    expect(story.state.view).toMatchObject({
      phase: 'Aborted',
      message: expect.stringContaining('go back to lobby-old'),
    });
    story.reach(0);
    expect(story.state.view.message).toContain('all pods are back at lobby-old');
    expect(story.result).toBeUndefined();
  });

  test('retry starts again at step 0', () => {
    const story = aborted();
    story.say('retry');
    expect(story.allowance).toEqual({ revision: 'lobby-new', partition: 3, paused: false });
    expect(story.reach(3).at).toBe('1 pause paused');
  });

  test('a hook that ran before the abort runs anew', () => {
    const story = failed();
    story.say('abort');
    story.pass(1).say('retry');
    story.reach(3).pass(1).say('resume');
    story.reach(2).pass(60);
    expect(story.created).toEqual([
      { stepIndex: 4, attempt: 1 },
      { stepIndex: 4, attempt: 2 },
    ]);
  });

  test('an aborted rollout that is superseded ended as aborted; by the stable template as rolled back', () => {
    expect(aborted().supersede().result?.outcome).toBe('Aborted');
    expect(aborted().supersede(true).result?.outcome).toBe('RolledBack');
  });

  test('a running hook is terminated', () => {
    const story = hooked();
    story.say('abort');
    expect(story.terminated).toEqual(['run-4-1']);
  });
});

describe('failed gates of pods belong to the workload', () => {
  test.each(['retry', 'skip'] as const)('%s is passed on', (verb) => {
    const story = moving().block('GateFailed', 'lobby-7 failed');
    expect(story.say(verb, { by: 'ana' })).toContain(`Told the workload to ${verb} the gates that failed, if any did`);
    expect(story.forwarded).toEqual([{ verb, message: { by: 'ana' } }]);
  });

  test.each(['retry', 'skip'] as const)('%s of one pod is passed on whatever the rollout waits for', (verb) => {
    for (const story of [moving(), paused(), failed(), aborted()]) {
      expect(story.say(verb, { pod: 'lobby-7' })).toContain(`to ${verb} the gates of pod lobby-7 that failed`);
      expect(story.forwarded).toEqual([{ verb, message: { pod: 'lobby-7' } }]);
    }
  });

  test('other verbs take no pod', () => {
    expect(moving().say('abort', { pod: 'lobby-7' })).toMatch(
      /^refused: Only retry and skip take a pod; abort with a pod is for /,
    );
    expect(moving().say('promote', { pod: 'lobby-7' })).toBe('refused: Only retry and skip take a pod');
  });

  test('a retry is passed on also before the rollout has heard of one', () => {
    const story = moving();
    expect(story.say('retry')).toContain('Told the workload to retry');
    expect(story.forwarded).toEqual([{ verb: 'retry', message: {} }]);
  });

  test('a second skip, of the same moment as the one that passed a hook, lets no pod past its gate', () => {
    const story = failed();
    expect(story.say('skip')).toContain('Skipped the hook');
    expect(story.say('skip')).toContain('refused: Nothing to skip');
    expect(story.forwarded).toEqual([]);
  });

  test('one that failed during a pause is told to the rollout first', () => {
    const story = paused();
    expect(story.say('retry')).toContain('refused: Nothing to retry');
    story.block('GateFailed', 'lobby-7 failed');
    expect(story.say('retry')).toContain('Told the workload to retry');
  });
});
