import { describe, expect, test } from 'vitest';
import { AuditStory } from './audit-story.ts';
import { assertKept, type JudgeOptions, judge } from './checker.ts';

const FIVE = ['a', 'b', 'c', 'd', 'e'] as const;

/** Five ready pods of revision r1 under the given strategy, older than every grace. */
function five(spec: Parameters<AuditStory['writeSpec']>[0] = {}): AuditStory {
  const story = new AuditStory().writeSpec({ replicas: 5, updateStrategy: { maxUnavailable: 1 }, ...spec });
  return story.createReady(FIVE).pass(60_000);
}

function broken(story: AuditStory, options?: JudgeOptions): string[] {
  return judge(story.events, options).violations.map(({ promise, pod }) => `${promise} ${pod}`);
}

interface Row {
  name: string;
  story: () => AuditStory;
  want: string[];
}

function table(rows: readonly Row[]): void {
  test.each(rows)('$name', ({ story, want }) => {
    expect(broken(story())).toEqual(want);
  });
}

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
      story: () =>
        five({ updateStrategy: { maxUnavailable: 2 } })
          .delete('a')
          .writeSpec({ replicas: 5, updateStrategy: { maxUnavailable: 1 } })
          .pass(4_000)
          .delete('b'),
      want: [],
    },
    {
      name: 'a budget cut 6 s ago does',
      story: () =>
        five({ updateStrategy: { maxUnavailable: 2 } })
          .delete('a')
          .writeSpec({ replicas: 5, updateStrategy: { maxUnavailable: 1 } })
          .pass(6_000)
          .delete('b'),
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

const STEPS = {
  canary: { steps: [{ partition: 3 }, { pause: {} }, { partition: '25%' }, { pause: { duration: 5 } }] },
};

/** Five pods of r1, the stable revision, and a rollout to r2 at a step. */
function canary(stepIndex: number): AuditStory {
  const strategy = { type: 'InplaceUpdate' as const, maxUnavailable: 5, ...STEPS };
  const told = { updateRevision: 'r2', currentRevision: 'r1', currentStepIndex: stepIndex };
  return five({ updateStrategy: strategy }).writeStatus(told).pass(60_000);
}

function turn(story: AuditStory, names: readonly string[], revision = 'r2'): AuditStory {
  for (const name of names) story.setGate(name, 'False').setImage(name, 'game:2', revision);
  return story;
}

describe('partition: writes that turn an old pod new', () => {
  table([
    { name: 'two of five at partition 3', story: () => turn(canary(0), ['a', 'b']), want: [] },
    { name: 'a third is too many', story: () => turn(canary(0), ['a', 'b', 'c']), want: ['partition games/c'] },
    {
      name: 'a pause keeps the partition before it',
      story: () => turn(canary(1), ['a', 'b', 'c']),
      want: ['partition games/c'],
    },
    { name: '25 % of five rounds down to 1', story: () => turn(canary(2), ['a', 'b', 'c', 'd']), want: [] },
    { name: 'and no further', story: () => turn(canary(3), FIVE), want: ['partition games/e'] },
    { name: 'past the last step all may turn', story: () => turn(canary(4), FIVE), want: [] },
    {
      name: 'no step with a partition yet: nothing may turn',
      story: () => {
        const updateStrategy = { maxUnavailable: 5, canary: { steps: [{ pause: {} }] } };
        return turn(five({ updateStrategy }).writeStatus({ updateRevision: 'r2', currentRevision: 'r1' }), ['a']);
      },
      want: ['partition games/a'],
    },
    {
      name: 'without steps the spec rules',
      story: () => turn(five({ updateStrategy: { maxUnavailable: 5, partition: 4 } }), ['a', 'b']),
      want: ['partition games/b'],
    },
    {
      name: 'the status may show the step up to 10 s late',
      story: () =>
        turn(turn(canary(1), ['a', 'b']), ['c'])
          .pass(3_000)
          .writeStatus({ updateRevision: 'r2', currentRevision: 'r1', currentStepIndex: 2 }),
      want: [],
    },
    {
      name: 'an index of another revision does not count',
      story: () =>
        canary(4)
          .setGate('a', 'False')
          .setImage('a', 'game:3', 'r3')
          .pass(1)
          .setGate('b', 'False')
          .setImage('b', 'game:3', 'r3')
          .setGate('c', 'False')
          .setImage('c', 'game:3', 'r3'),
      want: ['partition games/c'],
    },
    {
      name: 'back to the stable revision is free',
      story: () => turn(turn(canary(0), ['a', 'b']), ['a', 'b'], 'r1'),
      want: [],
    },
    {
      name: 'an old pod evicted 4 s ago still counts as old',
      story: () => turn(turn(canary(0), ['a']).evict('e').pass(4_000), ['b']),
      want: [],
    },
    {
      name: 'one evicted 6 s ago does not',
      story: () => turn(turn(canary(0), ['a']).evict('e').pass(6_000), ['b']),
      want: ['partition games/b'],
    },
  ]);

  test('what the test knows of the partition wins over the status', () => {
    const story = turn(canary(4), ['a', 'b']);
    expect(broken(story, { partitionOf: () => 4 })).toEqual(['partition games/b']);
    expect(broken(story, { partitionOf: () => undefined })).toEqual([]);
  });
});

describe('partition: creates in the place of old pods', () => {
  table([
    {
      name: 'two of five may be recreated new',
      story: () => canary(0).delete('a').create('f', { revision: 'r2' }).delete('b').create('g', { revision: 'r2' }),
      want: [],
    },
    {
      name: 'a third may not',
      story: () => {
        const two = canary(0).delete('a').create('f', { revision: 'r2' }).delete('b').create('g', { revision: 'r2' });
        return two.delete('c').create('h', { revision: 'r2' });
      },
      want: ['partition games/h'],
    },
    {
      name: 'a lost new pod comes back new although an old one is lost too',
      story: () => {
        const two = canary(0).delete('a').create('f', { revision: 'r2' }).delete('b').create('g', { revision: 'r2' });
        return two.evict('c').evict('g').pass(6_000).create('h', { revision: 'r2' });
      },
      want: [],
    },
    {
      name: 'the first creation has no old pods',
      story: () => new AuditStory().writeSpec({ replicas: 2, updateStrategy: STEPS }).createReady(['a', 'b']),
      want: [],
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

describe('the verdict', () => {
  test('says how much was judged', () => {
    const { judged } = judge(turn(canary(0), ['a', 'b']).delete('c').create('f').events);
    expect(judged).toEqual({ spending: 3, creates: 6, turns: 8 });
  });

  test('is a readable sentence with time, pod and numbers', () => {
    const { violations } = judge(five().delete('a').delete('b').events);
    expect(violations[0]?.sentence).toBe(
      '12:01:00.130 budget: delete pods games/b at resourceVersion 1013 for games/lobby: ' +
        'of 4 available pods 3 would be left, and 5 replicas − 1 maxUnavailable = 4',
    );
    expect(() => assertKept({ violations, judged: { spending: 2, creates: 0, turns: 0 } })).toThrow('games/b');
  });

  test('does not clear what it cannot see', () => {
    const story = five().delete('a');
    const [workload, ...pods] = story.events;
    expect(broken(Object.assign(new AuditStory(), { events: pods }))[0]).toBe('incomplete games/a');
    const beginning = { events: [workload, story.events.at(-1)] };
    expect(broken(Object.assign(new AuditStory(), beginning))).toEqual(['incomplete games/a']);
  });
});
