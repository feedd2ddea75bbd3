/** Edits in the middle of a canary (decisions 12 and 13). */
import { expect } from 'vitest';
import { conditionOf, uidsOf } from './game-namespace.ts';
import { pausedCanary } from './pauses.ts';
import type { Stories } from './scene.ts';

export const rollouts: Stories = {
  'the old template again in mid-canary: back in place without steps, RolledBack': async (scene) => {
    const space = await scene.namespace('rollback');
    await pausedCanary(space);
    const uids = uidsOf(await space.pods());
    const { status } = await space.workload('lobby');
    await space.setImage('lobby', 'game:1');
    expect(uidsOf(await space.untilPods({ 'game:1': 3 }))).toEqual(uids);
    const after = await space.untilReady('lobby');
    expect(after.status).toMatchObject({
      updateRevision: status?.currentRevision,
      currentRevision: status?.currentRevision,
    });
    const result = await space.result('lobby');
    expect(result.toRevision).toBe(status?.currentRevision);
    expect(result.steps.filter(({ what }) => what.startsWith('pause'))).toEqual([]);
    const { metadata } = await space.revision(status?.updateRevision ?? '');
    expect(JSON.parse(metadata.annotations?.['holdfast.dev/rollout'] ?? '{}')).toMatchObject({
      outcome: 'RolledBack',
    });
  },

  'a third revision in mid-canary supersedes: steps from 0, the canary pod moves first': async (scene) => {
    const space = await scene.namespace('third');
    await pausedCanary(space);
    const { status } = await space.workload('lobby');
    const canaryPod = (await space.pods()).find(({ spec }) => spec.containers[0]?.image === 'game:2');
    await space.setImage('lobby', 'game:3');
    const pods = await space.untilPods({ 'game:1': 2, 'game:3': 1 });
    const moved = pods.find(({ spec }) => spec.containers[0]?.image === 'game:3');
    expect(moved?.metadata.uid).toBe(canaryPod?.metadata.uid);
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    const { metadata } = await space.revision(status?.updateRevision ?? '');
    expect(JSON.parse(metadata.annotations?.['holdfast.dev/rollout'] ?? '{}')).toMatchObject({
      outcome: 'Superseded',
    });
    await space.signal(space.rolloutId('lobby'), 'resume');
    await space.untilPods({ 'game:3': 3 });
    expect(await space.result('lobby')).toMatchObject({
      outcome: 'Completed',
      fromRevision: status?.currentRevision,
    });
  },

  'steps edited in a pause: goes on at the first step that differs; a partition that is satisfied passes': async (
    scene,
  ) => {
    const space = await scene.namespace('edited');
    await pausedCanary(space, [{ partition: 2 }, { pause: {} }, { partition: 1 }, { pause: {} }]);
    const steps = [{ partition: 2 }, { partition: 1 }, { pause: {} }];
    await space.patch('lobby', { spec: { updateStrategy: { canary: { steps } } } });
    await space.untilPods({ 'game:1': 1, 'game:2': 2 });
    const { status } = await space.until(
      'it is paused at step 2',
      'lobby',
      (workload) => workload.status?.currentStepIndex === 2 && conditionOf(workload, 'Paused')?.status === 'True',
    );
    expect(status?.pauseConditions).toHaveLength(1);
    await space.patch('lobby', { spec: { updateStrategy: { canary: { steps: [...steps, { pause: {} }] } } } });
    await space.until(
      'the edit was seen',
      'lobby',
      (workload) => workload.status?.observedGeneration === workload.metadata.generation,
    );
    expect((await space.workload('lobby')).status).toMatchObject({
      currentStepIndex: 2,
      pauseConditions: status?.pauseConditions,
    });
    await space.signal(space.rolloutId('lobby'), 'resume', { step: 2 });
    await space.until(
      'it is paused at step 3',
      'lobby',
      (workload) => workload.status?.currentStepIndex === 3 && conditionOf(workload, 'Paused')?.status === 'True',
    );
    await space.signal(space.rolloutId('lobby'), 'resume', { step: 3 });
    await space.untilPods({ 'game:2': 3 });
    expect((await space.result('lobby')).outcome).toBe('Completed');
  },

  'all rollouts of a workload are the runs of one id': async (scene) => {
    const space = await scene.namespace('runs');
    await pausedCanary(space);
    await space.signal(space.rolloutId('lobby'), 'promote');
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:3');
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    const { stdout } = await scene.temporal([
      'workflow',
      'list',
      '-o',
      'json',
      '-q',
      `WorkflowId = '${space.rolloutId('lobby')}'`,
    ]);
    expect(JSON.parse(stdout)).toHaveLength(2);
    const listed = await scene.temporal([
      'workflow',
      'list',
      '-o',
      'json',
      '-q',
      `HoldfastPaused = true AND HoldfastWorkload = '${space.workloadId('lobby')}'`,
    ]);
    expect(JSON.parse(listed.stdout)).toHaveLength(1);
  },
};
