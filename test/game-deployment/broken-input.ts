/** What is wrong stops only what depends on it, says so in one sentence, and goes on when it is put right. */
import { expect } from 'vitest';
import { uidsOf } from './game-namespace.ts';
import { canary, gameDeployment, hookTemplate } from './manifests.ts';
import type { Stories } from './scene.ts';

const IN_PLACE = { type: 'InplaceUpdate' as const, maxUnavailable: 1 };

export const brokenInput: Stories = {
  'a gate without its HookTemplate: scaling out goes on, and so does all once it is created': async (scene) => {
    const space = await scene.namespace('no-template');
    const preDeleteUpdateStrategy = { hook: { templateName: 'drained' } };
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy: IN_PLACE, preDeleteUpdateStrategy }));
    await space.untilPods({ 'game:1': 2 });
    await space.setImage('lobby', 'game:2');
    const message = await space.untilReason('lobby', 'Degraded', 'HookTemplateMissing');
    expect(message).toContain('spec.preDeleteUpdateStrategy.hook.templateName: HookTemplate "drained" does not exist');
    await space.untilEvent('HookTemplateMissing');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
    await space.until('three pods are ready', 'lobby', ({ status }) => status?.readyReplicas === 3);
    const path = `/${space.name}`;
    scene.target.answer(path, () => ({ value: 10 }));
    await space.apply(hookTemplate('drained', scene.target.origin + path));
    await space.untilPods({ 'game:2': 3 });
    await space.untilReady('lobby');
    await space.untilReason('lobby', 'Degraded', 'AsExpected');
  },

  'a canary step without its HookTemplate pauses and says so; scaling goes on, and the rollout once it is created':
    async (scene) => {
      const space = await scene.namespace('step-no-template');
      const steps = [{ partition: 1 }, { hook: { templateName: 'healthy' } }];
      await space.apply(gameDeployment('lobby', { replicas: 2, ...canary(steps) }));
      await space.untilReady('lobby');
      await space.setImage('lobby', 'game:2');
      const message = await space.untilReason('lobby', 'Paused', 'PausedByStepBasedHook');
      expect(message).toContain('steps[1].hook.templateName names HookTemplate healthy, which does not exist');
      await space.untilEvent('PausedByStepBasedHook');
      await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
      await space.until('three pods are ready', 'lobby', ({ status }) => status?.readyReplicas === 3);
      const path = `/${space.name}`;
      scene.target.answer(path, () => ({ value: 10 }));
      await space.apply(hookTemplate('healthy', scene.target.origin + path, { args: [] }));
      await space.signal(space.rolloutId('lobby'), 'retry');
      await space.untilPods({ 'game:2': 3 });
      await space.untilReady('lobby');
    },

  'an argument without a value is named with its path': async (scene) => {
    const space = await scene.namespace('no-argument');
    const path = `/${space.name}`;
    scene.target.answer(path, () => ({ value: 10 }));
    await space.apply(hookTemplate('drained', scene.target.origin + path, { args: [{ name: 'map' }] }));
    const preDeleteUpdateStrategy = { hook: { templateName: 'drained' } };
    await space.apply(gameDeployment('lobby', { replicas: 2, preDeleteUpdateStrategy }));
    await space.untilPods({ 'game:1': 2 });
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=1');
    const message = await space.untilReason('lobby', 'Degraded', 'HookArgumentUnresolved');
    expect(message).toMatch(
      /spec\.preDeleteUpdateStrategy\.hook\.args: HookTemplate drained: spec\.args map has no value/,
    );
    await space.untilEvent('HookArgumentUnresolved');
    const hook = { templateName: 'drained', args: [{ name: 'map', value: 'desert' }] };
    await space.patch('lobby', { spec: { preDeleteUpdateStrategy: { hook } } });
    await space.untilPods({ 'game:1': 1 });
    await space.untilReady('lobby');
  },

  'an expression that does not parse: the step pauses with the column, scaling goes on': async (scene) => {
    const space = await scene.namespace('no-parse');
    const path = `/${space.name}`;
    scene.target.answer(path, () => ({ value: 10 }));
    const url = scene.target.origin + path;
    await space.apply(hookTemplate('healthy', url, { args: [], successCondition: 'asInt(result) <' }));
    const steps = [{ partition: 1 }, { hook: { templateName: 'healthy' } }];
    await space.apply(gameDeployment('lobby', { replicas: 2, ...canary(steps) }));
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:2');
    const message = await space.untilReason('lobby', 'Paused', 'PausedByStepBasedHook');
    expect(message).toMatch(/healthy.*successCondition/);
    await space.untilEvent('PausedByStepBasedHook');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
    await space.until('three pods are ready', 'lobby', ({ status }) => status?.readyReplicas === 3);
    await space.apply(hookTemplate('healthy', url, { args: [] }));
    await space.signal(space.rolloutId('lobby'), 'retry');
    await space.untilPods({ 'game:2': 3 });
    await space.untilReady('lobby');
  },

  'a gate whose expression does not parse says so in the condition': async (scene) => {
    const space = await scene.namespace('gate-no-parse');
    await space.apply(hookTemplate('drained', 'http://127.0.0.1:1/', { successCondition: 'asInt(result' }));
    const preDeleteUpdateStrategy = { hook: { templateName: 'drained' } };
    await space.apply(gameDeployment('lobby', { replicas: 2, preDeleteUpdateStrategy }));
    await space.untilPods({ 'game:1': 2 });
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=1');
    const message = await space.untilReason('lobby', 'Degraded', 'GateFailed');
    expect(message).toMatch(/successCondition/);
    await space.untilEvent('GateFailed');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
    await space.untilPods({ 'game:1': 3 });
    await space.untilReady('lobby');
  },

  'a template that the API refuses moves nothing; healing goes on; a good one recovers': async (scene) => {
    const space = await scene.namespace('refused');
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy: IN_PLACE }));
    const before = uidsOf(await space.untilPods({ 'game:1': 2 }));
    await space.untilReady('lobby');
    const container = { ports: [{ containerPort: 99_999 }] };
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy: IN_PLACE, image: 'game:2', container }));
    const message = await space.untilReason('lobby', 'Progressing', 'InvalidTemplate');
    expect(message).toMatch(/containerPort/);
    await space.untilReason('lobby', 'Ready', 'InvalidTemplate');
    await space.untilEvent('InvalidTemplate');
    const [pod] = await space.pods();
    await space.kubectl('delete', 'pod', pod?.metadata.name ?? '', '--wait=false');
    await space.eventually('it is gone', async () => !uidsOf(await space.pods()).includes(pod?.metadata.uid ?? ''));
    const healed = await space.untilPods({ 'game:1': 2 });
    expect(uidsOf(healed).filter((uid) => before.includes(uid))).toHaveLength(1);
    await space.apply(gameDeployment('lobby', { replicas: 2, updateStrategy: IN_PLACE, image: 'game:3' }));
    await space.untilPods({ 'game:3': 2 });
    await space.untilReady('lobby');
  },

  'a workload whose first template is refused creates nothing until it is put right': async (scene) => {
    const space = await scene.namespace('born-refused');
    const container = { ports: [{ containerPort: 99_999 }] };
    await space.apply(gameDeployment('lobby', { replicas: 2, container }));
    await space.untilReason('lobby', 'Progressing', 'InvalidTemplate');
    await space.untilReason('lobby', 'Ready', 'InvalidTemplate');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
  },

  'pods that a quota refuses are created when the quota allows it': async (scene) => {
    const space = await scene.namespace('quota');
    await space.kubectl('create', 'quota', 'few', '--hard=pods=1');
    await space.eventually(
      'the quota is counted',
      async () => (await space.kubectl('get', 'quota', 'few', '-o', 'jsonpath={.status.hard.pods}')) === '1',
    );
    await space.apply(gameDeployment('lobby', { replicas: 3 }));
    const message = await space.untilReason('lobby', 'Progressing', 'PodCreateFailed');
    expect(message).toMatch(/exceeded quota/);
    await space.kubectl('delete', 'quota', 'few');
    await space.untilPods({ 'game:1': 3 });
    await space.untilReady('lobby');
    await space.untilReason('lobby', 'Progressing', 'RolloutCompleted');
  },
};
