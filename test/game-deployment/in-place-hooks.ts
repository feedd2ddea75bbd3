/** Hooks before and after updates in place, and what people say about those of one pod. */
import { expect } from 'vitest';
import type { GameNamespace } from './game-namespace.ts';
import { type Changes, gameDeployment, hookTemplate } from './manifests.ts';
import type { Stories } from './scene.ts';

const hook = (templateName: string) => ({ hook: { templateName } });
const IN_PLACE = { updateStrategy: { type: 'InplaceUpdate' as const, maxUnavailable: 1 } };

/** Three pods; the server answers what `answer` sets, for `leave` (before) and `join` (after) apart. */
async function hookedLobby(space: GameNamespace, changes: Changes) {
  const { target } = space.scene;
  const pathOf = (name: string) => `/${space.name}/${name}`;
  const answer = (name: string, age: number) => target.answer(pathOf(name), () => ({ value: age }));
  for (const name of ['leave', 'join']) {
    answer(name, 10);
    await space.apply(hookTemplate(name, target.origin + pathOf(name), { args: [{ name: 'ModifiedContainer[0]' }] }));
  }
  await space.apply(gameDeployment('lobby', { replicas: 3, ...IN_PLACE, ...changes }));
  await space.untilPods({ 'game:1': 3 });
  await space.untilReady('lobby');
  return { answer, asked: (name: string) => target.asked(pathOf(name)) };
}

const marksOn = async (space: GameNamespace) =>
  (await space.pods()).flatMap(({ metadata: { annotations = {} } }) =>
    Object.keys(annotations).filter((key) => /^holdfast.dev.(move|updated)$|game-pod-deleting/.test(key)),
  );

export const inPlaceHooks: Stories = {
  'before each update in place preInplace is asked, not preDelete; nothing is left of it': async (scene) => {
    const space = await scene.namespace('in-place-before');
    const { asked } = await hookedLobby(space, {
      preDeleteUpdateStrategy: hook('join'),
      preInplaceUpdateStrategy: hook('leave'),
    });
    await space.setImage('lobby', 'game:2');
    await space.untilPods({ 'game:2': 3 });
    await space.untilReady('lobby');
    expect(asked('leave')).toBeGreaterThanOrEqual(3);
    expect(asked('join')).toBe(0);
    expect([await space.hookRuns(), await marksOn(space)]).toEqual([[], []]);
  },

  'after an update in place: a failure stops the others and says so, a retry lets them go on': async (scene) => {
    const space = await scene.namespace('in-place-after');
    const { answer, asked } = await hookedLobby(space, { postInplaceUpdateStrategy: hook('join') });
    answer('join', 99);
    await space.setImage('lobby', 'game:2');
    const message = await space.untilReason('lobby', 'Degraded', 'PostInplaceHookFailed');
    expect(message).toMatch(/HookRun postinplace-\S+ of pod lobby-\S+ ended Failed.*send retry or skip/);
    const { status } = await space.until(
      'what is under way is done',
      'lobby',
      ({ status: { availableReplicas, postInplaceHookCondition = [] } = {} }) =>
        availableReplicas === 3 && postInplaceHookCondition.every(({ phase }) => phase === 'Failed'),
    );
    const updated = status?.updatedReplicas ?? 0;
    expect(updated).toBeLessThan(3);
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=4');
    await space.until('scaling goes on', 'lobby', (lobby) => lobby.status?.availableReplicas === 4);
    expect((await space.workload('lobby')).status?.updatedReplicas).toBe(updated + 1);
    answer('join', 10);
    await space.signal(space.rolloutId('lobby'), 'retry', { by: 'ana' });
    await space.untilPods({ 'game:2': 4 });
    await space.untilReady('lobby');
    expect((await space.result('lobby')).outcome).toBe('Completed');
    expect(asked('join')).toBeGreaterThanOrEqual(4);
    expect(await marksOn(space)).toEqual([]);
    await space.untilEvent('PostInplaceHookFailed');
  },

  'holdfast skip --pod passes the failed hook of one pod; abort --pod ends one that runs': async (scene) => {
    const space = await scene.namespace('gate-skip-pod');
    const { answer } = await hookedLobby(space, { preInplaceUpdateStrategy: hook('leave') });
    const poll = { interval: '1s', failureLimit: 1_000, successfulLimit: 1, args: [] };
    const url = `${scene.target.origin}/${space.name}/leave`;
    await space.apply(hookTemplate('leave', url, poll));
    answer('leave', 99);
    await space.setImage('lobby', 'game:2');
    const { status } = await space.until('one pod waits', 'lobby', (lobby) => lobby.status?.waitingReplicas === 1);
    const [{ podName = '' } = {}] = status?.preInplaceHookCondition ?? [];
    const say = (verb: string) => scene.holdfast([verb, 'gd/lobby', '-n', space.name, '--pod', podName]);
    expect(await say('abort')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`for pod ${podName} are ended`),
    });
    await space.untilReason('lobby', 'Degraded', 'GateFailed');
    expect(await say('skip')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`of pod ${podName} are passed`),
    });
    await space.until('that pod is updated', 'lobby', (lobby) => lobby.status?.updatedReplicas === 1);
    answer('leave', 10);
    await space.untilPods({ 'game:2': 3 });
    await space.untilReady('lobby');
  },
};
