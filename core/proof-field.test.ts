import { expect, it } from 'vitest';
import { aWorkload, templateOf } from '../test/support/pods.ts';
import { aSet } from '../test/support/sets.ts';
import { newPod } from './new-pod.ts';
import { sourceOf } from './proof-field.ts';

const template = templateOf('game:1');
const volumes = ['scratch', 'saves', 'maps'].map((name) => ({ name, emptyDir: {} }));
const set = aSet({
  volumeClaimTemplates: ['saves', 'logs'].map((name) => ({ metadata: { name }, spec: {} })),
  template: { ...template, spec: { ...template.spec, volumes } },
});

it.each([
  ['', 'spec.template'],
  ['spec.containers[0].image', 'spec.template.spec.containers[0].image'],
  ['metadata.labels', 'spec.template.metadata.labels'],
  ['metadata.name', 'metadata.name'],
  ['spec.hostname', 'metadata.name'],
  ['spec.subdomain', 'spec.serviceName'],
  ['spec.volumes[0].name', 'spec.volumeClaimTemplates[0].metadata.name'],
  ['spec.volumes[1].name', 'spec.volumeClaimTemplates[1].metadata.name'],
  ['spec.volumes[2].name', 'spec.template.spec.volumes[0].name'],
  ['spec.volumes[3].emptyDir.sizeLimit', 'spec.template.spec.volumes[2].emptyDir.sizeLimit'],
  ['spec.volumes', 'spec.template.spec.volumes'],
])('of a set %j is %s', (field, want) => {
  expect(sourceOf(set, field)).toBe(want);
});

it('the volumes that it counts are those of a new pod', () => {
  const pod = newPod(set, { name: 'r1', number: 1, template: set.spec.template }, 'lobby-0');
  expect((pod.spec.volumes as { name: string }[]).map(({ name }) => name)).toEqual([
    'saves',
    'logs',
    'scratch',
    'maps',
  ]);
});

it('a set without a service name has the subdomain of its template', () => {
  expect(sourceOf(aSet({ serviceName: '' }), 'spec.subdomain')).toBe('spec.template.spec.subdomain');
});

it.each([
  ['metadata.name', 'metadata.name'],
  ['spec.subdomain', 'spec.template.spec.subdomain'],
  ['spec.volumes[0].name', 'spec.template.spec.volumes[0].name'],
])('of a GameDeployment %s is %s', (field, want) => {
  expect(sourceOf(aWorkload({}), field)).toBe(want);
});
