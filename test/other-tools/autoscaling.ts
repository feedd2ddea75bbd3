/** The HorizontalPodAutoscaler of the real kube-controller-manager on the scale subresource of both kinds. */
import { expect } from 'vitest';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Condition } from '../../crds/kubernetes.ts';
import type { GameNamespace } from '../game-deployment/game-namespace.ts';
import type { Here, Kind, Tell } from './kinds.ts';

const REQUEST = 100;
const TARGET_PERCENT = 50;
const container = { resources: { requests: { cpu: `${REQUEST}m` } } };
/** Load for which so many pods are right. */
const loadFor = (pods: number) => pods * REQUEST * (TARGET_PERCENT / 100);

/** Between two and ten pods, at once in both directions. */
function autoscaler(name: string, { kind }: Kind): object {
  const atOnce = { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 10, periodSeconds: 15 }] };
  const target = { type: 'Utilization', averageUtilization: TARGET_PERCENT };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: 'tkex.tencent.com/v1alpha1', kind, name },
      ...{ minReplicas: 2, maxReplicas: 10 },
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
      behavior: { scaleUp: atOnce, scaleDown: atOnce },
    },
  };
}

/** A canary paused at its first pause, two of four pods updated; then an autoscaler wants six. */
async function scaledInPause({ scene, metrics }: Here, kind: Kind, partitions: (number | string)[]) {
  const space = await kind.open(scene, `hpa-${String(partitions[0]).replace('%', '-percent')}`);
  const steps = partitions.flatMap((partition) => [{ partition }, { pause: {} }]);
  metrics.setLoad(space.name, loadFor(6));
  await space.apply(kind.manifest('lobby', { replicas: 4, container, steps }));
  await space.untilPods({ 'game:1': 4 });
  await space.untilReady('lobby');
  await space.setImage('lobby', 'game:2');
  await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
  await space.untilPods({ 'game:1': 2, 'game:2': 2 });
  await space.apply(autoscaler('lobby', kind));
  return space;
}

/** The next step is done, and six pods are there. */
async function resumed(space: GameNamespace<GameWorkload>, images: Record<string, number>) {
  await space.signal(space.rolloutId('lobby'), 'resume');
  await space.untilPods(images);
  await space.until('it is paused at step 3', 'lobby', ({ status }) => status?.currentStepIndex === 3);
}

export const autoscaling: Record<string, Tell> = {
  'an HPA scales out and in with the load, by the selector of the status': async ({ scene, metrics }, kind) => {
    const space = await kind.open(scene, 'hpa');
    metrics.setLoad(space.name, loadFor(6));
    await space.apply(kind.manifest('lobby', { replicas: 2, container }), autoscaler('lobby', kind));
    await space.untilPods({ 'game:1': 6 });
    metrics.setLoad(space.name, loadFor(2));
    await space.untilPods({ 'game:1': 2 });
    const { status } = await space.untilReady('lobby');
    expect(status).toMatchObject({ replicas: 2, labelSelector: 'app=lobby' });
    const conditions = JSON.parse(await space.kubectl('get', 'hpa', 'lobby', '-o', 'json')).status.conditions;
    const isTrue = (type: string) => (conditions as Condition[]).find((each) => each.type === type)?.status;
    expect([isTrue('AbleToScale'), isTrue('ScalingActive')]).toEqual(['True', 'True']);
  },

  'kubectl autoscale makes such an autoscaler': async ({ scene, metrics }, kind) => {
    const space = await kind.open(scene, 'kubectl-autoscale');
    metrics.setLoad(space.name, loadFor(4));
    await space.apply(kind.manifest('lobby', { replicas: 1, container }));
    await space.untilReady('lobby');
    await space.kubectl('autoscale', `${kind.lower}/lobby`, '--min=2', '--max=9', `--cpu=${TARGET_PERCENT}%`);
    await space.untilPods({ 'game:1': 4 });
    const { spec } = JSON.parse(await space.kubectl('get', 'hpa', 'lobby', '-o', 'json'));
    expect(spec).toMatchObject({ minReplicas: 2, maxReplicas: 9, scaleTargetRef: { kind: kind.kind, name: 'lobby' } });
  },

  'scaled out by an HPA in a pause under an integer partition: new pods are stable, until the resume': async (
    here,
    kind,
  ) => {
    const space = await scaledInPause(here, kind, [2, 1]);
    await space.untilPods({ 'game:1': 4, 'game:2': 2 });
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    await resumed(space, { 'game:1': 1, 'game:2': 5 });
  },

  'scaled out by an HPA in a pause under a percentage: new pods by their share, as after the resume': async (
    here,
    kind,
  ) => {
    const space = await scaledInPause(here, kind, ['50%', '25%']);
    await space.untilPods({ 'game:1': 3, 'game:2': 3 });
    await space.untilReason('lobby', 'Paused', 'PausedByCanaryPauseStep');
    await resumed(space, { 'game:1': 1, 'game:2': 5 });
  },
};
