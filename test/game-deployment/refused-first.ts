/** A first template that the API refuses, for a reason that is none of the template's own: nothing is lost once that is gone. */
import { expect } from 'vitest';
import type { GameNamespace } from './game-namespace.ts';
import { gameDeployment } from './manifests.ts';
import type { GameScene, Stories } from './scene.ts';

const ADMISSION = 'admissionregistration.k8s.io/v1';
/** The apiserver judges by a policy some moments after it was written. */
const isPolicyHeard = (space: GameNamespace, isRefused: boolean) =>
  space.eventually(`pods are ${isRefused ? 'refused' : 'admitted'}`, async () => {
    const args = ['run', 'probe', '--image=game:1', '--dry-run=server', '-o', 'name'];
    const { code } = await space.scene.kubectl(['-n', space.name, ...args]);
    return (code !== 0) === isRefused;
  });

async function refusePods(scene: GameScene, space: GameNamespace): Promise<void> {
  const metadata = { name: `no-pods-${space.name}` };
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': space.name } };
  const validations = [{ expression: 'false', message: 'no pods today' }];
  const items = [
    {
      kind: 'ValidatingAdmissionPolicy',
      spec: { matchConstraints: { resourceRules, namespaceSelector }, validations },
    },
    { kind: 'ValidatingAdmissionPolicyBinding', spec: { policyName: metadata.name, validationActions: ['Deny'] } },
  ].map((item) => ({ apiVersion: ADMISSION, metadata, ...item }));
  const list = { apiVersion: 'v1', kind: 'List', items };
  expect(await scene.kubectl(['apply', '-f', '-'], JSON.stringify(list))).toMatchObject({ code: 0 });
  await isPolicyHeard(space, true);
}

async function admitPods(scene: GameScene, space: GameNamespace): Promise<void> {
  for (const kind of ['validatingadmissionpolicybinding', 'validatingadmissionpolicy'])
    await scene.kubectl(['delete', kind, `no-pods-${space.name}`]);
  await isPolicyHeard(space, false);
}

export const refusedFirst: Stories = {
  'a policy that refused the first template is gone: the next edit of any field brings the pods': async (scene) => {
    const space = await scene.namespace('refused-first');
    await refusePods(scene, space);
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    expect(await space.untilReason('lobby', 'Ready', 'InvalidTemplate')).toMatch(/no pods today.* \(since .*Z\)\.$/);
    await admitPods(scene, space);
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
    await space.untilPods({ 'game:1': 3 });
    await space.untilReady('lobby');
  },

  'nobody edits anything: the resync brings them': async (scene) => {
    const space = await scene.namespace('refused-resync');
    await refusePods(scene, space);
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    const { metadata } = await space.until('it is refused', 'lobby', ({ status }) =>
      (status?.conditions ?? []).some(({ reason }) => reason === 'InvalidTemplate'),
    );
    await admitPods(scene, space);
    // As the doorbell does every five minutes with whatever looks stale.
    const handle = scene.temporalClient.workflow.getHandle(space.workloadId('lobby'));
    await handle.signal('wake', { uid: metadata.uid, reason: 'resync' });
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
  },
};
