/** GameDeployments: how pods move to another revision, and what happens to them meanwhile. */
import { DRAIN } from './hook-desk.ts';
import {
  admitCreates,
  adopt,
  blocked,
  calm,
  collectPods,
  completed,
  evict,
  findNode,
  kubectlDelete,
  loseNode,
  pods,
  refuseCreates,
  release,
  scale,
  strategy,
  template,
  updating,
  wait,
} from './script.ts';
import { deployment, IN_PLACE, RECREATE, type Story } from './story.ts';

const UPDATES: Story[] = [
  deployment({
    name: 'gd-recreate',
    title: 'A rolling update recreates pods one at a time',
    spec: { replicas: 4, updateStrategy: RECREATE },
    play: [template('r2'), completed],
  }),
  deployment({
    name: 'gd-surge',
    title: 'Row 11, peers 82: surge first, then old pods go under the budget, three stay old',
    spec: { replicas: 8, updateStrategy: { type: 'RollingUpdate', partition: 3, maxUnavailable: 2, maxSurge: 2 } },
    play: [template('r2'), calm, strategy('partition 0', { partition: 0 }), completed],
  }),
  deployment({
    name: 'gd-surge-alone',
    title: 'Without a pod to spare the surge alone funds the update',
    spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate', maxUnavailable: 0, maxSurge: 1 } },
    play: [template('r2'), completed],
  }),
  deployment({
    name: 'gd-in-place',
    title: 'Report 49: in place: the gate closes, images change, the proven restart opens the gate',
    spec: { replicas: 3, updateStrategy: IN_PLACE },
    play: [template('r2'), completed],
  }),
  deployment({
    name: 'gd-in-place-ordered',
    title: 'Peers 13, report 9: the containers of one pod change one after the other',
    spec: { replicas: 2, updateStrategy: { ...IN_PLACE, inPlaceUpdateStrategy: { policy: 'OrderedReady' } } },
    play: [template('r2'), completed],
  }),
  deployment({
    name: 'gd-grace-rollback',
    title: 'Row 107, report 2: a rollback in the grace period opens the gate, nothing restarts',
    spec: { replicas: 2, updateStrategy: { ...IN_PLACE, inPlaceUpdateStrategy: { gracePeriodSeconds: 30 } } },
    play: [template('r2'), updating(1), wait(5), template('r1'), calm],
  }),
  deployment({
    name: 'gd-grace-third-revision',
    title: 'Another template in the grace period: the pod gets the images of that one, never those of the one before',
    spec: { replicas: 2, updateStrategy: { ...IN_PLACE, inPlaceUpdateStrategy: { gracePeriodSeconds: 30 } } },
    play: [template('r2'), updating(1), wait(5), template('r5'), completed],
  }),
  deployment({
    name: 'gd-not-in-place',
    title: 'Report 13: what cannot change in place recreates the pods, and says so',
    spec: { replicas: 2, updateStrategy: IN_PLACE },
    play: [template('r7'), completed],
  }),
  deployment({
    name: 'gd-not-in-place-kept',
    title: 'With fallback Fail the pods are kept, and somebody reads why',
    spec: { replicas: 2, updateStrategy: { ...IN_PLACE, inPlaceUpdateStrategy: { fallback: 'Fail' } } },
    isUndisturbed: true,
    play: [template('r7'), blocked('InPlaceNotPossible'), wait(10), template('r2'), completed],
  }),
  deployment({
    name: 'gd-min-ready',
    title: 'minReadySeconds: the next pod goes when the one before has been ready for so long',
    spec: { replicas: 3, minReadySeconds: 8, updateStrategy: RECREATE },
    play: [template('r2'), completed],
  }),
  deployment({
    name: 'gd-metadata',
    title: 'Row 108: where only metadata differs it is patched, nothing restarts',
    spec: { replicas: 3, updateStrategy: IN_PLACE },
    play: [template('r2'), completed, template('r4'), completed],
  }),
  deployment({
    name: 'gd-restarted-at',
    title: 'Report 38: a request to restart recreates pods, also under InplaceUpdate',
    spec: { replicas: 2, updateStrategy: IN_PLACE },
    play: [template('r6'), completed],
  }),
  deployment({
    name: 'gd-on-delete',
    title: 'OnDelete: a pod is updated when somebody deletes it',
    spec: { replicas: 3, updateStrategy: { type: 'OnDelete' } },
    isUndisturbed: true,
    play: [
      template('r2'),
      blocked('WaitsForDeletion'),
      kubectlDelete(0, 'r1'),
      calm,
      kubectlDelete(0, 'r1'),
      wait(1),
      kubectlDelete(0, 'r1'),
      completed,
    ],
  }),
  deployment({
    name: 'gd-hot-patch',
    title: 'HotPatchUpdate: images are written without a gate, paced by their evidence',
    spec: { replicas: 4, updateStrategy: { type: 'HotPatchUpdate', maxUnavailable: 2 } },
    play: [template('r2'), completed],
  }),
  deployment({
    name: 'gd-partition',
    title: 'Report 27: a partition without steps is followed at once, the rollout stays open',
    spec: { replicas: 4, updateStrategy: { ...RECREATE, partition: 3 } },
    play: [
      template('r2'),
      calm,
      strategy('partition 1', { partition: 1 }),
      calm,
      strategy('partition 4', { partition: 4 }),
      calm,
      strategy('partition 0', { partition: 0 }),
      completed,
    ],
  }),
];

