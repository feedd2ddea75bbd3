/** Pods that have a place: how they come, go, and come back. */
import { expect } from 'vitest';
import type { KubernetesObject, Pod } from '../../crds/kubernetes.ts';
import { resumeNode, stopNode } from '../../devstack/nodes.ts';
import { conditionOf, type GameNamespace, imageOf } from '../game-deployment/game-namespace.ts';
import type { Stories } from '../game-deployment/scene.ts';
import { gameStatefulSet, volumes, withData } from './manifests.ts';

export const namesOf = (pods: Pod[]): string[] => pods.map(({ metadata }) => metadata.name);

/** `lobby-0 game:1`, by ordinal. */
export const placesOf = (pods: Pod[]): string[] => pods.map((pod) => `${pod.metadata.name} ${imageOf(pod)}`);

const createdAtMs = ({ metadata }: Pod) => Date.parse(metadata.creationTimestamp ?? '');
const readyAtMs = ({ status }: Pod) =>
  Date.parse(status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? '');

/** Names and uids of the namespace's claims. */
export async function claimsIn(space: GameNamespace): Promise<Record<string, string | undefined>> {
  const { items } = JSON.parse(await space.kubectl('get', 'pvc', '-o', 'json')) as { items: KubernetesObject[] };
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.uid]));
}

/** Its pod is placed by name, so that no other story loses one when it goes silent. */
const LONELY_NODE = 'node-4';

