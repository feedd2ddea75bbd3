/** Judged by hand-written logs: as many pods stay old as the partition in force says. */
import { describe, expect, test } from 'vitest';
import type { StepLogEntry } from '../../core/rollout/types.ts';
import { AuditStory } from './audit-story.ts';
import { judge } from './checker.ts';
import { broken, canary, FIVE, five, STEPS, table, turn } from './judged-stories.ts';
import { type EndedRollout, partitionIn } from './rollout-log.ts';

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

describe('partition: what the result of a rollout tells of its steps', () => {
  const STARTED = Date.parse('2026-11-30T06:00:00Z');
  const at = (seconds: number) => STARTED + seconds * 1000;
  const entry = (step: number, what: string, from: number, to: number, outcome: StepLogEntry['outcome'] = 'done') => ({
    ...{ step, what, outcome },
    startedAt: new Date(at(from)).toISOString(),
    endedAt: new Date(at(to)).toISOString(),
  });
  const rollout = (...steps: StepLogEntry[]): EndedRollout => {
    const ended = { startedAt: new Date(STARTED).toISOString(), endedAt: new Date(at(100)).toISOString() };
    const result = { outcome: 'Completed' as const, number: 2, fromRevision: 'r1', toRevision: 'r2', ...ended, steps };
    return { workload: 'games/lobby', result };
  };
  const walked = rollout(
    entry(0, 'partition 3', 0, 10),
    entry(1, 'pause until resumed', 10, 30, 'resumed'),
    entry(2, 'partition 25%', 30, 40),
    entry(3, 'hook test', 40, 60),
    entry(4, 'all pods', 60, 100),
  );
  const partition = (seconds: number, changes: object = {}, of = walked) =>
    partitionIn([of], { workload: 'games/lobby', revision: 'r2', atMs: at(seconds), ...changes });

  test.each([
    ['at its first step', 5, 3],
    ['in the pause behind it', 29, 3],
    ['at the next step', 30, '25%'],
    ['while a hook of a step is asked', 59, '25%'],
    ['behind the last step', 60, 0],
    ['before it began', -1, undefined],
    ['when it is over', 101, undefined],
  ])('%s', (_sentence, seconds, want) => expect(partition(seconds)).toBe(want));

  test('of another revision or workload it says nothing', () => {
    expect(partition(5, { revision: 'r3' })).toBeUndefined();
    expect(partition(5, { workload: 'games/other' })).toBeUndefined();
  });

  test('when somebody lets all pods pass, and where the spec says it', () => {
    const promoted = rollout(entry(0, 'partition 3', 0, 10, 'promoted'));
    expect([partition(9, {}, promoted), partition(10, {}, promoted)]).toEqual([3, 0]);
    expect(partition(5, {}, rollout(entry(0, 'all pods that the spec allows', 0, 10)))).toBeUndefined();
  });

  test('a fifth pod that turns while the hook of the last step is asked is accused, however late the status may be', () => {
    const told = { updateRevision: 'r2', currentRevision: 'r1' };
    const story = turn(canary(3), FIVE)
      .pass(1_000)
      .writeStatus({ ...told, currentStepIndex: 4 });
    const turnedAt = judge(story.events, { statusLagMs: 0 }).violations[0]!.atMs;
    const late = { statusLagMs: 300_000 };
    expect(broken(story, late)).toEqual([]);
    const partitionOf = ({ atMs, ...of }: { workload: string; revision: string; atMs: number }) =>
      partitionIn([walked], { ...of, atMs: atMs - turnedAt + at(59) });
    expect(broken(story, { ...late, partitionOf })).toEqual(['partition games/e']);
  });
});

describe('partition: creates in the place of old pods', () => {
  const twoRecreated = () =>
    canary(0).delete('a').create('f', { revision: 'r2' }).delete('b').create('g', { revision: 'r2' });
  table([
    {
      name: 'two of five may be recreated new',
      story: twoRecreated,
      want: [],
    },
    {
      name: 'a third may not',
      story: () => twoRecreated().delete('c').create('h', { revision: 'r2' }),
      want: ['partition games/h'],
    },
    {
      name: 'a lost new pod comes back new although an old one is lost too',
      story: () => twoRecreated().evict('c').evict('g').pass(6_000).create('h', { revision: 'r2' }),
      want: [],
    },
    {
      name: 'the first creation has no old pods',
      story: () => new AuditStory().writeSpec({ replicas: 2, updateStrategy: STEPS }).createReady(['a', 'b']),
      want: [],
    },
  ]);
});
