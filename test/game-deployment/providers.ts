/** Gates and steps whose hooks ask something else than a web server. */
import { expect } from 'vitest';
import { canary, gameDeployment, hookTemplate } from './manifests.ts';
import type { Stories } from './scene.ts';

const fields = [{ path: 'metadata.annotations.game.example/drained', value: 'yes' }];
const GATE = { preDeleteUpdateStrategy: { hook: { templateName: 'drained' } } };

export const providers: Stories = {
  'a gate that asks the pod itself opens when the game has written its annotation': async (scene) => {
    const space = await scene.namespace('provider-kubernetes');
    const polled = { interval: '1s', successfulLimit: 1, successCondition: undefined };
    const provider = { kubernetes: { function: 'get', fields } };
    await space.apply(hookTemplate('drained', '', { ...polled, provider }));
    await space.apply(gameDeployment('lobby', { replicas: 2, ...GATE }));
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=1');
    const asking = await space.until('its gate is asked', 'lobby', ({ status }) =>
      (status?.preDeleteHookCondition ?? []).some(({ phase }) => phase === 'Running'),
    );
    const chosen = asking.status?.preDeleteHookCondition?.[0]?.podName ?? '';
    await space.eventually('its annotation is missed', async () =>
      (await space.hookRuns()).some(({ status }) => (status?.metricResults?.[0]?.error ?? 0) >= 2),
    );
    expect(await space.pods()).toHaveLength(2);
    await space.kubectl('annotate', 'pod', chosen, 'game.example/drained=yes');
    const [left] = await space.untilPods({ 'game:1': 1 });
    expect(left?.metadata.name).not.toBe(chosen);
    await space.untilReady('lobby');
  },

  'a canary step whose Job cannot be made pauses and says why': async (scene) => {
    const space = await scene.namespace('provider-job');
    const job = { spec: { parallelism: -1, template: { spec: { containers: [{ name: 'm', image: 'm:1' }] } } } };
    await space.apply(
      hookTemplate('migrated', '', {
        args: [],
        provider: { job },
        successCondition: undefined,
        consecutiveErrorLimit: 0,
      }),
    );
    const steps = [{ partition: 1 }, { hook: { templateName: 'migrated' } }];
    await space.apply(gameDeployment('lobby', { replicas: 2, ...canary(steps) }));
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
    await space.setImage('lobby', 'game:2');
    const message = await space.untilReason('lobby', 'Paused', 'PausedByStepBasedHook');
    expect(message).toContain('provider.job: the Job is refused: spec.parallelism: ');
    await space.untilPods({ 'game:1': 1, 'game:2': 1 });
  },
};
