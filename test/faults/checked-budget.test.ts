/** Judged by hand-written logs: no write leaves fewer available pods than the spec promises. */
import { describe } from 'vitest';
import { AuditStory } from './audit-story.ts';
import { five, table } from './judged-stories.ts';

describe('budget: spending writes', () => {
  table([
    { name: 'one of five may go', story: () => five().delete('a'), want: [] },
    {
      name: 'a write of metadata alone takes nothing from what is known of a pod',
      story: () => five().delete('a').touchMetadata('b', 'kube-controller-manager').delete('b'),
      want: ['budget games/b'],
    },
    { name: 'a second one may not', story: () => five().delete('a').delete('b'), want: ['budget games/b'] },
    { name: 'closing a gate spends', story: () => five().delete('a').setGate('b', 'False'), want: ['budget games/b'] },
    {
      name: 'opening a gate spends nothing, and gives nothing back before Ready',
      story: () => {
        const story = five().setGate('a', 'False').report('a', false).setGate('a', 'True');
        return story.delete('b').report('a', true).pass(10).setGate('c', 'False');
      },
      want: ['budget games/b', 'budget games/c'],
    },
    {
      name: 'an image changed behind a closed gate spends nothing more',
      story: () => five().setGate('a', 'False').setImage('a', 'game:2', 'r1'),
      want: [],
    },
    {
      name: 'an image changed behind an open gate spends until the container has restarted',
      story: () => five().setImage('a', 'game:2', 'r1').pass(9_000).delete('b'),
      want: ['budget games/b'],
    },
    {
      name: 'the restarted container counts again',
      story: () => five().setImage('a', 'game:2', 'r1').report('a', true, 'a-2').delete('b'),
      want: [],
    },
    {
      name: 'an image that the container runs already brings no restart',
      story: () => {
        const named = five().change('a', 'kubelet', (pod) => {
          pod.status!.containerStatuses![0]!.image = 'game:2';
        });
        return named.setImage('a', 'game:2', 'r1').delete('b');
      },
      want: [],
    },
    {
      name: 'a gate opened before the restart gives nothing back',
      story: () => {
        const early = five().setGate('a', 'False').setImage('a', 'game:2', 'r1').setGate('a', 'True');
        return early.delete('b').report('a', true, 'a-2').report('b', false);
      },
      want: ['budget games/b'],
    },
    {
      name: 'an unavailable pod may always go',
      story: () => five().delete('a').report('b', false, 'b-1').pass(6_000).delete('b'),
      want: [],
    },
    {
      name: 'deleting a terminating pod again spends nothing',
      story: () => five().delete('a').delete('a'),
      want: [],
    },
    {
      name: 'deletes by others are not judged',
      story: () => five().delete('a', 'kubectl/v1').delete('b', 'x'),
      want: [],
    },
    {
      name: 'a refused write is no write',
      story: () => {
        const story = five().delete('a').delete('b');
        story.events.at(-1)!.responseStatus = { code: 409 };
        return story;
      },
      want: [],
    },
    {
      name: 'the order is that of resourceVersions, not of the log',
      story: () => {
        const story = five()
          .setGate('a', 'False')
          .report('a', false)
          .setGate('a', 'True')
          .report('a', true)
          .delete('b');
        story.events.reverse();
        return story;
      },
      want: [],
    },
  ]);
});

describe('budget: what others did counts from 5 s after', () => {
  const lateBy = (ms: number, loss: (story: AuditStory) => AuditStory) => loss(five()).pass(ms).delete('b');
  const budgetCut = (agoMs: number) => {
    const story = five({ updateStrategy: { maxUnavailable: 2 } }).delete('a');
    return story
      .writeSpec({ replicas: 5, updateStrategy: { maxUnavailable: 1 } })
      .pass(agoMs)
      .delete('b');
  };
  table([
    { name: 'an eviction 4 s ago does not count', story: () => lateBy(4_000, (s) => s.evict('a')), want: [] },
    { name: 'an eviction 6 s ago does', story: () => lateBy(6_000, (s) => s.evict('a')), want: ['budget games/b'] },
    { name: 'a crash 4 s ago does not', story: () => lateBy(4_000, (s) => s.report('a', false)), want: [] },
    { name: 'a crash 6 s ago does', story: () => lateBy(6_000, (s) => s.report('a', false)), want: ['budget games/b'] },
    {
      name: 'readiness that follows from our own gate gives no grace',
      story: () => five().setGate('a', 'False').report('a', false).pass(1_000).delete('b'),
      want: ['budget games/b'],
    },
    {
      name: 'a lost pod that we then delete counts at once: we knew',
      story: () => five().report('a', false).delete('a').pass(1_000).delete('b'),
      want: ['budget games/b'],
    },
    {
      name: 'a budget cut 4 s ago does not count',
      story: () => budgetCut(4_000),
      want: [],
    },
    {
      name: 'a budget cut 6 s ago does',
      story: () => budgetCut(6_000),
      want: ['budget games/b'],
    },
    {
      name: 'a smaller replicas counts at once',
      story: () =>
        five()
          .writeSpec({ replicas: 3, updateStrategy: { maxUnavailable: 1 } })
          .delete('a')
          .delete('b')
          .delete('c'),
      want: [],
    },
  ]);
});

describe('budget: minReadySeconds', () => {
  const young = (ageMs: number) => {
    const story = new AuditStory().writeSpec({
      replicas: 2,
      minReadySeconds: 20,
      updateStrategy: { maxUnavailable: 1 },
    });
    return story.createReady(['a']).pass(60_000).createReady(['b']).pass(ageMs);
  };
  table([
    {
      name: 'a pod ready for too short is not available',
      story: () => young(5_000).delete('a'),
      want: ['budget games/a'],
    },
    { name: 'one ready for long enough is', story: () => young(21_000).delete('a'), want: [] },
    {
      name: 'a pod that became available by the clock 2 s ago may still be taken as unavailable',
      story: () => young(5_000).report('a', false).pass(17_000).delete('b'),
      want: [],
    },
    {
      name: 'one that became so 7 s ago may not',
      story: () => young(5_000).report('a', false).pass(22_000).delete('b'),
      want: ['budget games/b'],
    },
  ]);
});

describe('rounding (decisions 1, 19, 20)', () => {
  const spendThree = (updateStrategy: object | undefined, replicas = 5) =>
    five({ replicas, updateStrategy: updateStrategy as never })
      .delete('a')
      .delete('b')
      .delete('c');
  table([
    { name: 'absent: 25 % up, because surge is 0', story: () => spendThree(undefined), want: ['budget games/c'] },
    {
      name: 'down with surge',
      story: () => spendThree({ maxUnavailable: '50%', maxSurge: 1 }),
      want: ['budget games/c'],
    },
    { name: 'up without', story: () => spendThree({ maxUnavailable: '50%', maxSurge: 0 }), want: [] },
    {
      name: 'both zero: one may go',
      story: () => five({ updateStrategy: { maxUnavailable: '0%' } }).delete('a'),
      want: [],
    },
  ]);
});