export const ordinals: Stories = {
  'OrderedReady: one after the other, each with its labels, its host name and its claim': async (scene) => {
    const space = await scene.namespace('ordered');
    await space.apply(...volumes(space, 3), gameStatefulSet('lobby', withData(space)));
    const pods = await space.untilPods({ 'game:1': 3 });
    expect(namesOf(pods)).toEqual(['lobby-0', 'lobby-1', 'lobby-2']);
    for (const [ordinal, { metadata, spec }] of pods.entries()) {
      const name = `lobby-${ordinal}`;
      expect(metadata.labels).toMatchObject({
        'gamestatefulset.kubernetes.io/pod-name': name,
        'gamestatefulset.kubernetes.io/pod-ordinal': String(ordinal),
      });
      expect(spec).toMatchObject({ hostname: name, subdomain: 'lobby' });
      expect(spec.volumes).toContainEqual({ name: 'data', persistentVolumeClaim: { claimName: `data-${name}` } });
    }
    for (const [at, pod] of pods.slice(1).entries())
      expect(createdAtMs(pod)).toBeGreaterThanOrEqual(readyAtMs(pods[at]!));
    expect(Object.keys(await claimsIn(space))).toEqual(['data-lobby-0', 'data-lobby-1', 'data-lobby-2']);
    const { status } = await space.sets.untilReady('lobby');
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, currentReplicas: 3, updatedReplicas: 3 });
    const [head, line] = (await space.kubectl('get', 'gamestatefulset', 'lobby')).split('\n');
    expect(head?.split(/\s+/).slice(0, 3)).toEqual(['NAME', 'REPLICAS', 'READY_REPLICAS']);
    expect(line?.split(/\s+/).slice(0, 6)).toEqual(['lobby', '3', '3', '3', '3', '3']);
  },

  'a pod that does not start holds up the next one under OrderedReady, and nobody under Parallel': async (scene) => {
    const space = await scene.namespace('policies');
    await space.apply(
      gameStatefulSet('ordered', { image: 'game:404' }),
      gameStatefulSet('parallel', { image: 'game:404', podManagementPolicy: 'Parallel', reserveOrders: [1] }),
    );
    const all = ['ordered-0', 'parallel-0', 'parallel-2', 'parallel-3'];
    await space.eventually('as many pods as may be there', async () => (await space.pods()).length >= all.length);
    await space.eventually('the Ready condition names the pod that is waited for', async () =>
      conditionOf(await space.sets.workload('ordered'), 'Ready')?.message?.includes('ordered-0'),
    );
    expect(namesOf(await space.pods())).toEqual(all);
    await space.sets.setImage('ordered', 'game:1');
    await space.sets.untilReady('ordered');
    expect(namesOf(await space.pods()).filter((name) => name.startsWith('ordered'))).toHaveLength(3);
  },

  'scale-in goes from the highest ordinal down and keeps the claims, which the next pods find': async (scene) => {
    const space = await scene.namespace('scale-in');
    await space.apply(...volumes(space, 3), gameStatefulSet('lobby', withData(space)));
    await space.untilPods({ 'game:1': 3 });
    const claims = await claimsIn(space);
    await space.kubectl('scale', 'gamestatefulset/lobby', '--replicas=1');
    expect(namesOf(await space.untilPods({ 'game:1': 1 }))).toEqual(['lobby-0']);
    await space.sets.untilReady('lobby');
    expect(await claimsIn(space)).toEqual(claims);
    await space.kubectl('scale', 'gamestatefulset/lobby', '--replicas=3');
    await space.untilPods({ 'game:1': 3 });
    await space.sets.untilReady('lobby');
    expect(await claimsIn(space)).toEqual(claims);
    const writes = await space.events('SuccessfulDelete');
    expect(writes.map(({ regarding }) => regarding)).toContain('GameStatefulSet/lobby');
  },

  'an ordinal that is reserved later gives its pod up, and the replicas are reached above it; given back it is filled':
    async (scene) => {
      const space = await scene.namespace('reserved');
      await space.apply(gameStatefulSet('lobby', { podManagementPolicy: 'Parallel' }));
      await space.untilPods({ 'game:1': 3 });
      await space.sets.untilReady('lobby');
      const is = async (names: string[]) => {
        await space.eventually(
          `the pods are ${names}`,
          async () => namesOf(await space.pods()).join() === names.join(),
        );
        await space.sets.untilReady('lobby');
      };
      await space.sets.patch('lobby', { spec: { reserveOrders: [1] } });
      await is(['lobby-0', 'lobby-2', 'lobby-3']);
      await space.kubectl('scale', 'gamestatefulset/lobby', '--replicas=2');
      await is(['lobby-0', 'lobby-2']);
      await space.sets.patch('lobby', { spec: { reserveOrders: null } });
      await is(['lobby-0', 'lobby-1']);
    },

  'a deleted pod comes back under its name, at the revision of its place (peers 48 and 49)': async (scene) => {
    const space = await scene.namespace('comes-back');
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } as const;
    await space.apply(gameStatefulSet('lobby', { updateStrategy }));
    await space.untilPods({ 'game:1': 3 });
    await space.sets.setImage('lobby', 'game:2');
    const before = await space.untilPods({ 'game:1': 2, 'game:2': 1 });
    await space.kubectl('delete', 'pod', 'lobby-0', 'lobby-2', '--wait=false');
    const uids = new Set(before.map(({ metadata }) => metadata.uid));
    await space.eventually('both are new', async () => {
      const pods = await space.pods();
      return pods.length === 3 && pods.filter(({ metadata }) => !uids.has(metadata.uid)).length === 2;
    });
    const after = await space.untilPods({ 'game:1': 2, 'game:2': 1 });
    expect(placesOf(after)).toEqual(['lobby-0 game:1', 'lobby-1 game:1', 'lobby-2 game:2']);
  },

  'a pod on a lost node keeps its name until a person gives it up, and then comes back': async (scene) => {
    const space = await scene.namespace('lost-node');
    const { api } = scene.stack;
    await scene.kubectl(['cordon', LONELY_NODE]);
    const lobby = gameStatefulSet('lobby', { replicas: 1 }) as { spec: { template: { spec: object } } };
    Object.assign(lobby.spec.template.spec, { nodeName: LONELY_NODE, terminationGracePeriodSeconds: 1 });
    await space.apply(lobby);
    const [pod] = await space.untilPods({ 'game:1': 1 });
    await space.sets.untilReady('lobby');
    await stopNode(api, LONELY_NODE);
    await space.kubectl('delete', 'pod', 'lobby-0', '--wait=false');
    await space.eventually('the Ready condition says what is waited for', async () =>
      /lobby-0 should be gone.*node-4 is not Ready/.test(
        conditionOf(await space.sets.workload('lobby'), 'Ready')?.message ?? '',
      ),
    );
    expect(await space.pods()).toEqual([]);
    await space.kubectl(
      'annotate',
      'pod',
      'lobby-0',
      'pod.gamestatefulset.bkbcs.tencent.com/node-lost-force-delete=true',
    );
    const [next] = await space.eventually('another pod has its name', async () => {
      const pods = await space.pods();
      return pods.length === 1 && pods;
    });
    expect(next?.metadata.name).toBe('lobby-0');
    await space.untilEvent('SuccessfulForce Delete');
    expect(next?.metadata.uid).not.toBe(pod?.metadata.uid);
    await resumeNode(api, LONELY_NODE);
    await space.sets.untilReady('lobby');
  },
};
