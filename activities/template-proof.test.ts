/** What the proof of a template says: the field as the user finds it in the workload. */
import { expect, it } from 'vitest';
import { ApiError } from '../kubernetes/errors.ts';
import { anAttempt, PodScene } from '../test/support/pod-scene.ts';
import { templateOf } from '../test/support/pods.ts';
import { SetScene } from '../test/support/set-scene.ts';
import { proveTemplate } from './template-proof.ts';

const REVISION = { name: 'r3', number: 3, template: templateOf('game:r3') };

const refusal = (...fields: string[]) =>
  new ApiError('refused', {
    ...{ reason: 'invalid' as const, status: 422, sent: true },
    details: { causes: fields.map((field) => ({ field, message: 'Invalid value.' })) },
  });

it.each([
  [
    ['spec.containers[0].ports[0].containerPort'],
    'spec.template.spec.containers[0].ports[0].containerPort: Invalid value.',
  ],
  [['spec.subdomain'], 'spec.serviceName: Invalid value.'],
  [
    ['spec.volumes[1].name', 'spec.volumes[0].name'],
    'spec.volumeClaimTemplates[1].metadata.name: Invalid value (and 1 more).',
  ],
  [['metadata.name'], 'metadata.name: Invalid value.'],
  [[], 'spec.template: refused.'],
])('a pod of a set whose %j the API refuses', async (fields, want) => {
  const scene = new SetScene();
  scene.cluster.fail({ verb: 'create', plural: 'pods', error: refusal(...fields) });
  const said = await proveTemplate(scene.ports, scene.set, REVISION, anAttempt().signal);
  expect(said).toBe(`The API refuses ${want}`);
});

it('a template that the selector does not match is told without asking the API', async () => {
  const { cluster, ports, workload } = new PodScene({ selector: { matchLabels: { app: 'other' } } });
  const said = await proveTemplate(ports, workload, REVISION, anAttempt().signal);
  expect(said).toBe('spec.template.metadata.labels: the selector would not match a pod, it wants the label app=other.');
  expect(cluster.requests).toEqual([]);
});
