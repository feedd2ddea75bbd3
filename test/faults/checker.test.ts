/** Judged by hand-written logs: surge and gates, and how the verdict reads. */
import { describe, expect, test } from 'vitest';
import { AuditStory } from './audit-story.ts';
import { assertKept, judge } from './checker.ts';
import { broken, canary, five, table, turn } from './judged-stories.ts';

describe('surge: creates', () => {
  const surging = (maxSurge: number | string) => five({ updateStrategy: { maxSurge, maxUnavailable: 1 } });
  table([
    { name: 'replicas may be filled', story: () => five().delete('a').create('f'), want: [] },
    { name: 'one above replicas may not without surge', story: () => five().create('f'), want: ['surge games/f'] },
    { name: 'percent rounds up', story: () => surging('25%').create('f').create('g'), want: [] },
    { name: 'and no further', story: () => surging('20%').create('f').create('g'), want: ['surge games/g'] },
    {
      name: 'failed pods do not count',
      story: () => five().fail('a').create('f'),
      want: [],
    },
    {
      name: 'a pod of others counts after 5 s',
      story: () => surging(1).create('f', { by: 'x' }).pass(6_000).create('g'),
      want: ['surge games/g'],
    },
    { name: 'and not before', story: () => surging(1).create('f', { by: 'x' }).pass(1_000).create('g'), want: [] },
    {
      name: 'a scale-in 6 s ago counts',
      story: () => five().writeSpec({ replicas: 3 }).pass(6_000).delete('a').create('f'),
      want: ['surge games/f'],
    },
  ]);
});

describe('gates', () => {
  const hook = { hook: { templateName: 'drain' } };
  const gated = () => five({ preDeleteUpdateStrategy: hook });
  table([
    { name: 'no delete before the hook', story: () => gated().mark('a', 1).delete('a'), want: ['gate games/a'] },
    {
      name: 'a delete after its success',
      story: () => gated().mark('a', 1).finishHook('a', { type: 'pre-delete-step' }).delete('a'),
      want: [],
    },
    {
      name: 'a failed hook opens nothing',
      story: () => gated().mark('a', 1).finishHook('a', { type: 'pre-delete-step', phase: 'Failed' }).delete('a'),
      want: ['gate games/a'],
    },
    {
      name: "another pod's success opens nothing",
      story: () => gated().finishHook('b', { type: 'pre-delete-step' }).delete('a'),
      want: ['gate games/a'],
    },
    {
      name: "an earlier attempt's success opens nothing",
      story: () => gated().mark('a', 2).finishHook('a', { type: 'pre-delete-step', attempt: 1 }).delete('a'),
      want: ['gate games/a'],
    },
    {
      name: 'a success after the write comes too late',
      story: () => gated().delete('a').finishHook('a', { type: 'pre-delete-step' }),
      want: ['gate games/a'],
    },
    {
      name: 'in place waits for preDelete when there is no preInplace',
      story: () => gated().setGate('a', 'False'),
      want: ['gate games/a'],
    },
    {
      name: 'and for preInplace where there is one',
      story: () => {
        const story = five({ preDeleteUpdateStrategy: hook, preInplaceUpdateStrategy: hook });
        return story.finishHook('a', { type: 'pre-delete-step' }).setGate('a', 'False');
      },
      want: ['gate games/a'],
    },
    {
      name: 'pods that do not run are exempt',
      story: () => gated().fail('a').delete('a'),
      want: [],
    },
    {
      name: 'hot patches are exempt',
      story: () => {
        const updateStrategy = { type: 'HotPatchUpdate' as const, maxUnavailable: 1 };
        return five({ preDeleteUpdateStrategy: hook, updateStrategy }).setImage('a', 'game:2', 'r1');
      },
      want: [],
    },
    {
      name: 'a hook configured 4 s ago does not count yet',
      story: () => five().writeSpec({ replicas: 5, preDeleteUpdateStrategy: hook }).pass(4_000).delete('a'),
      want: [],
    },
    { name: "other people's deletes are exempt", story: () => gated().delete('a', 'kubectl/v1'), want: [] },
    {
      name: 'so is collection after the owner is deleted',
      story: () => gated().deleteWorkload().delete('a'),
      want: [],
    },
  ]);
});

describe('by hand: type OnDelete', () => {
  const byHand = (spec = {}) => five({ updateStrategy: { type: 'OnDelete', maxUnavailable: 1 }, ...spec });
  table([
    { name: 'no pod of ours is deleted to be updated', story: () => byHand().delete('a'), want: ['by-hand games/a'] },
    { name: 'none is changed', story: () => byHand().setImage('a', 'game:2', 'r2'), want: ['by-hand games/a'] },
    { name: 'others delete as they like', story: () => byHand().delete('a', 'kubectl/v1'), want: [] },
    { name: 'a scale-in is none', story: () => byHand().writeSpec({ replicas: 4 }).delete('a'), want: [] },
    {
      name: 'nor is a pod that is named',
      story: () => byHand({ scaleStrategy: { podsToDelete: ['a'] } }).delete('a'),
      want: [],
    },
    { name: 'a failed pod makes room', story: () => byHand().fail('a').delete('a'), want: [] },
    {
      name: 'the type of 4 s ago counts still',
      story: () =>
        five()
          .writeSpec({ replicas: 5, updateStrategy: { type: 'OnDelete' } })
          .pass(4_000)
          .delete('a'),
      want: [],
    },
  ]);
});

describe('the verdict', () => {
  test('says how much was judged', () => {
    const { judged } = judge(turn(canary(0), ['a', 'b']).delete('c').create('f').events);
    expect(judged).toEqual({ spending: 3, creates: 6, turns: 8, questions: 0, known: 0 });
  });

  test('is a readable sentence with time, pod and numbers', () => {
    const { violations } = judge(five().delete('a').delete('b').events);
    expect(violations[0]?.sentence).toBe(
      '12:01:00.130 budget: delete pods games/b at resourceVersion 1013 for games/lobby: ' +
        'of 4 available pods 3 would be left, and 5 replicas − 1 maxUnavailable = 4',
    );
    expect(() =>
      assertKept({ violations, judged: { spending: 2, creates: 0, turns: 0, questions: 0, known: 0 } }),
    ).toThrow('games/b');
  });

  test('does not clear what it cannot see', () => {
    const story = five().delete('a');
    const [workload, ...pods] = story.events;
    expect(broken(Object.assign(new AuditStory(), { events: pods }))[0]).toBe('incomplete games/a');
    const beginning = { events: [workload, story.events.at(-1)] };
    expect(broken(Object.assign(new AuditStory(), beginning))).toEqual(['incomplete games/a']);
  });
});
