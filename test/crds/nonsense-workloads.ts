/** Nonsense in selectors, templates and the plain fields of the two workloads. */
import type { Nonsense } from './nonsense.ts';
import { makeGameDeployment, makeGameStatefulSet } from './objects.ts';

const STRATEGY = 'spec.updateStrategy';
export const NONSENSE_IN_WORKLOADS: readonly Nonsense[] = [
  {
    name: 'no selector',
    object: makeGameDeployment,
    spoil: (spec) => delete spec.selector,
    wantPath: 'spec.selector',
  },
  {
    name: 'an empty selector',
    object: makeGameDeployment,
    spoil: (spec) => (spec.selector = {}),
    wantPath: 'spec.selector',
    wantMessage: 'at least one label',
  },
  {
    name: 'a selector with an empty matchLabels',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.selector = { matchLabels: {} }),
    wantPath: 'spec.selector',
    wantMessage: 'at least one label',
  },
  {
    name: 'a selector the template does not match',
    object: makeGameDeployment,
    spoil: (spec) => (spec.selector.matchLabels.app = 'other'),
    wantPath: 'spec.template.metadata.labels',
    wantMessage: 'every label of selector.matchLabels',
  },
  {
    name: 'a selector with a label more than the template',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.selector.matchLabels.tier = 'gold'),
    wantPath: 'spec.template.metadata.labels',
    wantMessage: 'every label of selector.matchLabels',
  },
  {
    name: 'a template without labels',
    object: makeGameDeployment,
    spoil: (spec) => delete spec.template.metadata,
    wantPath: 'spec.template.metadata.labels',
    wantMessage: 'every label of selector.matchLabels',
  },
  {
    name: 'a selector with an unknown operator',
    object: makeGameDeployment,
    spoil: (spec) => (spec.selector.matchExpressions = [{ key: 'app', operator: 'Equals', values: ['lobby'] }]),
    wantPath: 'spec.selector.matchExpressions[0].operator',
  },
  {
    name: 'a selector with a value longer than a label',
    object: makeGameDeployment,
    spoil: (spec) => (spec.selector.matchLabels.app = 'x'.repeat(64)),
    wantPath: 'spec.selector.matchLabels.app',
  },
  {
    name: 'no template',
    object: makeGameDeployment,
    spoil: (spec) => delete spec.template,
    wantPath: 'spec.template',
  },
  {
    name: 'a template without containers',
    object: makeGameDeployment,
    spoil: (spec) => (spec.template.spec.containers = []),
    wantPath: 'spec.template.spec.containers',
  },
  {
    name: 'a container without an image',
    object: makeGameStatefulSet,
    spoil: (spec) => delete spec.template.spec.containers[0].image,
    wantPath: 'spec.template.spec.containers[0].image',
  },
  {
    name: 'two containers of one name',
    object: makeGameDeployment,
    spoil: (spec) => spec.template.spec.containers.push({ name: 'game', image: 'registry.example/other:1' }),
    wantPath: 'spec.template.spec.containers[1]',
  },
  {
    name: 'a negative number of replicas',
    object: makeGameDeployment,
    spoil: (spec) => (spec.replicas = -1),
    wantPath: 'spec.replicas',
  },
  {
    name: 'replicas as text',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.replicas = '3'),
    wantPath: 'spec.replicas',
  },
  {
    name: 'more replicas than an int32 holds',
    object: makeGameDeployment,
    spoil: (spec) => (spec.replicas = 2 ** 31),
    wantPath: 'spec.replicas',
  },
  {
    name: 'an unknown strategy',
    object: makeGameDeployment,
    spoil: (spec) => (spec.updateStrategy.type = 'BlueGreen'),
    wantPath: `${STRATEGY}.type`,
  },
  {
    name: 'an unknown strategy of a GameStatefulSet',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.updateStrategy.type = 'Recreate'),
    wantPath: `${STRATEGY}.type`,
  },
  {
    name: 'an unknown order of containers',
    object: makeGameDeployment,
    spoil: (spec) => (spec.updateStrategy.inPlaceUpdateStrategy = { policy: 'Random' }),
    wantPath: `${STRATEGY}.inPlaceUpdateStrategy.policy`,
  },
  {
    name: 'an unknown fallback',
    object: makeGameDeployment,
    spoil: (spec) => (spec.updateStrategy.inPlaceUpdateStrategy = { fallback: 'Ignore' }),
    wantPath: `${STRATEGY}.inPlaceUpdateStrategy.fallback`,
  },
  {
    name: 'a negative grace period',
    object: makeGameDeployment,
    spoil: (spec) => (spec.updateStrategy.inPlaceUpdateStrategy = { gracePeriodSeconds: -1 }),
    wantPath: `${STRATEGY}.inPlaceUpdateStrategy.gracePeriodSeconds`,
  },
  {
    name: 'an unknown pod management policy',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.podManagementPolicy = 'Serial'),
    wantPath: 'spec.podManagementPolicy',
  },
  {
    name: 'no service name',
    object: makeGameStatefulSet,
    spoil: (spec) => delete spec.serviceName,
    wantPath: 'spec.serviceName',
  },
  {
    name: 'a negative reserved ordinal',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.reserveOrders = [0, -1]),
    wantPath: 'spec.reserveOrders[1]',
  },
  {
    name: 'a claim template without a name',
    object: makeGameStatefulSet,
    spoil: (spec) => (spec.volumeClaimTemplates = [{ metadata: {}, spec: {} }]),
    wantPath: 'spec.volumeClaimTemplates[0].metadata.name',
  },
  {
    name: 'a progress deadline of nothing',
    object: makeGameDeployment,
    spoil: (spec) => (spec.progressDeadlineSeconds = 0),
    wantPath: 'spec.progressDeadlineSeconds',
  },
  {
    name: 'a negative time until a pod counts as available',
    object: makeGameDeployment,
    spoil: (spec) => (spec.minReadySeconds = -5),
    wantPath: 'spec.minReadySeconds',
  },
];
