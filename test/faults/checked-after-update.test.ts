/** Judged by hand-written logs: what a pod owes after an update in place (decision 37, docs/adr/0016), and what steps wait for. */
import { describe, expect, test } from 'vitest';
import type { AuditStory } from './audit-story.ts';
import { judge } from './checker.ts';
import { asked, failed, hooked, STRATEGY, TOLD, AFTER_UPDATE as TYPE, updated } from './hooked-stories.ts';
import { five, table } from './judged-stories.ts';

describe('owed: a pod that is given new images owes its hook', () => {
  table([
    {
      name: 'in the write that brings them, at the version it is written on',
      story: () => updated(hooked(), 'a').story,
      want: [],
    },
    {
      name: 'without it the debt would be lost',
      story: () => hooked().closeGate('a', 'r2').setImage('a', 'game:2', 'r2'),
      want: ['owed games/a'],
    },
    {
      name: 'that of an earlier update is another one',
      story: () => {
        const story = updated(hooked(), 'a').story.closeGate('a', 'r3');
        return story.change('a', 'holdfast/test', (pod) => {
          pod.spec.containers[0]!.image = 'game:3';
          pod.metadata.labels = { 'controller-revision-hash': 'r3' };
        });
      },
      want: ['owed games/a'],
    },
    { name: 'none without a hook', story: () => five().closeGate('a', 'r2').setImage('a', 'game:2', 'r2'), want: [] },
    {
      name: 'none by a hot patch',
      story: () =>
        hooked({ updateStrategy: { type: 'HotPatchUpdate', maxUnavailable: 5 } }).setImage('a', 'game:2', 'r2'),
      want: [],
    },
    {
      name: 'none by labels and annotations',
      story: () => hooked().setImage('a', 'game:1', 'r2'),
      want: [],
    },
  ]);
});

describe('owed: the debt goes', () => {
  const off = (phase?: string) => asked(hooked(), 'a', phase).story.owe('a', undefined);
  table([
    { name: 'with a success', story: () => off('Successful'), want: [] },
    { name: 'not while the hook runs', story: () => off(), want: ['owed games/a'] },
    { name: 'not with a failure', story: () => off('Failed'), want: ['owed games/a'] },
    {
      name: 'not without a question',
      story: () => updated(hooked(), 'a').story.owe('a', undefined),
      want: ['owed games/a'],
    },
    {
      name: "not with another pod's success, nor another attempt's",
      story: () => {
        const { story, attempt } = updated(hooked(), 'a');
        story.finishHook('b', { type: TYPE, attempt }).finishHook('a', { type: TYPE, attempt: '1' });
        return story.owe('a', undefined);
      },
      want: ['owed games/a'],
    },
    {
      name: 'with another update',
      story: () => asked(hooked(), 'a', 'Failed').story.closeGate('a', 'r1').update('a', 'r1', 'game:1'),
      want: [],
    },
    {
      name: 'with the hook itself',
      story: () =>
        updated(hooked().writeSpec({ replicas: 5, updateStrategy: STRATEGY }), 'a').story.owe('a', undefined),
      want: [],
    },
    {
      name: 'a failure is retried as another attempt',
      story: () => {
        const { story } = failed();
        return story.owe('a', story.versionOf('a'));
      },
      want: [],
    },
    {
      name: 'a question that is open is not',
      story: () => {
        const { story } = asked(hooked(), 'a');
        return story.owe('a', story.versionOf('a'));
      },
      want: ['owed games/a'],
    },
  ]);
});

describe('asked', () => {
  table([
    {
      name: 'when its containers have restarted',
      story: () => {
        const story = hooked().closeGate('a', 'r2');
        const attempt = story.versionOf('a');
        return story.update('a', 'r2').askHook('a', { type: TYPE, attempt });
      },
      want: [`asked games/${TYPE}-a-1013`],
    },
    {
      name: 'when its gate is open',
      story: () => {
        const story = hooked().closeGate('a', 'r2');
        const attempt = story.versionOf('a');
        return story.update('a', 'r2').report('a', true, 'a-2').askHook('a', { type: TYPE, attempt });
      },
      want: [`asked games/${TYPE}-a-1013`],
    },
    {
      name: 'once: a success is not asked for again',
      story: () => {
        const { story, attempt } = asked(hooked(), 'a', 'Successful');
        return story.removeHook('a', { type: TYPE, attempt }).askHook('a', { type: TYPE, attempt });
      },
      want: [`asked games/${TYPE}-a-1013`],
    },
    {
      name: 'but by who takes the run away before it was used',
      story: () => {
        const { story, attempt } = asked(hooked(), 'a', 'Successful');
        return story.removeHook('a', { type: TYPE, attempt }, 'kubectl').askHook('a', { type: TYPE, attempt });
      },
      want: [],
    },
  ]);
});

describe('told: a step is passed when the hooks of its pods have succeeded', () => {
  const next = (story: AuditStory, status: object = { currentStepIndex: 3 }) =>
    story.pass(11_000).writeStatus({ ...TOLD, ...status });
  table([
    { name: 'they have', story: () => next(asked(hooked(), 'a', 'Successful').story.owe('a', undefined)), want: [] },
    { name: 'one runs', story: () => next(asked(hooked(), 'a').story), want: ['told games/lobby'] },
    { name: 'one has failed', story: () => next(failed().story), want: ['told games/lobby'] },
    {
      name: 'one has failed, and its pod is gone',
      story: () => next(failed().story.evict('a')),
      want: ['told games/lobby'],
    },
    {
      name: 'nor is the rollout at its end',
      story: () => next(failed().story, { currentRevision: 'r2' }),
      want: ['told games/lobby'],
    },
    { name: 'the same step is no other', story: () => next(failed().story, { currentStepIndex: 2 }), want: [] },
    {
      name: 'another rollout begins where it likes',
      story: () => next(failed().story, { updateRevision: 'r3', currentStepIndex: 3 }),
      want: [],
    },
    {
      name: 'pods of the next step, whose status is late, owe theirs',
      story: () =>
        asked(hooked(), 'a')
          .story.pass(9_000)
          .writeStatus({ ...TOLD, currentStepIndex: 3 }),
      want: [],
    },
  ]);
});

test('the verdict says how many questions were judged', () => {
  expect(judge(asked(hooked(), 'a').story.events).judged.questions).toBe(1);
});
