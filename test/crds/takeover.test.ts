/**
 * Objects that an earlier operator's laxer CRD let in (decision 2): they stay readable, their status can be written,
 * and everything but the wrong field can be changed; the API server only warns of that one.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { toCustomResourceDefinition } from '../../crds/definition.ts';
import { gameDeploymentDefinition } from '../../crds/game-deployment.ts';
import { eventually } from '../support/eventually.ts';
import { type CustomResourceServer, GENERATED, startCustomResourceServer } from './custom-resource-server.ts';
import { change, makeGameDeployment } from './objects.ts';

let server: CustomResourceServer;
beforeAll(async () => {
  server = await startCustomResourceServer();
});
afterAll(() => server?.stop());

const old = change(makeGameDeployment(), {
  'spec.updateStrategy': { partition: '50', maxUnavailable: 0, maxSurge: 0, canary: { steps: [{}] } },
});

/** The same kind with a schema that refuses nothing. */
function laxDefinition(): string {
  const crd = toCustomResourceDefinition(gameDeploymentDefinition);
  for (const version of crd.spec.versions) {
    version.schema.openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  }
  return stringify(crd);
}

test('what was stored before our rules goes on working, and only what is changed is judged', async () => {
  await server.kubectl(['apply', '-f', '-'], laxDefinition());
  await eventually('the lax definition is in force', async () => {
    const { code } = await server.kubectl(['apply', '-f', '-'], JSON.stringify(old));
    return code === 0;
  });
  await server.kubectl(['apply', '-f', GENERATED]);
  await eventually('our definition is in force again', async () => {
    const { status } = await server.tryCreate(change(structuredClone(old), { 'metadata.name': 'another' }));
    return status === 422;
  });

  const written = await server.writeStatus({ ...old, status: { replicas: 3 } });
  expect(written).toMatchObject({ status: 200, body: { status: { replicas: 3 } } });
  const scaled = await server.kubectl(['scale', 'gamedeployment/lobby', '--replicas=4']);
  expect(scaled.code).toBe(0);
  expect(scaled.stderr).toContain('Warning: spec.updateStrategy.partition');
  const patch = (spec: object) =>
    server.kubectl(['patch', 'gamedeployment', 'lobby', '--type=merge', '-p', JSON.stringify({ spec })]);
  expect(await patch({ minReadySeconds: 3 })).toMatchObject({ code: 0 });
  expect((await patch({ updateStrategy: { partition: '60' } })).stderr).toContain('spec.updateStrategy.partition');
});