const TROUBLE: Story[] = [
  deployment({
    name: 'gd-broken-image',
    title: 'A template that never gets ready stops at the budget; the next good one mends it without any budget',
    spec: { replicas: 4, updateStrategy: RECREATE },
    play: [template('r3'), wait(30), template('r2'), completed],
  }),
  deployment({
    name: 'gd-broken-in-place',
    title: 'Report 14: in place, a bad image costs one pod; going back mends it',
    spec: { replicas: 3, updateStrategy: IN_PLACE },
    play: [template('r3'), wait(30), template('r1'), calm],
  }),
  deployment({
    name: 'gd-rollback',
    title: 'Report 29: the template is the stable one again: updated pods go back under the normal budget',
    spec: { replicas: 5, updateStrategy: { ...RECREATE, maxUnavailable: 2 } },
    play: [template('r2'), pods(3, 'r2'), template('r1'), calm],
  }),
  deployment({
    name: 'gd-third-revision',
    title: 'Report 17: a third template in the middle of a rollout: what is at neither end moves as well',
    spec: { replicas: 4, updateStrategy: RECREATE },
    play: [template('r2'), pods(2, 'r2'), template('r5'), completed],
  }),
  deployment({
    name: 'gd-lost-node',
    title: 'Pods on a lost node are not touched; the rollout waits for them and ends when the node is back',
    spec: { replicas: 4, updateStrategy: { ...RECREATE, maxUnavailable: 3 } },
    isUndisturbed: true,
    play: [loseNode('n2'), template('r2'), wait(40), findNode('n2'), completed],
  }),
  deployment({
    name: 'gd-gone-node',
    title: 'A node is gone, its pods go with it: they come back elsewhere, and the rollout goes on',
    spec: { replicas: 4, updateStrategy: RECREATE },
    isUndisturbed: true,
    play: [template('r2'), pods(1, 'r2'), loseNode('n2', true), wait(10), collectPods('n2'), completed],
  }),
  deployment({
    name: 'gd-evicted',
    title:
      'Peers 44, reports 34 and 47: failed pods are deleted and replaced without gates; the next failure waits for its back-off',
    spec: { replicas: 3, updateStrategy: RECREATE, preDeleteUpdateStrategy: DRAIN },
    play: [evict(0), wait(3), evict(0), calm, evict(0), calm],
  }),
  deployment({
    name: 'gd-evicted-in-rollout',
    title: 'Row 22: an old pod that is lost under a partition comes back old, also with surge',
    spec: { replicas: 4, updateStrategy: { ...RECREATE, partition: 3, maxSurge: 1 } },
    play: [template('r2'), calm, evict(0, 'r1'), calm, kubectlDelete(0, 'r2'), calm],
  }),
  deployment({
    name: 'gd-failed-create',
    title: 'Creates that the API refuses are tried less and less often, and somebody can read why',
    spec: { replicas: 2, updateStrategy: RECREATE },
    play: [refuseCreates, scale(4), wait(45), admitCreates, calm],
  }),
  deployment({
    name: 'gd-surge-refused',
    title: 'The pods of a surge that the API refuses are tried less and less often, though no replica is missing',
    spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate', maxUnavailable: 0, maxSurge: 1 } },
    play: [refuseCreates, template('r2'), wait(120), admitCreates, completed],
  }),
  deployment({
    name: 'gd-surge-fails',
    title: 'Nor are the pods of a surge that fail replaced at once each time',
    spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate', maxUnavailable: 0, maxSurge: 1 } },
    isUndisturbed: true,
    play: [template('r2'), ...Array.from({ length: 4 }, () => [pods(1, 'r2'), evict(0, 'r2')]).flat(), completed],
  }),
  deployment({
    name: 'gd-orphaned-pod',
    title: 'A pod that is adopted is one too many; one that is released is replaced',
    spec: { replicas: 2, updateStrategy: RECREATE },
    isUndisturbed: true,
    play: [wait(5), adopt('lobby-stray'), calm, release(0), calm],
  }),
];

export const DEPLOYMENTS: Story[] = [...UPDATES, ...TROUBLE];
