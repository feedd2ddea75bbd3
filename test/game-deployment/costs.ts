/** What workloads cost: nothing while idle, a bounded history while they move. */
import { expect } from 'vitest';
import type { GameNamespace } from './game-namespace.ts';
import { canary, gameDeployment } from './manifests.ts';
import { pausedCanary } from './pauses.ts';
import type { Stories } from './scene.ts';

/** Of a creation and a canary of three pods: some ten waves and looks at 12 events, and the bells between them. */
const WORKLOAD_EVENTS = 320;
const ROLLOUT_EVENTS = 100;
const TOUCHES = 8;
const REST_MS = 4_000;

/** The history's length once it has not grown for a while. */
async function untilAtRest(space: GameNamespace, length: () => Promise<number>): Promise<number> {
  let seen = { length: 0, sinceMs: 0 };
  await space.eventually('the workload has come to rest', async () => {
    const now = await length();
    if (now !== seen.length) seen = { length: now, sinceMs: Date.now() };
    return Date.now() - seen.sinceMs > REST_MS;
  });
  return seen.length;
}

export const costs: Stories = {
  'an idle workload writes no history, however often its pods are touched': async (scene) => {
    const space = await scene.namespace('idle');
    await space.apply(gameDeployment('lobby', { replicas: 3, ...canary([{ pause: {} }]) }));
    await space.untilReady('lobby');
    const length = () => space.historyLength(space.workloadId('lobby'));
    await space.apply(gameDeployment('settled', { replicas: 1 }));
    await space.untilReady('settled');
    const before = await untilAtRest(space, length);
    for (let touch = 1; touch <= TOUCHES; touch += 1) {
      await space.kubectl('annotate', 'pods', '-l', 'app=lobby', '--overwrite', `example.com/touched=${touch}`);
    }
    // Bells are rung in the order in which the stores change: when this one has had its effect, the others were rung.
    await space.kubectl('scale', 'gamedeployment/settled', '--replicas=2');
    await space.until('the other one is scaled', 'settled', ({ status }) => status?.readyReplicas === 2);
    expect(await length()).toBe(before);
  },

  'a canary costs a bounded history': async (scene) => {
    const space = await scene.namespace('bounded');
    await pausedCanary(space);
    await space.signal(space.rolloutId('lobby'), 'resume');
    await space.untilPods({ 'game:2': 3 });
    await space.untilReady('lobby');
    expect(await space.historyLength(space.workloadId('lobby'))).toBeLessThan(WORKLOAD_EVENTS);
    expect(await space.historyLength(space.rolloutId('lobby'))).toBeLessThan(ROLLOUT_EVENTS);
  },
};
