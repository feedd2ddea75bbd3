/** Hooks before and after updates in place, and what people say about those of one pod; told of both kinds. */
import { expect } from 'vitest';
import type { GameWorkload } from '../../crds/game-workload.ts';
import { type GameNamespace, imageOf } from './game-namespace.ts';
import { type Changes, gameDeployment, hookTemplate } from './manifests.ts';
import type { GameScene, Stories } from './scene.ts';

/** What a story changes about its workload. */
export type Hooks = Pick<Changes, 'preDeleteUpdateStrategy' | 'preInplaceUpdateStrategy' | 'postInplaceUpdateStrategy'>;
export type Step = { partition: number } | { pause: object };

/** A kind and its words. */
export interface HookedKind {
  /** As kubectl spells it, and as people shorten it. */
  lower: string;
  short: string;
  /** A namespace where names mean this kind. */
  open(scene: GameScene, theme: string): Promise<GameNamespace<GameWorkload>>;
  /** Three pods that are updated in place, one at a time. */
  manifest(hooks: Hooks, steps: Step[]): object;
}

export const hook = (templateName: string) => ({ hook: { templateName } });

/** Three pods; the server answers what `answer` sets, for `leave` (before) and `join` (after) apart. A `poll` goes on asking. */
export async function hookedLobby(
  space: GameNamespace<GameWorkload>,
  { manifest }: HookedKind,
  { steps = [], poll = [], ...hooks }: Hooks & { steps?: Step[]; poll?: string[] },
) {
  const { target } = space.scene;
  const pathOf = (name: string) => `/${space.name}/${name}`;
  const answer = (name: string, age: number) => target.answer(pathOf(name), () => ({ value: age }));
  for (const name of ['leave', 'join']) {
    answer(name, 10);
    const again = poll.includes(name) ? { interval: '1s', failureLimit: 1_000, successfulLimit: 1 } : {};
    const changes = { args: [{ name: 'ModifiedContainer[0]' }], ...again };
    await space.apply(hookTemplate(name, target.origin + pathOf(name), changes));
  }
  await space.apply(manifest(hooks, steps));
  await space.untilPods({ 'game:1': 3 });
  await space.untilReady('lobby');
  return { answer, asked: (name: string) => target.asked(pathOf(name)) };
}

export const marksOn = async (space: GameNamespace<GameWorkload>) =>
  (await space.pods()).flatMap(({ metadata: { annotations = {} } }) =>
    Object.keys(annotations).filter((key) => /^holdfast.dev.(move|updated)$|game-pod-deleting/.test(key)),
  );

/** The hooks of all pods at the new image have failed, and nothing else is under way. */
async function untilHeld(space: GameNamespace<GameWorkload>): Promise<GameWorkload> {
  const message = await space.untilReason('lobby', 'Degraded', 'PostInplaceHookFailed');
  expect(message).toMatch(/HookRun postinplace-\S+ of pod lobby-\S+ ended Failed.*send retry or skip/);
  const held = await space.until(
    'what is under way is done',
    'lobby',
    ({ status: { availableReplicas, postInplaceHookCondition = [] } = {} }) =>
      availableReplicas === 3 && postInplaceHookCondition.every(({ phase }) => phase === 'Failed'),
  );
  expect(held.status?.updatedReplicas).toBeLessThan(3);
  return held;
}

