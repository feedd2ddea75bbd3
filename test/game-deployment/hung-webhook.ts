/** An admission webhook of one namespace that never answers, and the workloads of others. */
import { join } from 'node:path';
import { expect } from 'vitest';
import type { KubernetesObject, Pod } from '../../crds/kubernetes.ts';
import { type AdmissionHold, startAdmissionHold } from '../kubernetes/admission-hold.ts';
import { type GameNamespace, imageOf, uidsOf } from './game-namespace.ts';
import { gameDeployment } from './manifests.ts';
import type { GameScene, Stories } from './scene.ts';

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const REPLICAS = 6;
/** More writes at once than a controller has connections (24), none of which has to prove its template first. */
const UPDATED = ['updated-1', 'updated-2', 'updated-3'];
const GROWN = ['grown-1', 'grown-2'];
const SHRUNK = 'shrunk';
const HEALTHY = ['red', 'green'];
const FEW = 3;

/** Updated in place, up to all at once. */
const lobby = (name: string, image: string, replicas = REPLICAS, partition = 0) =>
  gameDeployment(name, {
    image,
    replicas,
    updateStrategy: { type: 'InplaceUpdate', maxUnavailable: REPLICAS, partition },
  });

/** Every write to pods themselves; the statuses that kubelets write pass. */
function ofPods({ configuration }: AdmissionHold, name: string): KubernetesObject {
  const { webhooks, ...rest } = configuration as KubernetesObject & { webhooks: object[] };
  const rules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['pods'] },
  ];
  const held = webhooks.map((webhook) => ({ ...webhook, rules, failurePolicy: 'Fail', timeoutSeconds: 10 }));
  return { ...rest, metadata: { name }, webhooks: held } as KubernetesObject;
}

/** Holds the writes to all pods of the namespace while `meanwhile` goes on. */
async function holding(scene: GameScene, space: GameNamespace, meanwhile: (hold: AdmissionHold) => Promise<void>) {
  const hold = await startAdmissionHold(join(scene.stack.dir, 'certs'), space.name);
  try {
    await scene.stack.api('POST', WEBHOOKS, ofPods(hold, space.name));
    await meanwhile(hold);
  } finally {
    await scene.stack.api('DELETE', `${WEBHOOKS}/${space.name}`);
    await hold.close();
  }
}

/** One pod of each update is through, and the rest waits for a word. */
async function prepare(space: GameNamespace): Promise<Pod[]> {
  const others = [...GROWN.map((name) => lobby(name, 'game:1', 1)), lobby(SHRUNK, 'game:1')];
  await space.apply(...UPDATED.map((name) => lobby(name, 'game:1')), ...others);
  await space.untilPods({ 'game:1': (UPDATED.length + 1) * REPLICAS + GROWN.length });
  await space.apply(...UPDATED.map((name) => lobby(name, 'game:2', REPLICAS, REPLICAS - 1)));
  return space.untilPods({
    'game:1': UPDATED.length * (REPLICAS - 1) + GROWN.length + REPLICAS,
    'game:2': UPDATED.length,
  });
}

/** All that is to be patched, created and deleted is wanted at once. */
async function disturb(space: GameNamespace): Promise<void> {
  const updated = UPDATED.map((name) => lobby(name, 'game:2'));
  await space.apply(
    ...updated,
    ...GROWN.map((name) => lobby(name, 'game:1', 1 + REPLICAS)),
    lobby(SHRUNK, 'game:1', 1),
  );
}

async function untilDone(space: GameNamespace): Promise<void> {
  await space.untilPods({ 'game:1': GROWN.length * (1 + REPLICAS) + 1, 'game:2': UPDATED.length * REPLICAS });
  for (const name of [...UPDATED, ...GROWN, SHRUNK]) await space.untilReady(name);
}

/** Creates workloads and updates them in place. */
async function thrive(space: GameNamespace): Promise<void> {
  await space.apply(...HEALTHY.map((name) => lobby(name, 'game:1', FEW)));
  const before = await space.untilPods({ 'game:1': HEALTHY.length * FEW });
  await space.apply(...HEALTHY.map((name) => lobby(name, 'game:2', FEW)));
  const after = await space.untilPods({ 'game:2': HEALTHY.length * FEW });
  expect(uidsOf(after)).toEqual(uidsOf(before));
  for (const name of HEALTHY) await space.untilReady(name);
}

export const hungWebhook: Stories = {
  'a webhook of one namespace that never answers holds up its own workloads and no others': async (scene) => {
    const [sick, healthy] = await Promise.all([scene.namespace('sick'), scene.namespace('healthy')]);
    const before = await prepare(sick);
    await holding(scene, sick, async (hold) => {
      await disturb(sick);
      await sick.eventually('its writes hang', () => hold.held >= REPLICAS);
      await thrive(healthy);
      // Else others waited for these to fail, and to be sent again.
      expect(hold.held).toBeLessThanOrEqual(UPDATED.length * (REPLICAS - 1) + GROWN.length * REPLICAS + REPLICAS - 1);
      const during = await sick.pods();
      expect(during.map(imageOf)).toEqual(before.map(imageOf));
      expect(uidsOf(during)).toEqual(uidsOf(before));
    });
    await untilDone(sick);
  },
};
