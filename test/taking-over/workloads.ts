/** How the workloads stand that the existing operators leave, each with what its status says (game-workloads §2). */
import { canary, gameDeployment } from '../game-deployment/manifests.ts';
import { gameStatefulSet } from '../game-stateful-set/manifests.ts';
import { type LeftWorkload, withDefaults } from './left-behind.ts';

const annotations = { 'example.com/team': 'arcade' };
/** Paused for a person at step index 3, two of four pods updated. Their operator wrote `paused: true` itself. */
export function pausedInMidCanary(): LeftWorkload {
  const { updateStrategy } = canary([
    { partition: 3 },
    { pause: {} },
    { partition: 2 },
    { pause: {} },
    { partition: 1 },
  ]);
  return {
    manifest: gameDeployment('arena', {
      ...{ replicas: 4, image: 'game:2', annotations },
      updateStrategy: { ...updateStrategy!, paused: true },
    }),
    images: ['game:1', 'game:2'],
    pods: [
      { id: '2bkcj', image: 'game:1' },
      { id: '7xqwn', image: 'game:2', isUpdatedInPlace: true },
      { id: 'hl9tz', image: 'game:1' },
      { id: 'zv4fm', image: 'game:2', isUpdatedInPlace: true },
    ],
    status: (revisions) => ({
      availableReplicas: 4,
      canary: { revision: revisions['game:1'] },
      currentStepIndex: 3,
      currentStepHash: '7c9d8b5f64',
      pauseConditions: [{ reason: 'PausedByCanaryPauseStep', startTime: '2026-01-01T00:00:00Z' }],
    }),
  };
}

/** Nothing is under way; its last update is in the history. */
export const settled: LeftWorkload = {
  manifest: gameDeployment('lobby', { replicas: 3, image: 'game:2', annotations }),
  images: ['game:1', 'game:2'],
  pods: ['4sdkp', '9cjwb', 'rvt2x'].map((id) => ({ id, image: 'game:2' })),
  status: () => ({ availableReplicas: 3, currentStepHash: '65bb57b6b5', canary: {} }),
};

/** Held at partition 3 of 5. */
export const heldByPartition: LeftWorkload = {
  manifest: {
    ...gameStatefulSet('shard', {
      ...{ replicas: 5, image: 'game:2', podManagementPolicy: 'Parallel' as const },
      updateStrategy: { type: 'InplaceUpdate', rollingUpdate: { partition: 3, maxUnavailable: 2 } },
    }),
  },
  images: ['game:1', 'game:2'],
  pods: [0, 1, 2, 3, 4].map((ordinal) => ({
    ...{ id: String(ordinal), image: ordinal < 3 ? 'game:1' : 'game:2', isUpdatedInPlace: ordinal >= 3 },
  })),
  status: (revisions) => ({ currentReplicas: 3, currentRevision: revisions['game:1'], currentStepHash: '65bb57b6b5' }),
  inMemory: withDefaults,
};

/** An update in place; the grace of its first pod has begun. */
export const inGrace: LeftWorkload = {
  manifest: gameDeployment('match', {
    ...{ replicas: 3, image: 'game:2' },
    updateStrategy: {
      ...{ type: 'InplaceUpdate', maxUnavailable: 1 },
      inPlaceUpdateStrategy: { gracePeriodSeconds: 3_600 },
    },
  }),
  images: ['game:1', 'game:2'],
  pods: ['5fgtq', '8mzxn', 'c2wlk'].map((id) => ({ id, image: 'game:1' })),
  status: () => ({ availableReplicas: 2, canary: {} }),
};

/** Two steps of a canary, then a hook that failed: paused for a person. */
export function heldByFailedHook(): LeftWorkload {
  const { updateStrategy } = canary([{ partition: 2 }, { hook: { templateName: 'drained' } }]);
  const manifest = { replicas: 3, image: 'game:2', updateStrategy: { ...updateStrategy!, paused: true } };
  return {
    manifest: gameDeployment('harbor', manifest),
    images: ['game:1', 'game:2'],
    pods: [
      { id: '6jdvk', image: 'game:1' },
      { id: 'b8nrc', image: 'game:1' },
      { id: 'x5mhq', image: 'game:2', isUpdatedInPlace: true },
    ],
    status: (revisions) => ({
      availableReplicas: 3,
      canary: { revision: revisions['game:1'], currentStepHookRun: 'canary-harbor-f4d8b7c59-1-drained' },
      currentStepIndex: 1,
      currentStepHash: '6b8f7d5c9c',
      pauseConditions: [{ reason: 'PausedByStepBasedHook', startTime: '2026-01-01T00:00:00Z' }],
    }),
  };
}

/** One pod too many, chosen and waiting for its hook; by its cost another one would be the first to go. */
export const scalingIn: LeftWorkload = {
  manifest: gameDeployment('queue', {
    ...{ replicas: 2, image: 'game:2' },
    preDeleteUpdateStrategy: { hook: { templateName: 'drained' } },
  }),
  images: ['game:1', 'game:2'],
  pods: [
    { id: '3lrtz', image: 'game:2', annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-10' } },
    { id: 'g7vqd', image: 'game:2', annotations: { 'io.tencent.bcs.dev/game-pod-deleting': 'true' } },
    { id: 'n9xbw', image: 'game:2' },
  ],
  status: () => ({
    ...{ availableReplicas: 3, canary: {} },
    preDeleteHookCondition: [{ podName: 'queue-g7vqd', startTime: '2026-01-01T00:00:00Z', phase: 'Running' }],
  }),
};
