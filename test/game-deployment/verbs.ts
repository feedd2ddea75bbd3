/** The other words of people: pause, skip, abort, retry, promote, cancel. */
import { expect } from 'vitest';
import { uidsOf } from './game-namespace.ts';
import { canary, gameDeployment, hookTemplate } from './manifests.ts';
import { pausedCanary } from './pauses.ts';
import type { Stories } from './scene.ts';

export const verbs: Stories = {
  'pause stops a rollout that moves, and says who; resume lets it go on': async (scene) => {
    const space = await scene.namespace('verb-pause');
    const updateStrategy = { type: 'RollingUpdate' as const, maxUnavailable: 1 };
    const podAnnotations = { 'holdfast.dev/kwok-start-delay': '4s' };
    await space.apply(gameDeployment('lobby', { replicas: 3, updateStrategy, podAnnotations }));
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:2');
    await space.eventually('the first pod is replaced', async () =>
      (await space.pods()).some(({ spec }) => spec.containers[0]?.image === 'game:2'),
    );
    const said = await space.update(space.rolloutId('lobby'), 'pause', { by: 'ana', reason: 'players complain' });
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('Paused') });
    const message = await space.untilReason('lobby', 'Paused', 'PausedByUser');
    expect(message).toMatch(/Paused by ana .*players complain/);
    await space.untilReason('lobby', 'Ready', 'PausedByUser');
    const held = await space.until('pods are ready again', 'lobby', ({ status }) => status?.readyReplicas === 3);
    expect(held.status?.updatedReplicas).toBeLessThan(3);
    await space.signal(space.rolloutId('lobby'), 'resume', { by: 'ana' });
    await space.untilPods({ 'game:2': 3 });
    const { outcome, steps } = await space.result('lobby');
    expect(outcome).toBe('Completed');
    expect(steps).toContainEqual(expect.objectContaining({ what: 'pause by message', outcome: 'resumed', by: 'ana' }));
  },

  'skip passes the pause of the present step': async (scene) => {
    const space = await scene.namespace('verb-skip');
    await pausedCanary(space);
    const said = await space.update(space.rolloutId('lobby'), 'skip', { by: 'ana', step: 1 });
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('Skipped the pause of step 1') });
    await space.untilPods({ 'game:2': 3 });
    expect((await space.result('lobby')).steps).toContainEqual(
      expect.objectContaining({ step: 1, outcome: 'skipped', by: 'ana' }),
    );
  },

  'promote passes all steps that are left': async (scene) => {
    const space = await scene.namespace('verb-promote');
    await pausedCanary(space, [{ partition: 2 }, { pause: {} }, { partition: 1 }, { pause: {} }, { pause: {} }]);
    await space.signal(space.rolloutId('lobby'), 'promote', { by: 'ana' });
    await space.untilPods({ 'game:2': 3 });
    const { outcome, steps } = await space.result('lobby');
    expect(outcome).toBe('Completed');
    expect(steps).toContainEqual(expect.objectContaining({ outcome: 'promoted', by: 'ana' }));
  },

  'abort brings pods back in place and stays so; retry starts again at step 0': async (scene) => {
    const space = await scene.namespace('verb-abort');
    await pausedCanary(space);
    const uids = uidsOf(await space.pods());
    await space.signal(space.rolloutId('lobby'), 'abort', { by: 'ana', reason: 'crashes' });
    expect(uidsOf(await space.untilPods({ 'game:1': 3 }))).toEqual(uids);
    await space.untilReason('lobby', 'Ready', 'RolloutAborted');
    await space.untilReason('lobby', 'Stalled', 'RolloutAborted');
    await space.untilEvent('RolloutAborted');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=4');
    await space.untilPods({ 'game:1': 4 });
    const refused = await space.update(space.rolloutId('lobby'), 'resume');
    expect(refused.stdout + refused.stderr).toContain('send retry to start it again at step 0, or change the template');
    await space.signal(space.rolloutId('lobby'), 'retry', { by: 'ana' });
    await space.untilPods({ 'game:1': 2, 'game:2': 2 });
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    await space.signal(space.rolloutId('lobby'), 'resume');
    await space.untilPods({ 'game:2': 4 });
    expect((await space.result('lobby')).outcome).toBe('Completed');
  },

  'temporal workflow cancel is an abort': async (scene) => {
    const space = await scene.namespace('verb-cancel');
    await pausedCanary(space);
    await scene.temporal(['workflow', 'cancel', '-w', space.rolloutId('lobby')]);
    await space.untilReason('lobby', 'Ready', 'RolloutAborted');
    await space.untilPods({ 'game:1': 3 });
    expect(await space.isOpen(space.rolloutId('lobby'))).toBe(true);
    await space.setImage('lobby', 'game:3');
    await space.untilPods({ 'game:1': 2, 'game:3': 1 });
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
  },

  'a failed step hook pauses; retry runs it again, skip passes it': async (scene) => {
    const space = await scene.namespace('verb-hook');
    const path = `/${space.name}`;
    const answer = (age: number) => scene.target.answer(path, () => ({ value: age }));
    answer(77);
    await space.apply(hookTemplate('healthy', scene.target.origin + path, { args: [] }));
    const hook = { hook: { templateName: 'healthy' } };
    await space.apply(gameDeployment('lobby', { replicas: 2, ...canary([{ partition: 1 }, hook, hook]) }));
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:2');
    const message = await space.untilReason('lobby', 'Paused', 'PausedByStepBasedHook');
    expect(message).toMatch(/Step 1 is paused since .*; run the hook again with `temporal .*--name retry/);
    await space.untilReason('lobby', 'Degraded', 'GateFailed');
    answer(10);
    await space.signal(space.rolloutId('lobby'), 'retry', { step: 1, by: 'ana' });
    await space.until('the next hook runs', 'lobby', ({ status }) => (status?.currentStepIndex ?? 0) >= 2);
    await space.untilPods({ 'game:2': 2 });
    const runs = (await space.hookRuns()).map(({ metadata, status }) => [
      metadata.labels?.['canary-step-index'],
      status?.phase,
    ]);
    expect(runs.sort()).toEqual([
      ['1', 'Failed'],
      ['1', 'Successful'],
      ['2', 'Successful'],
    ]);
  },

  'a step hook that fails with onFailure: abort takes all pods back without a person': async (scene) => {
    const space = await scene.namespace('verb-on-failure');
    const path = `/${space.name}`;
    scene.target.answer(path, () => ({ value: 77 }));
    await space.apply(hookTemplate('healthy', scene.target.origin + path, { args: [] }));
    const steps = [{ partition: 2 }, { hook: { templateName: 'healthy' }, onFailure: 'abort' as const }];
    await space.apply(gameDeployment('lobby', { replicas: 3, ...canary(steps) }));
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:2');
    const message = await space.untilReason('lobby', 'Progressing', 'RolloutAborted');
    expect(message).toMatch(
      /was aborted because canary-\S+ is Failed.* at step 1 and pods return to the stable revision/,
    );
    await space.untilPods({ 'game:1': 3 });
    await space.untilEvent('RolloutAborted');
    scene.target.answer(path, () => ({ value: 10 }));
    await space.signal(space.rolloutId('lobby'), 'retry', { by: 'ana' });
    await space.untilPods({ 'game:2': 3 });
    expect((await space.result('lobby')).outcome).toBe('Completed');
  },
};
