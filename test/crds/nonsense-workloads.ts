/** Nonsense in selectors, templates and the plain fields of the two workloads. */
import type { Nonsense } from './nonsense.ts';
import { type MakeManifest, makeGameDeployment, makeGameStatefulSet } from './objects.ts';

const NOT_EMPTY = 'at least one label';
const MATCHES = 'every label of selector.matchLabels';
const SELECTOR = 'spec.selector';
const LABELS = 'spec.template.metadata.labels';
const CONTAINERS = 'spec.template.spec.containers';

const selectors: Nonsense[] = [
  { name: 'no selector', object: makeGameDeployment, set: { [SELECTOR]: undefined }, wantPath: SELECTOR },
  {
    name: 'an empty selector',
    object: makeGameDeployment,
    set: { [SELECTOR]: {} },
    wantPath: SELECTOR,
    wantMessage: NOT_EMPTY,
  },
  {
    name: 'a selector with an empty matchLabels',
    object: makeGameStatefulSet,
    set: { [SELECTOR]: { matchLabels: {} } },
    wantPath: SELECTOR,
    wantMessage: NOT_EMPTY,
  },
  {
    name: 'a selector the template does not match',
    object: makeGameDeployment,
    set: { 'spec.selector.matchLabels.app': 'other' },
    wantPath: LABELS,
    wantMessage: MATCHES,
  },
  {
    name: 'a selector with a label more than the template',
    object: makeGameStatefulSet,
    set: { 'spec.selector.matchLabels.tier': 'gold' },
    wantPath: LABELS,
    wantMessage: MATCHES,
  },
  {
    name: 'a template without labels',
    object: makeGameDeployment,
    set: { 'spec.template.metadata': undefined },
    wantPath: LABELS,
    wantMessage: MATCHES,
  },
  {
    name: 'a selector with an unknown operator',
    object: makeGameDeployment,
    set: { 'spec.selector.matchExpressions': [{ key: 'app', operator: 'Equals', values: ['lobby'] }] },
    wantPath: 'spec.selector.matchExpressions[0].operator',
  },
  {
    name: 'a selector with a value longer than a label',
    object: makeGameDeployment,
    set: { 'spec.selector.matchLabels.app': 'x'.repeat(64) },
    wantPath: 'spec.selector.matchLabels.app',
  },
];

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
  {
    name: 'a claim template without a name',
    object: makeGameStatefulSet,
    set: { 'spec.volumeClaimTemplates': [{ metadata: {}, spec: {} }] },
    wantPath: 'spec.volumeClaimTemplates[0].metadata.name',
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

export const NONSENSE_IN_WORKLOADS: readonly Nonsense[] = [...selectors, ...templates, ...fields];
