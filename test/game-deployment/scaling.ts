/** Replicas up and down, by kubectl scale. */
import { expect } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { imageOf, uidsOf } from './game-namespace.ts';
import { canary, gameDeployment } from './manifests.ts';
import type { Stories } from './scene.ts';

const NODE_COST = 'io.tencent.bcs.dev/node-deletion-cost';
const POD_COST = 'controller.kubernetes.io/pod-deletion-cost';
const COST_SORT = 'io.tencent.bcs.dev/pod-deletion-cost-sort-method';

/** Over the nodes, as far as they take pods. */
function spread(workload: object): object {
  const labelSelector = { matchLabels: { app: 'lobby' } };
  const evenly = { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' };
  const { spec } = (workload as { spec: { template: { spec: object } } }).spec.template;
  Object.assign(spec, { topologySpreadConstraints: [{ ...evenly, labelSelector }] });
  return workload;
}

const isOn =
  (node: string) =>
  ({ spec }: Pod): boolean =>
    spec.nodeName === node;

export const scaling: Stories = {
  'kubectl scale moves replicas both ways and keeps the pods that may stay (peers 6)': async (scene) => {
    const space = await scene.namespace('scale');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    const two = uidsOf(await space.untilPods({ 'game:1': 2 }));
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=5');
    const five = uidsOf(await space.untilPods({ 'game:1': 5 }));
    expect(five).toEqual(expect.arrayContaining(two));
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
    const three = uidsOf(await space.untilPods({ 'game:1': 3 }));
    expect(five).toEqual(expect.arrayContaining(three));
    const { status } = await space.untilReady('lobby');
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, labelSelector: 'app=lobby' });
  },

  'scales to zero and back; what is created at zero has no steps to walk': async (scene) => {
    const space = await scene.namespace('zero');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    await space.untilPods({ 'game:1': 2 });
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=0');
    await space.untilPods({});
    await space.untilReady('lobby');
    await space.apply(gameDeployment('lobby', { replicas: 0, image: 'game:2', ...canary([{ pause: {} }]) }));
    await space.untilReady('lobby');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=2');
    await space.untilPods({ 'game:2': 2 });
    await space.untilReady('lobby');
  },

  'costs: pods of the cheapest node go first, then the cheapest pod, or the dearest where that is asked for': async (
    scene,
  ) => {
    const space = await scene.namespace('deletion-costs');
    await space.apply(spread(gameDeployment('lobby', { replicas: 6, updateStrategy: { maxUnavailable: '100%' } })));
    const pods = await space.untilPods({ 'game:1': 6 });
    const node = pods[0]?.spec.nodeName ?? '';
    const [cheap, others] = [pods.filter(isOn(node)), pods.filter((pod) => !isOn(node)(pod))];
    expect(others.length).toBeGreaterThan(2);
    await space.kubectl('annotate', 'node', node, `${NODE_COST}=-5`);
    for (const [index, { metadata }] of others.entries())
      await space.kubectl('annotate', 'pod', metadata.name, `${POD_COST}=${[3, 1, 2][index] ?? 0}`);
    const left = async (count: number) => {
      await space.kubectl('scale', 'gamedeployment/lobby', `--replicas=${count}`);
      return uidsOf(await space.untilPods({ 'game:1': count })).sort();
    };
    const [dear, cheapest, middle, ...free] = others.map(({ metadata }) => metadata.uid ?? '');
    expect(await left(others.length)).toEqual(uidsOf(others).sort());
    await space.kubectl('annotate', 'node', node, `${NODE_COST}-`);
    expect(await left(3)).toEqual([dear, cheapest, middle].sort());
    expect([cheap.length + free.length, await left(2)]).toEqual([3, [dear, middle].sort()]);
    await space.kubectl('annotate', 'gamedeployment', 'lobby', `${COST_SORT}=descend`);
    expect(await left(1)).toEqual([middle]);
  },

  'scale-out in a pause creates at the stable revision and scale-in keeps a canary (decision 11)': async (scene) => {
    const space = await scene.namespace('scale-paused');
    await space.apply(gameDeployment('lobby', { replicas: 3, ...canary([{ partition: 2 }, { pause: {} }]) }));
    await space.untilPods({ 'game:1': 3 });
    await space.setImage('lobby', 'game:2');
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=5');
    await space.untilPods({ 'game:1': 4, 'game:2': 1 });
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=2');
    const pods = await space.untilPods({ 'game:1': 1, 'game:2': 1 });
    expect(pods.map(imageOf)).toContain('game:2');
    await space.signal(space.rolloutId('lobby'), 'resume');
    await space.untilPods({ 'game:2': 2 });
  },
};
