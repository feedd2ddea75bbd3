/** Judged by hand-written logs: GameStatefulSets, whose pods have places. */
import { describe, expect, test } from 'vitest';
import type { GameStatefulSet } from '../../crds/game-stateful-set.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import { AuditStory } from './audit-story.ts';
import { judge } from './checker.ts';
import { broken, table } from './judged-stories.ts';

type Spec = Partial<GameStatefulSet['spec']>;

const updating = (
  rollingUpdate: NonNullable<NonNullable<Spec['updateStrategy']>['rollingUpdate']>,
): Pick<Spec, 'updateStrategy'> => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });

/** Pods 0 to 4 of r1, ready and older than every grace; r1 is the stable revision. */
const five = (spec: Spec, ordinals = [0, 1, 2, 3, 4]): AuditStory =>
  new AuditStory('GameStatefulSet')
    .writeSpec({ replicas: 5, ...spec })
    .writeStatus({ updateRevision: 'r2', currentRevision: 'r1' })
    .createReady(ordinals.map((ordinal) => `lobby-${ordinal}`))
    .pass(60_000);

const recreate = (story: AuditStory, ordinal: number): AuditStory =>
  story.delete(`lobby-${ordinal}`).create(`lobby-${ordinal}`, { revision: 'r2' });

describe('budget', () => {
  const two = (spec: Spec) => five(spec).delete('lobby-4').delete('lobby-3');
  table([
    { name: 'absent is 25 %, which of five is two', story: () => two({}), want: [] },
    { name: 'a third is too many', story: () => two({}).delete('lobby-2'), want: ['budget games/lobby-2'] },
    {
      name: 'the field is that of the kind',
      story: () => two(updating({ maxUnavailable: 1 })),
      want: ['budget games/lobby-3'],
    },
    {
      name: '25 % beside a surge rounds up as well',
      story: () => two({ ...updating({ maxUnavailable: '25%', maxSurge: 1 }) }),
      want: [],
    },
  ]);
});

describe('surge', () => {
  const sixth = (spec: Spec) => five({ ...spec, ...updating({ maxSurge: 1 }) }).create('lobby-5');
  table([
    { name: 'with Parallel there may be one more', story: () => sixth({ podManagementPolicy: 'Parallel' }), want: [] },
    { name: 'with OrderedReady there may not', story: () => sixth({}), want: ['surge games/lobby-5'] },
  ]);
});

describe('partition', () => {
  const budget = { maxUnavailable: 5 };
  table([
    {
      name: 'places 3 and 4 may turn at partition 3',
      story: () => recreate(recreate(five(updating({ ...budget, partition: 3 })), 4), 3),
      want: [],
    },
    {
      name: 'place 2 may not, whatever the others are',
      story: () => recreate(five(updating({ ...budget, partition: 3 })), 2),
      want: ['partition games/lobby-2'],
    },
    {
      name: 'half of five keeps two places',
      story: () => recreate(recreate(five(updating({ ...budget, partition: '50%' })), 2), 1),
      want: ['partition games/lobby-1'],
    },
    {
      name: 'reserved ordinals have no place: of 0, 2, 3, 4 and 5 the last two turn',
      story: () => recreate(five({ reserveOrders: [1], ...updating({ ...budget, partition: 3 }) }, [0, 2, 3, 4, 5]), 4),
      want: [],
    },
    {
      name: 'and ordinal 3 has place 2',
      story: () => recreate(five({ reserveOrders: [1], ...updating({ ...budget, partition: 3 }) }, [0, 2, 3, 4, 5]), 3),
      want: ['partition games/lobby-3'],
    },
    {
      name: 'a pod that comes back at the stable revision is free',
      story: () =>
        five(updating({ partition: 5 }))
          .evict('lobby-0')
          .create('lobby-0'),
      want: [],
    },
  ]);
});

