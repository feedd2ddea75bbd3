/** Judged by hand-written logs: as many pods stay old as the partition in force says. */
import { describe, expect, test } from 'vitest';
import { AuditStory } from './audit-story.ts';
import { broken, canary, FIVE, five, STEPS, table, turn } from './judged-stories.ts';

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
