/** A pod whose readiness flips and flips: seen, and bounded in what it costs. */
import { expect } from 'vitest';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Pod } from '../../crds/kubernetes.ts';
import type { GameNamespace } from '../game-deployment/game-namespace.ts';
import type { Tell } from './kinds.ts';

/** A readiness gate of the user's own: the kubelet follows what anybody writes there. */
const GATE = 'example.com/serves';
const FLIPS = 40;
const PODS = 3;

function withGate(manifest: object): object {
  const { spec } = manifest as { spec: { template: { spec: object } } };
  Object.assign(spec.template.spec, { readinessGates: [{ conditionType: GATE }] });
  return manifest;
}

async function setServing({ scene }: GameNamespace<GameWorkload>, { metadata }: Pod, serves: boolean): Promise<void> {
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`;
  const conditions = [{ type: GATE, status: serves ? 'True' : 'False' }];
  await scene.stack.api('PATCH', path, { status: { conditions } }, 'application/strategic-merge-patch+json');
}

const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');

/** How many activities the workload's workflow has asked for so far. */
async function activities(space: GameNamespace<GameWorkload>): Promise<number> {
  const handle = space.scene.temporalClient.workflow.getHandle(space.workloadId('lobby'));
  const { events = [] } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes != null).length;
}

/** Once in a second, each time when the kubelet has followed. */
async function flip(space: GameNamespace<GameWorkload>, pod: Pod, serves: boolean): Promise<void> {
  const beganMs = Date.now();
  await setServing(space, pod, serves);
  await space.eventually('the kubelet follows, and a second is over', async () => {
    const seen = (await space.pods()).find(({ metadata }) => metadata.uid === pod.metadata.uid);
    return seen !== undefined && isReady(seen) === serves && Date.now() - beganMs >= 1_000;
  });
}

export const flapping: Record<string, Tell> = {
  'a pod whose readiness flips every second costs less than one activity a flip': async ({ scene }, kind) => {
    const space = await kind.open(scene, 'flips');
    await space.apply(withGate(kind.manifest('lobby', { replicas: PODS })));
    await space.eventually('all pods are there', async () => (await space.pods()).length === PODS);
    const pods = await space.pods();
    for (const pod of pods) await setServing(space, pod, true);
    await space.untilReady('lobby');
    const before = await activities(space);
    for (let count = 1; count <= FLIPS; count += 1) await flip(space, pods[0]!, count % 2 === 0);
    expect((await activities(space)) - before).toBeLessThan(FLIPS);
    await flip(space, pods[0]!, false);
    await space.until('what holds it is said', 'lobby', ({ status }) => status?.availableReplicas === PODS - 1);
    await flip(space, pods[0]!, true);
    await space.untilReady('lobby');
    expect((await space.pods()).map(({ metadata }) => metadata.uid)).toEqual(pods.map(({ metadata }) => metadata.uid));
  },
};
