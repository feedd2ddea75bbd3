/** A first template that the API refuses, for a reason that is none of the template's own: nothing is lost once that is gone. */
import { expect } from 'vitest';
import type { GameNamespace } from './game-namespace.ts';
import { gameDeployment } from './manifests.ts';
import type { GameScene, Stories } from './scene.ts';

const ADMISSION = 'admissionregistration.k8s.io/v1';

/** What a policy refuses to be created, with an object to try it with. */
interface Refused {
  apiGroup: string;
  resource: string;
  probe: object;
}
const metadata = { name: 'probe' };
const containers = [{ name: 'game', image: 'game:1' }];
const PODS: Refused = {
  ...{ apiGroup: '', resource: 'pods' },
  probe: { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } },
};
const REVISIONS: Refused = {
  ...{ apiGroup: 'apps', resource: 'controllerrevisions' },
  probe: { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision: 1, data: {} },
};

/** The apiserver judges by a policy some moments after it was written. */
const isPolicyHeard = (space: GameNamespace, { resource, probe }: Refused, isRefused: boolean) =>
  space.eventually(`${resource} are ${isRefused ? 'refused' : 'admitted'}`, async () => {
    const args = ['-n', space.name, 'create', '--dry-run=server', '-o', 'name', '-f', '-'];
    const { code } = await space.scene.kubectl(args, JSON.stringify(probe));
    return (code !== 0) === isRefused;
  });

const policyName = (space: GameNamespace, { resource }: Refused): string => `no-${resource}-${space.name}`;

async function refuse(scene: GameScene, space: GameNamespace, refused: Refused): Promise<void> {
  const { apiGroup, resource } = refused;
  const policy = policyName(space, refused);
  const resourceRules = [{ apiGroups: [apiGroup], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] }];
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': space.name } };
  const validations = [{ expression: 'false', message: `no ${resource} today` }];
  const items = [
    {
      kind: 'ValidatingAdmissionPolicy',
      spec: { matchConstraints: { resourceRules, namespaceSelector }, validations },
    },
    { kind: 'ValidatingAdmissionPolicyBinding', spec: { policyName: policy, validationActions: ['Deny'] } },
  ].map((item) => ({ apiVersion: ADMISSION, metadata: { name: policy }, ...item }));
  const list = { apiVersion: 'v1', kind: 'List', items };
  expect(await scene.kubectl(['apply', '-f', '-'], JSON.stringify(list))).toMatchObject({ code: 0 });
  await isPolicyHeard(space, refused, true);
}

async function admit(scene: GameScene, space: GameNamespace, refused: Refused): Promise<void> {
  for (const kind of ['validatingadmissionpolicybinding', 'validatingadmissionpolicy'])
    await scene.kubectl(['delete', kind, policyName(space, refused)]);
  await isPolicyHeard(space, refused, false);
}

export const refusedFirst: Stories = {
  'a policy that refused the first template is gone: the next edit of any field brings the pods': async (scene) => {
    const space = await scene.namespace('refused-first');
    await refuse(scene, space, PODS);
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    expect(await space.untilReason('lobby', 'Ready', 'InvalidTemplate')).toMatch(/no pods today.* \(since .*Z\)\.$/);
    await admit(scene, space, PODS);
    await space.kubectl('scale', 'gamedeployment/lobby', '--replicas=3');
    await space.untilPods({ 'game:1': 3 });
    await space.untilReady('lobby');
  },

  'nobody edits anything: the resync brings them': async (scene) => {
    const space = await scene.namespace('refused-resync');
    await refuse(scene, space, PODS);
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    const { metadata } = await space.until('it is refused', 'lobby', ({ status }) =>
      (status?.conditions ?? []).some(({ reason }) => reason === 'InvalidTemplate'),
    );
    await admit(scene, space, PODS);
    // As the doorbell does every five minutes with whatever looks stale.
    const handle = scene.temporalClient.workflow.getHandle(space.workloadId('lobby'));
    await handle.signal('wake', { uid: metadata.uid, reason: 'resync' });
    await space.untilPods({ 'game:1': 2 });
    await space.untilReady('lobby');
  },

  'a revision that the API refuses is told, and what is asked for comes when it takes it': async (scene) => {
    const space = await scene.namespace('refused-revision');
    await space.apply(gameDeployment('lobby', { replicas: 2 }));
    await space.untilReady('lobby');
    await refuse(scene, space, REVISIONS);
    await space.apply(gameDeployment('lobby', { replicas: 2, image: 'game:2' }));
    expect(await space.untilReason('lobby', 'Stalled', 'RevisionRefused')).toContain('no controllerrevisions today');
    // Of that generation, but for how many pods run it: which revision it would be is not known yet.
    expect((await space.workload('lobby')).status).toMatchObject({ observedGeneration: 2, availableReplicas: 2 });
    expect((await space.workload('lobby')).status).not.toHaveProperty('updatedReplicas');
    await admit(scene, space, REVISIONS);
    await space.untilPods({ 'game:2': 2 });
    await space.untilReady('lobby');
  },
};
