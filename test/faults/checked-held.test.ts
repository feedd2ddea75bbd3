/** Judged by hand-written logs: where a hook after an update has failed others are not updated, but for what people say. */
import { describe, expect, test } from 'vitest';
import type { AuditStory } from './audit-story.ts';
import { asked, failed, goOn, HOOK, hooked, STRATEGY, TOLD, AFTER_UPDATE as TYPE, updated } from './hooked-stories.ts';
import { broken, table } from './judged-stories.ts';
import type { SpokenWord } from './spoken-words.ts';

describe('held: where the hook has failed no other pod begins to be updated', () => {
  table([
    { name: 'none does', story: () => goOn(failed().story), want: ['held games/b'] },
    {
      name: 'not by images behind no gate either',
      story: () => failed().story.pass(30_000).update('b', 'r2'),
      want: ['held games/b'],
    },
    {
      name: 'not by labels and annotations',
      story: () => failed().story.pass(30_000).setImage('b', 'game:1', 'r2'),
      want: ['held games/b'],
    },
    {
      name: 'one may 4 s later, on facts of before',
      story: () => failed().story.pass(4_000).closeGate('b', 'r2'),
      want: [],
    },
    {
      name: 'what has begun is finished',
      story: () => {
        const { story, attempt } = asked(hooked(), 'a');
        story.closeGate('b', 'r2').finishHook('a', { type: TYPE, attempt, phase: 'Failed' });
        return story.pass(30_000).update('b', 'r2');
      },
      want: [],
    },
    { name: 'while it runs others are updated', story: () => goOn(asked(hooked(), 'a').story), want: [] },
    { name: 'a pod may be given up', story: () => failed().story.pass(30_000).delete('b'), want: [] },
    {
      name: 'a run that we ended has not failed',
      story: () => goOn(asked(hooked(), 'a', 'Terminated').story),
      want: [],
    },
    { name: 'the way back to stable is free', story: () => failed().story.pass(30_000).closeGate('a', 'r1'), want: [] },
    {
      name: 'a new template ends it',
      story: () =>
        failed()
          .story.writeStatus({ ...TOLD, updateRevision: 'r3' })
          .pass(30_000)
          .closeGate('b', 'r3'),
      want: [],
    },
    {
      name: 'and a way to the same revision that begins anew',
      story: () => {
        const story = failed()
          .story.evict('a')
          .writeStatus({ ...TOLD, updateRevision: 'r3' })
          .writeStatus(TOLD);
        return goOn(story);
      },
      want: [],
    },
    { name: 'it holds when its pod is gone', story: () => goOn(failed().story.evict('a')), want: ['held games/b'] },
    {
      name: 'until its HookRun is removed',
      story: () => {
        const { story, attempt } = failed();
        return goOn(story.evict('a').removeHook('a', { type: TYPE, attempt, phase: 'Failed' }, 'kubectl'));
      },
      want: [],
    },
    {
      name: '`retry: true` ends it there',
      story: () => {
        const spec = { replicas: 5, updateStrategy: STRATEGY, postInplaceUpdateStrategy: { ...HOOK, retry: true } };
        return goOn(failed().story.evict('a').writeSpec(spec));
      },
      want: [],
    },
    {
      name: 'what failed before the pod went back and came again is no more',
      story: () => {
        const { story } = failed();
        story.closeGate('a', 'r1').update('a', 'r1', 'game:1').report('a', true, 'a-3').setGate('a', 'True');
        updated(story.report('a', true, 'a-3').pass(10_000), 'a');
        return goOn(story);
      },
      want: [],
    },
    {
      name: 'a pod that is there must have been asked with success',
      story: () => {
        const { story } = failed();
        const attempt = story.versionOf('a');
        story.owe('a', attempt).askHook('a', { type: TYPE, attempt });
        return goOn(story).finishHook('a', { type: TYPE, attempt }).closeGate('c', 'r2');
      },
      want: ['held games/b'],
    },
  ]);
});

describe('what people say', () => {
  /** Said now, and heard a second later. */
  const word = (story: AuditStory, verb: string, pod?: string): SpokenWord => ({
    ...{ workload: 'games/lobby', verb, pod },
    fromMs: story.nowMs,
    toMs: story.nowMs + 1_000,
  });

  test.each<[sentence: string, verb: string, pod: string | undefined, isGone: boolean, want: string[]]>([
    ['skip lets it pass', 'skip', undefined, false, []],
    ['also for its pod alone', 'skip', 'a', false, []],
    ['not for another pod', 'skip', 'b', false, ['held games/b']],
    ['retry has it asked again first', 'retry', undefined, false, ['held games/b']],
    ['but where nobody is left to be asked', 'retry', undefined, true, []],
  ])('%s', (_sentence, verb, pod, isGone, want) => {
    const { story } = failed();
    if (isGone) story.evict('a');
    const words = [word(story, verb, pod)];
    expect(broken(goOn(story), { words })).toEqual(want);
  });

  test('a word of before is not about it, nor one that comes later', () => {
    const story = hooked();
    const early = word(story, 'skip');
    failed(story.pass(60_000));
    goOn(story);
    expect(broken(story, { words: [early, word(story.pass(1_000), 'skip')] })).toEqual(['held games/b']);
  });

  test('skip takes the debt off, and opens the gate before a move', () => {
    const { story } = failed(hooked({ preDeleteUpdateStrategy: { hook: { templateName: 'drain' } } }));
    story.mark('b', 1).finishHook('b', { type: 'pre-delete-step', phase: 'Failed' });
    const words = [word(story, 'skip')];
    story.owe('a', undefined).delete('b');
    expect(broken(story, { words })).not.toContain('owed games/a');
    expect(broken(story, { words })).not.toContain('gate games/b');
    expect(broken(story)).toEqual(expect.arrayContaining(['owed games/a', 'gate games/b']));
  });
});
