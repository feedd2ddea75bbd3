/** GameStatefulSets: order, places, claims and nodes. */
import { DRAIN } from './hook-desk.ts';
import {
  adopt,
  allowForce,
  blocked,
  calm,
  completed,
  edit,
  evict,
  findNode,
  kubectlDelete,
  loseNode,
  pods,
  release,
  retryGates,
  rolledBack,
  rollingUpdate,
  scale,
  strategy,
  template,
  wait,
} from './script.ts';
import { type Story, set } from './story.ts';

const PARALLEL = { podManagementPolicy: 'Parallel' } as const;
const IN_PLACE = { type: 'InplaceUpdate' } as const;

const UPDATES: Story[] = [
  set({
    name: 'gsts-ordered',
    title: 'OrderedReady: recreated from the highest ordinal down, each waits for the one before',
    spec: { replicas: 3 },
    play: [template('r2'), completed],
  }),
  set({
    name: 'gsts-ordered-alone',
    title: 'OrderedReady changes one pod at a time, whatever the budget is',
    spec: { replicas: 3, updateStrategy: { ...IN_PLACE, rollingUpdate: { maxUnavailable: '100%' } } },
    play: [template('r2'), completed],
  }),
  set({
    name: 'gsts-parallel',
    title: 'Row 64: Parallel updates as many at a time as the budget allows',
    spec: { ...PARALLEL, replicas: 5, updateStrategy: { rollingUpdate: { partition: 3, maxUnavailable: '25%' } } },
    play: [template('r2'), calm, rollingUpdate('partition 0', { partition: 0 }), completed],
  }),
  set({
    name: 'gsts-surge',
    title: 'Rows 71 and 70, peers 82: surge funds the update, extra ordinals go when it is over',
    spec: { ...PARALLEL, replicas: 3, updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    play: [template('r2'), completed],
  }),
  set({
    name: 'gsts-in-place',
    title: 'Peers 39, report 49: in place and in order: name, node and claims stay',
    spec: { replicas: 3, updateStrategy: IN_PLACE },
    play: [template('r2'), completed],
  }),
  set({
    name: 'gsts-in-place-parallel',
    title: 'In place and at once under the budget',
    spec: { ...PARALLEL, replicas: 4, updateStrategy: { ...IN_PLACE, rollingUpdate: { maxUnavailable: 2 } } },
    play: [template('r2'), completed],
  }),
  set({
    name: 'gsts-on-delete',
    title: 'Peers 38: OnDelete changes pods only when somebody deletes them',
    spec: { replicas: 3, updateStrategy: { type: 'OnDelete' } },
    isUndisturbed: true,
    play: [template('r2'), blocked('WaitsForDeletion'), kubectlDelete(1), calm],
  }),
  set({
    name: 'gsts-hot-patch',
    title: 'HotPatchUpdate in order, one pod after the other by its evidence',
    spec: { replicas: 3, updateStrategy: { type: 'HotPatchUpdate' } },
    play: [template('r2'), completed],
  }),
  set({
    name: 'gsts-partition',
    title: 'Peers 37 and 48: each ordinal comes back at the revision of its place',
    spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
    play: [
      template('r2'),
      calm,
      kubectlDelete(0),
      calm,
      kubectlDelete(2),
      calm,
      rollingUpdate('partition 0', { partition: 0 }),
      completed,
    ],
  }),
];

const ROLLED_BACK: Story[] = [
  set({
    name: 'gsts-partition-rollback',
    title: 'Peers 56: under a partition rolled back and given a third template: each time the pod beyond it follows',
    spec: { replicas: 3, updateStrategy: { ...IN_PLACE, rollingUpdate: { partition: 2 } } },
    play: [
      template('r2'),
      calm,
      template('r1'),
      rolledBack,
      template('r5'),
      calm,
      rollingUpdate('partition 0', { partition: 0 }),
      completed,
    ],
  }),
];

const TROUBLE: Story[] = [
  set({
    name: 'gsts-broken-template',
    title:
      'Kubernetes 67250, report 30: a set that is stuck on a broken template goes on by itself when a good one comes',
    spec: { replicas: 3 },
    play: [template('r3'), wait(30), template('r2'), completed],
  }),
  set({
    name: 'gsts-first-creation-mended',
    title:
      'A first creation in order is stuck: the next template mends it under any partition, and pods that serve stay old',
    spec: { replicas: 4, updateStrategy: { rollingUpdate: { partition: 3 } } },
    pods: 0,
    isUndisturbed: true,
    play: [
      pods(2, 'r1'),
      template('r3'),
      pods(1, 'r3'),
      wait(15),
      template('r2'),
      calm,
      rollingUpdate('partition 0', { partition: 0 }),
      completed,
    ],
  }),
  set({
    name: 'gsts-all-broken',
    title: 'Peers 47: all pods are broken by one template, the next one heals them all at once',
    spec: { ...PARALLEL, replicas: 3, updateStrategy: { rollingUpdate: { maxUnavailable: '100%' } } },
    isUndisturbed: true,
    play: [template('r3'), pods(3, 'r3'), wait(20), template('r2'), completed],
  }),
  set({
    name: 'gsts-rollback',
    title: 'Peers 36: a rollback in the middle of a rollout, in order',
    spec: { replicas: 3, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] as never },
    play: [template('r2'), pods(2, 'r2'), template('r1'), rolledBack],
  }),
  set({
    name: 'gsts-evicted',
    title: 'Row 73, peers 34, report 47: a Failed pod is deleted and made again under its name, the lowest first',
    spec: { replicas: 3 },
    play: [evict(0), evict(2), calm],
  }),
  set({
    name: 'gsts-lost-node',
    title: 'Row 76, report 35: a pod that is deleted on a lost node keeps its name until the user gives it up',
    spec: { replicas: 2 },
    isUndisturbed: true,
    play: [loseNode('n2'), kubectlDelete(1), wait(10), allowForce(1), calm],
  }),
  set({
    name: 'gsts-gone-node',
    title: 'The Node object is gone: the same as one that is lost',
    spec: { replicas: 2 },
    isUndisturbed: true,
    play: [allowForce(1), loseNode('n2', true), kubectlDelete(1), calm, findNode('n2'), calm],
  }),
  set({
    name: 'gsts-gate-retried',
    title: 'Report 10: a gate that fails stops the update in order, until somebody asks it again',
    spec: { replicas: 2, preDeleteUpdateStrategy: DRAIN },
    gate: (run) => (run === 1 ? 'Failed' : 'Successful'),
    isUndisturbed: true,
    play: [template('r2'), blocked('GateFailed'), wait(10), retryGates, completed],
  }),
  set({
    name: 'gsts-orphaned-pods',
    title:
      'Peers 33: adopted pods without a place go, one with a foreign name is left alone; a released one is made again',
    spec: { replicas: 2 },
    isUndisturbed: true,
    play: [adopt('lobby-5'), calm, release(1), calm],
  }),
];

