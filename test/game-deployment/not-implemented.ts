/** What this release does not do is said, not pretended. */
import { expect } from 'vitest';
import { conditionOf } from './game-namespace.ts';
import { type Changes, canary, gameDeployment, hookTemplate } from './manifests.ts';
import type { Stories } from './scene.ts';

const ASKED: [path: string, changes: Changes][] = [
  ['imageloader.webhook', { annotations: { 'imageloader.webhook.bkbcs.tencent.com': 'true' } }],
];

export const notImplemented: Stories = {
  'each manifest that asks for more gets Ready=False, an event, and its field named': async (scene) => {
    const space = await scene.namespace('more');
    await space.apply(
      ...ASKED.map(([, changes], index) => gameDeployment(`lobby-${index}`, { replicas: 1, ...changes })),
    );
    for (const [index, [path]] of ASKED.entries()) {
      const message = await space.untilReason(`lobby-${index}`, 'Ready', 'NotImplemented');
      expect(message).toContain(path);
      expect(conditionOf(await space.workload(`lobby-${index}`), 'Stalled')?.reason).toBe('NotImplemented');
    }
    await space.eventually(
      'each has its event',
      async () => (await space.events('NotImplemented')).length === ASKED.length,
    );
  },

  'a hook of another provider is told so where it is used, as a step and as a gate': async (scene) => {
    const space = await scene.namespace('exec');
    const { spec } = hookTemplate('errors', '', { args: [] });
    const provider = { exec: { container: 'game', command: ['true'] } };
    await space.apply({
      ...hookTemplate('errors', ''),
      spec: { args: [], metrics: spec.metrics.map((metric) => ({ ...metric, provider })) },
    });
    const steps = [{ partition: 1 }, { hook: { templateName: 'errors' } }];
    await space.apply(gameDeployment('step', { replicas: 2, ...canary(steps) }));
    await space.apply(
      gameDeployment('gate', { replicas: 2, preDeleteUpdateStrategy: { hook: { templateName: 'errors' } } }),
    );
    for (const name of ['step', 'gate'])
      await space.until('its pods are ready', name, ({ status }) => status?.readyReplicas === 2);
    await space.setImage('step', 'game:2');
    await space.kubectl('scale', 'gamedeployment/gate', '--replicas=1');
    expect(await space.untilReason('step', 'Ready', 'NotImplemented')).toContain('provider.exec');
    expect(await space.untilReason('gate', 'Ready', 'NotImplemented')).toContain('provider.exec');
  },
};