const STORIES: Record<string, (scene: GameScene, kind: HookedKind) => Promise<void>> = {
  'before each update in place preInplace is asked, not preDelete; nothing is left of it': async (scene, kind) => {
    const space = await kind.open(scene, 'in-place-before');
    const { asked } = await hookedLobby(space, kind, {
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

  'after an update in place: a failure stops the others and says so, a retry lets them go on': async (scene, kind) => {
    const space = await kind.open(scene, 'in-place-after');
    const { answer, asked } = await hookedLobby(space, kind, { postInplaceUpdateStrategy: hook('join') });
    answer('join', 99);
    await space.setImage('lobby', 'game:2');
    const updated = (await untilHeld(space)).status?.updatedReplicas ?? 0;
    await space.kubectl('scale', `${kind.lower}/lobby`, '--replicas=4');
    await space.until('scaling goes on', 'lobby', (lobby) => lobby.status?.availableReplicas === 4);
    expect((await space.workload('lobby')).status?.updatedReplicas).toBe(updated + 1);
    answer('join', 10);
    await space.signal(space.rolloutId('lobby'), 'retry', { by: 'ana' });
    await space.untilPods({ 'game:2': 4 });
    await space.untilReady('lobby');
    expect((await space.result('lobby')).outcome).toBe('Completed');
    expect(asked('join')).toBeGreaterThanOrEqual(3);
    expect(await marksOn(space)).toEqual([]);
    await space.untilEvent('PostInplaceHookFailed');
  },

  'after an update in place: a failure outlives its pod, which comes back; skip lets the others go on': async (
    scene,
    kind,
  ) => {
    const space = await kind.open(scene, 'in-place-gone');
    const { answer } = await hookedLobby(space, kind, { postInplaceUpdateStrategy: hook('join') });
    answer('join', 99);
    await space.setImage('lobby', 'game:2');
    await untilHeld(space);
    const updated = (await space.pods())
      .filter((pod) => imageOf(pod) === 'game:2')
      .map(({ metadata }) => metadata.name);
    await space.kubectl('delete', 'pod', ...updated, '--wait=false');
    answer('join', 10);
    await space.until('the condition says that they are gone', 'lobby', ({ status }) =>
      /, and the pod is gone; send retry or skip/.test(
        status?.conditions?.find(({ type }) => type === 'Degraded')?.message ?? '',
      ),
    );
    const images = { 'game:1': 3 - updated.length, 'game:2': updated.length };
    await space.untilPods(images);
    expect(await marksOn(space)).toEqual([]);
    expect((await space.workload('lobby')).status?.updatedReplicas).toBe(updated.length);
    await space.signal(space.rolloutId('lobby'), 'skip', { by: 'ana' });
    await space.untilPods({ 'game:2': 3 });
    await space.untilReady('lobby');
    expect((await space.result('lobby')).outcome).toBe('Completed');
  },

  'a canary step is passed when the hooks of its pods have succeeded, not when they are updated': async (
    scene,
    kind,
  ) => {
    const space = await kind.open(scene, 'in-place-step');
    const steps = [{ partition: 2 }, { pause: {} }, { partition: 0 }];
    const hooks = { postInplaceUpdateStrategy: hook('join'), poll: ['join'], steps };
    const { answer, asked } = await hookedLobby(space, kind, hooks);
    answer('join', 99);
    await space.setImage('lobby', 'game:2');
    await space.untilPods({ 'game:1': 2, 'game:2': 1 });
    const { status } = await space.until(
      'its hook is there',
      'lobby',
      // Pending or Running: while nothing else changes the status is not written for the phase alone.
      ({ status: { postInplaceHookCondition = [] } = {} }) => postInplaceHookCondition.length > 0,
    );
    const before = asked('join');
    await space.eventually('its hook is asked again and again', () => asked('join') > before + 2);
    const later = (await space.workload('lobby')).status;
    expect([status?.currentStepIndex, later?.currentStepIndex]).toEqual([0, 0]);
    answer('join', 10);
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    expect(await marksOn(space)).toEqual([]);
    await space.signal(space.rolloutId('lobby'), 'resume', { by: 'ana' });
    await space.untilPods({ 'game:2': 3 });
    expect((await space.result('lobby')).outcome).toBe('Completed');
  },

  'holdfast skip --pod passes the failed hook of one pod; abort --pod ends one that runs': async (scene, kind) => {
    const space = await kind.open(scene, 'gate-skip-pod');
    const { answer } = await hookedLobby(space, kind, { preInplaceUpdateStrategy: hook('leave'), poll: ['leave'] });
    answer('leave', 99);
    await space.setImage('lobby', 'game:2');
    const { status } = await space.until('one pod waits', 'lobby', (lobby) => lobby.status?.waitingReplicas === 1);
    const [{ podName = '' } = {}] = status?.preInplaceHookCondition ?? [];
    const say = (verb: string) => scene.holdfast([verb, `${kind.short}/lobby`, '-n', space.name, '--pod', podName]);
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

/** Each story, told of this kind. */
export const inPlaceHooksOf = (kind: HookedKind): Stories =>
  Object.fromEntries(Object.entries(STORIES).map(([sentence, tell]) => [sentence, (scene) => tell(scene, kind)]));

export const inPlaceHooks = inPlaceHooksOf({
  lower: 'gamedeployment',
  short: 'gd',
  open: async (scene, theme) => (await scene.namespace(theme)) as unknown as GameNamespace<GameWorkload>,
  manifest: (hooks, steps) =>
    gameDeployment('lobby', {
      replicas: 3,
      ...hooks,
      updateStrategy: { type: 'InplaceUpdate', maxUnavailable: 1, canary: { steps } },
    }),
});