const SCALE: Story[] = [
  set({
    name: 'gsts-scale-ordered',
    title: 'Row 77 and peers 42: up from the lowest, down from the highest, and no further while one is not in service',
    spec: { replicas: 2 },
    isUndisturbed: true,
    play: [scale(4), calm, loseNode('n2'), scale(2), wait(15), findNode('n2'), calm],
  }),
  set({
    name: 'gsts-claims',
    title: 'Peers 17: claims are made before their pod, kept when it goes, and found by the next one',
    spec: { replicas: 1, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] as never },
    isUndisturbed: true,
    play: [scale(3), calm, scale(1), calm, scale(2), calm],
  }),
  set({
    name: 'gsts-gate-scale-in',
    title: 'Report 19: scale-in asks the hook of the highest ordinal; a scale-out takes the choice back',
    spec: { replicas: 3, preDeleteUpdateStrategy: DRAIN },
    isUndisturbed: true,
    play: [scale(1), wait(2), scale(3), calm, scale(1), calm],
  }),
  set({
    name: 'gsts-scale-parallel',
    title: 'Parallel scales at once, whatever state the others are in',
    spec: { ...PARALLEL, replicas: 1 },
    play: [scale(4), calm, scale(1), calm],
  }),
  set({
    name: 'gsts-scale-in-rollout',
    title: 'Replicas change in the middle of a rollout',
    spec: { ...PARALLEL, replicas: 3, updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } },
    play: [template('r2'), pods(1, 'r2'), scale(5), pods(3, 'r2'), scale(2), completed],
  }),
  set({
    name: 'gsts-create-batch',
    title: 'createBatch: the first creation of a Parallel set goes batch by batch',
    spec: { ...PARALLEL, replicas: 5, scaleStrategy: { createBatch: 2 } },
    pods: 0,
    play: [calm],
  }),
  set({
    name: 'gsts-reserve-orders',
    title: 'Report 31: reserved ordinals are never used: replicas are reached above them',
    spec: { replicas: 3 },
    play: [
      edit('reserveOrders [1]', () => ({ reserveOrders: [1] })),
      calm,
      scale(2),
      calm,
      edit('reserveOrders []', () => ({ reserveOrders: [] })),
      calm,
    ],
  }),
  set({
    name: 'gsts-paused-by-user',
    title: 'paused stops updates of a set, not its scaling',
    spec: { replicas: 2, updateStrategy: { paused: true } },
    play: [template('r2'), wait(5), scale(3), calm, strategy('paused false', { paused: false }), completed],
  }),
];

export const STATEFUL_SETS: Story[] = [...UPDATES, ...ROLLED_BACK, ...TROUBLE, ...SCALE];