describe('partition of an ordered set that never had all of its pods', () => {
  /** 0 and 1 serve, 2 never did. */
  const begun = (spec: Spec, status: GameStatefulSet['status'] = {}): AuditStory =>
    new AuditStory('GameStatefulSet')
      .writeSpec({ replicas: 5, ...updating({ partition: 3, maxUnavailable: 5 }), ...spec })
      .writeStatus({ updateRevision: 'r2', currentRevision: 'r1', ...status })
      .createReady(['lobby-0', 'lobby-1'])
      .create('lobby-2')
      .pass(60_000);
  table([
    { name: 'a pod that never served is replaced by a new one', story: () => recreate(begun({}), 2), want: [] },
    { name: 'and changed', story: () => begun({}).setImage('lobby-2', 'game:2', 'r2'), want: [] },
    {
      name: 'so is one that others took',
      story: () => begun({}).evict('lobby-0').create('lobby-0', { revision: 'r2' }),
      want: [],
    },
    { name: 'one that served stays old', story: () => recreate(begun({}), 1), want: ['partition games/lobby-1'] },
    {
      name: 'and is not changed',
      story: () => begun({}).setImage('lobby-0', 'game:2', 'r2'),
      want: ['partition games/lobby-0'],
    },
    {
      name: 'the partition rules a set that had them all',
      story: () => recreate(begun({}, { createdInFull: true }), 2),
      want: ['partition games/lobby-2'],
    },
    {
      name: 'and one whose pods do not wait for each other',
      story: () => recreate(begun({ podManagementPolicy: 'Parallel' }), 2),
      want: ['partition games/lobby-2'],
    },
  ]);
});

describe('by hand: type OnDelete', () => {
  const ON_DELETE = { updateStrategy: { type: 'OnDelete' } } as const;
  const byHand = (): AuditStory =>
    five(ON_DELETE).change('lobby-4', 'kwok', ({ spec }) => {
      spec.nodeName = 'node-1';
    });
  table([
    {
      name: 'no pod of a replica is deleted by us',
      story: () => byHand().delete('lobby-4'),
      want: ['by-hand games/lobby-4'],
    },
    {
      name: 'none is changed',
      story: () => byHand().setImage('lobby-4', 'game:2', 'r2'),
      want: ['by-hand games/lobby-4'],
    },
    {
      name: 'others do what they want, and we make the pod again',
      story: () => byHand().delete('lobby-4', 'kubectl').create('lobby-4', { revision: 'r2' }),
      want: [],
    },
    {
      name: 'one too many goes',
      story: () =>
        byHand()
          .writeSpec({ replicas: 4, ...ON_DELETE })
          .delete('lobby-4'),
      want: [],
    },
    {
      name: 'one whose ordinal is reserved goes',
      story: () =>
        byHand()
          .writeSpec({ replicas: 5, reserveOrders: [4], ...ON_DELETE })
          .delete('lobby-4'),
      want: [],
    },
    {
      name: 'and one that waits for a claim that is gone',
      story: () => byHand().delete('lobby-0', 'kubectl').pass(6_000).create('lobby-0').pass(20_000).delete('lobby-0'),
      want: [],
    },
    {
      name: 'and where the type was another one a moment ago',
      story: () =>
        five({})
          .writeSpec({ replicas: 5, updateStrategy: { type: 'OnDelete' } })
          .delete('lobby-4'),
      want: [],
    },
  ]);
});

describe('force', () => {
  const allowed = (pod: Pod) => {
    pod.spec.nodeName = 'node-1';
    pod.metadata.annotations = { 'pod.gamestatefulset.bkbcs.tencent.com/node-lost-force-delete': 'true' };
  };
  const going = (story: AuditStory, ms: number) => story.delete('lobby-4', 'kubectl').pass(ms);
  table([
    {
      name: 'with the annotation, 10 s after its time, a pod may be given up',
      story: () => going(five({}).change('lobby-4', 'kubectl', allowed), 10_000).forceDelete('lobby-4'),
      want: [],
    },
    {
      name: 'not sooner',
      story: () => going(five({}).change('lobby-4', 'kubectl', allowed), 9_000).forceDelete('lobby-4'),
      want: ['force games/lobby-4'],
    },
    {
      name: 'not on a node that is Ready',
      story: () =>
        going(five({}).reportNode('node-1', true).change('lobby-4', 'kubectl', allowed), 10_000).forceDelete('lobby-4'),
      want: ['force games/lobby-4'],
    },
    {
      name: 'on a node that was Ready and is not',
      story: () =>
        going(five({}).reportNode('node-1', true).change('lobby-4', 'kubectl', allowed), 10_000)
          .reportNode('node-1', false)
          .forceDelete('lobby-4'),
      want: [],
    },
    {
      name: 'not before anybody asked it to go',
      story: () => five({}).change('lobby-4', 'kubectl', allowed).forceDelete('lobby-4'),
      want: ['force games/lobby-4'],
    },
    {
      name: 'not without the annotation',
      story: () => going(five({}), 60_000).forceDelete('lobby-4'),
      want: ['force games/lobby-4'],
    },
  ]);
});

test('both kinds under one name are judged apart', () => {
  const set = recreate(five(updating({ maxUnavailable: 5, partition: 3 })), 4);
  expect(broken(set)).toEqual([]);
  expect(judge(set.events).judged).toEqual({ spending: 1, creates: 6, turns: 6, known: 0, questions: 0 });
});
