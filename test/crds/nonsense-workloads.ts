/** Nonsense in templates and the plain fields of the two workloads. */
import type { Nonsense } from './nonsense.ts';
import { type MakeManifest, makeGameDeployment, makeGameStatefulSet } from './objects.ts';

const CONTAINERS = 'spec.template.spec.containers';

const templates: Nonsense[] = [
  { name: 'no template', object: makeGameDeployment, set: { 'spec.template': undefined }, wantPath: 'spec.template' },
  { name: 'no containers', object: makeGameDeployment, set: { [CONTAINERS]: [] }, wantPath: CONTAINERS },
  {
    name: 'a container without an image',
    object: makeGameStatefulSet,
    set: { [CONTAINERS]: [{ name: 'game' }] },
    wantPath: `${CONTAINERS}[0].image`,
  },
  {
    name: 'two containers of one name',
    object: makeGameDeployment,
    set: { [`${CONTAINERS}[1]`]: { name: 'game', image: 'registry.example/other:1' } },
    wantPath: `${CONTAINERS}[1]`,
  },
];

const CLAIMS = 'spec.volumeClaimTemplates';
const claims = (...names: (string | undefined)[]) => names.map((name) => ({ metadata: { name }, spec: {} }));

const claimTemplates: Nonsense[] = [
  {
    name: 'a claim template without a name',
    object: makeGameStatefulSet,
    set: { [CLAIMS]: claims(undefined) },
    wantPath: `${CLAIMS}[0].metadata.name`,
  },
  ...['Saves', 'saves.eu', '-saves', ''].map((name) => ({
    name: `a claim template whose name no volume can have: ${JSON.stringify(name)}`,
    object: makeGameStatefulSet,
    set: { [CLAIMS]: claims('logs', name) },
    wantPath: `${CLAIMS}[1].metadata.name`,
  })),
  {
    name: 'a claim template whose name is too long for a volume',
    object: makeGameStatefulSet,
    set: { [CLAIMS]: claims('x'.repeat(64)) },
    wantPath: `${CLAIMS}[0].metadata.name`,
  },
  {
    name: 'two claim templates of one name',
    object: makeGameStatefulSet,
    set: { [CLAIMS]: claims('saves', 'logs', 'saves') },
    wantPath: CLAIMS,
    wantMessage: 'same name',
  },
  {
    name: 'a claim template with a label that the API does not take',
    object: makeGameStatefulSet,
    set: { [CLAIMS]: [{ metadata: { name: 'saves', labels: { tier: 'a b' } }, spec: {} }] },
    wantPath: `${CLAIMS}[0].metadata.labels.tier`,
    wantMessage: 'letters, digits',
  },
];

/** The wrong value alone: the refusal names the field itself. */
function wrong(object: MakeManifest, name: string, path: string, value: unknown): Nonsense {
  return { name, object, set: { [path]: value }, wantPath: path };
}

const IN_PLACE = 'spec.updateStrategy.inPlaceUpdateStrategy';

const fields: Nonsense[] = [
  wrong(makeGameDeployment, 'a negative number of replicas', 'spec.replicas', -1),
  wrong(makeGameStatefulSet, 'replicas as text', 'spec.replicas', '3'),
  wrong(makeGameDeployment, 'more replicas than an int32 holds', 'spec.replicas', 2 ** 31),
  wrong(makeGameDeployment, 'an unknown strategy', 'spec.updateStrategy.type', 'BlueGreen'),
  wrong(makeGameStatefulSet, 'a strategy of Deployments', 'spec.updateStrategy.type', 'Recreate'),
  wrong(makeGameDeployment, 'an unknown order of containers', `${IN_PLACE}.policy`, 'Random'),
  wrong(makeGameDeployment, 'an unknown fallback', `${IN_PLACE}.fallback`, 'Ignore'),
  wrong(makeGameDeployment, 'a negative grace period', `${IN_PLACE}.gracePeriodSeconds`, -1),
  wrong(makeGameStatefulSet, 'an unknown pod management policy', 'spec.podManagementPolicy', 'Serial'),
  wrong(makeGameStatefulSet, 'no service name', 'spec.serviceName', undefined),
  wrong(makeGameStatefulSet, 'a service name in capitals', 'spec.serviceName', 'World'),
  wrong(makeGameStatefulSet, 'a service name with a dot', 'spec.serviceName', 'world.eu'),
  wrong(makeGameStatefulSet, 'a service name that is too long', 'spec.serviceName', 'w'.repeat(64)),
  wrong(makeGameDeployment, 'a progress deadline of nothing', 'spec.progressDeadlineSeconds', 0),
  wrong(makeGameDeployment, 'a negative time until a pod is available', 'spec.minReadySeconds', -5),
  wrong(makeGameStatefulSet, 'a negative history', 'spec.revisionHistoryLimit', -1),
  {
    name: 'a negative reserved ordinal',
    object: makeGameStatefulSet,
    set: { 'spec.reserveOrders': [0, -1] },
    wantPath: 'spec.reserveOrders[1]',
  },
];

export const NONSENSE_IN_WORKLOADS: readonly Nonsense[] = [...templates, ...claimTemplates, ...fields];
