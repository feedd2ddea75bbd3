/** kubectl as people know it: wait, watch, describe, and events that tell the story without shouting. */
import { expect } from 'vitest';
import { canary, gameDeployment } from './manifests.ts';
import { pausedCanary } from './pauses.ts';
import type { Stories } from './scene.ts';

/** Beyond the two events of each move and the handful that tell the story, somebody shouts. */
const MOST_EVENTS = 40;

export const whatPeopleSee: Stories = {
  'kubectl wait for Ready works after apply and after an update': async (scene) => {
    const space = await scene.namespace('wait');
    const wait = () => space.kubectl('wait', '--for=condition=Ready', 'gamedeployment/lobby', '--timeout=90s');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    expect(await wait()).toContain('condition met');
    await space.untilPods({ 'game:1': 2 });
    await space.apply(gameDeployment('lobby', { replicas: 2, image: 'game:2' }));
    expect(await wait()).toContain('condition met');
    await space.untilPods({ 'game:2': 2 });
    await space.kubectl(
      'wait',
      '--for=jsonpath={.status.updatedReadyReplicas}=2',
      'gamedeployment/lobby',
      '--timeout=60s',
    );
  },

  'kubectl get -w shows how a scale-out comes along': async (scene) => {
    const space = await scene.namespace('watch');
    await space.apply(gameDeployment('lobby', { replicas: 1 }));
    await space.untilReady('lobby');
    const watch = scene.follow(['-n', space.name, 'get', 'gamedeployment', 'lobby', '--watch']);
    const shows = (row: string) =>
      space.eventually(`the watch shows ${row}`, () =>
        watch.lines.some((line) => line.trim().split(/\s+/).slice(0, 6).join(' ') === row),
      );
    await shows('NAME DESIRED UPDATED UPDATED_READY READY TOTAL');
    await shows('lobby 1 1 1 1 1');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
    await shows('lobby 3 3 3 3 3');
    watch.end();
  },

  'describe tells the story of a canary in its events, a bounded number of them': async (scene) => {
    const space = await scene.namespace('events');
    await pausedCanary(space);
    await space.signal(space.rolloutId('lobby'), 'resume');
    await space.untilPods({ 'game:2': 3 });
    await space.untilReady('lobby');
    const reasons = [
      'SuccessfulCreate',
      'RolloutStarted',
      'SetStepIndex',
      'PausedByCanaryPauseStep',
      'SuccessfulUpdatePodInPlace',
      'RolloutResumed',
      'RolloutCompleted',
    ];
    await space.eventually('all events are written', async () => {
      const seen = (await space.events()).map(({ reason }) => reason);
      return reasons.every((reason) => seen.includes(reason));
    });
    const text = await space.kubectl('describe', 'gamedeployment', 'lobby');
    for (const reason of reasons) expect(text).toContain(reason);
    const ours = (await space.events()).filter(({ regarding }) => regarding === 'GameDeployment/lobby');
    for (const { note } of ours) expect(note).toMatch(/^[^\n]{1,1024}$/);
    expect(ours.reduce((sum, { count }) => sum + count, 0)).toBeLessThan(MOST_EVENTS);
  },

  'the rollout tells what it waits for in its current details': async (scene) => {
    const space = await scene.namespace('details');
    await pausedCanary(space);
    const { stdout } = await scene.temporal(['workflow', 'metadata', '-w', space.rolloutId('lobby')]);
    expect(stdout).toContain('resume');
    expect(stdout).toContain('--input');
    const workload = await scene.temporal(['workflow', 'metadata', '-w', space.workloadId('lobby')]);
    expect(workload.stdout).toContain('3 of 3 pods available');
  },

  'what the apiserver refuses at apply names the field': async (scene) => {
    const space = await scene.namespace('refusals');
    await space.apply(gameDeployment('lobby', { replicas: 1, ...canary([{ pause: {} }]) }));
    const patch = (spec: object) =>
      space.refusedKubectl('patch', 'gamedeployment', 'lobby', '--type=merge', '-p', JSON.stringify({ spec }));
    expect(await patch({ updateStrategy: { type: 'Sideways' } })).toContain('spec.updateStrategy.type');
    expect(await patch({ updateStrategy: { maxUnavailable: 0, maxSurge: 0 } })).toContain('spec.updateStrategy');
    expect(await patch({ updateStrategy: { maxUnavailable: 'many' } })).toContain('spec.updateStrategy.maxUnavailable');
  },
};
