/** A GameStatefulSet through all that needs a right of its own: claims, writes to pods in place, and a pod that is given up. */
import { expect } from 'vitest';
import type { Pod } from '../../crds/kubernetes.ts';
import { createNodes, resumeNode, stopNode } from '../../devstack/nodes.ts';
import { eventually } from '../support/eventually.ts';
import type { Installation } from './installation.ts';

const NAME = 'ranks';
const REPLICAS = 2;
/** Its pods are placed by name, so that no other test loses one when it goes silent. */
const NODE = 'node-2';
const PATIENCE = { timeoutMs: 90_000, intervalMs: 500 };

const CLAIM = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: NAME,
  resources: { requests: { storage: '1Gi' } },
};

const set = (image: string) => ({
  ...{
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'GameStatefulSet',
    metadata: { name: NAME, namespace: 'default' },
  },
  spec: {
    ...{
      replicas: REPLICAS,
      serviceName: NAME,
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'InplaceUpdate' },
    },
    selector: { matchLabels: { app: NAME } },
    template: {
      metadata: { labels: { app: NAME } },
      spec: {
        ...{ nodeName: NODE, terminationGracePeriodSeconds: 1 },
        containers: [{ name: 'game', image, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
    },
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: CLAIM }],
  },
});

const volume = (at: number) => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: `${NAME}-${at}` } },
  spec: {
    ...{ accessModes: CLAIM.accessModes, storageClassName: NAME, capacity: CLAIM.resources.requests },
    hostPath: { path: `/tmp/${NAME}-${at}` },
  },
});

async function podsOf(here: Installation): Promise<Pod[]> {
  const list = JSON.parse(await here.kubectl(['get', 'pods', '-l', `app=${NAME}`, '-o', 'json'])) as { items: Pod[] };
  return list.items;
}

const isReady = ({ metadata, status }: Pod) =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

/** Its pods, once so many of them are ready with the image. */
const untilReady = (here: Installation, image: string, count = REPLICAS): Promise<Pod[]> =>
  eventually(`${count} pods are ready with ${image}`, () => podsOf(here), {
    ...PATIENCE,
    until: (pods) =>
      pods.length === count && pods.every((pod) => isReady(pod) && pod.spec.containers[0]?.image === image),
  });

const uidsOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.uid).sort();

/** Its node is silent, so it stays until a person gives it up and the node has been asked for. */
async function giveUp(here: Installation, name: string, uid: string | undefined): Promise<void> {
  await stopNode(here.stack.api, NODE);
  await here.kubectl(['delete', 'pod', name, '--wait=false']);
  await here.kubectl(['annotate', 'pod', name, 'pod.gamestatefulset.bkbcs.tencent.com/node-lost-force-delete=true']);
  await eventually(`another pod has the name ${name}`, () => podsOf(here), {
    ...PATIENCE,
    until: (pods) => pods.some(({ metadata }) => metadata.name === name && metadata.uid !== uid),
  });
  await resumeNode(here.stack.api, NODE);
}

/** Made with claims, updated in place, one pod given up, scaled in. */
export async function playSet(here: Installation): Promise<void> {
  await createNodes(here.stack.api, 2);
  await here.kubectl(['cordon', NODE]);
  for (let at = 0; at < REPLICAS; at += 1) await here.kubectl(['apply', '-f', '-'], volume(at));
  await here.kubectl(['apply', '-f', '-'], set('game:1'));
  const made = await untilReady(here, 'game:1');
  const claims = await here.kubectl(['get', 'pvc', '-o', 'jsonpath={.items[*].metadata.name}']);
  expect(claims.split(' ')).toEqual([`data-${NAME}-0`, `data-${NAME}-1`]);
  await here.kubectl(['apply', '-f', '-'], set('game:2'));
  const updated = await untilReady(here, 'game:2');
  expect(uidsOf(updated)).toEqual(uidsOf(made));
  const last = updated.find(({ metadata }) => metadata.name === `${NAME}-1`);
  await giveUp(here, `${NAME}-1`, last?.metadata.uid);
  await untilReady(here, 'game:2');
  await here.kubectl(['scale', `gamestatefulset/${NAME}`, '--replicas=1']);
  await untilReady(here, 'game:2', 1);
}
