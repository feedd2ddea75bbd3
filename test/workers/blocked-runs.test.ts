/** A run whose workflow task fails is said on its object, by real Temporal reports (design §6.4). */
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GameDeployment } from '../../crds/game-deployment.ts';
import type { GameStatefulSet } from '../../crds/game-stateful-set.ts';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';
import { createEventRecorder } from '../../kubernetes/event-recorder.ts';
import { gameDeployments } from '../../kubernetes/resource-types.ts';
import { ObjectStore } from '../../kubernetes/store.ts';
import { tellBlockedRuns } from '../../workers/watchers/blocked-runs.ts';
import { eventually } from '../support/eventually.ts';
import { gameDeployment, Installation } from './installation.ts';

const ID = 'gamedeployment/default/stuck';
const REF = { namespace: 'default', name: 'stuck' };

let here: Installation;
let client: KubernetesClient;
let connection: Connection;
let native: NativeConnection;

beforeAll(async () => {
  here = await Installation.open();
  await here.holdfast(['install', '--no-temporal']);
  await here.kubectl(['apply', '-f', '-'], gameDeployment('stuck', 'game:1'));
  client = createKubernetesClient({ kubeconfigPath: here.stack.kubeconfig });
  const address = here.stack.env.TEMPORAL_ADDRESS;
  connection = await Connection.connect({ address });
  native = await NativeConnection.connect({ address });
});

afterAll(async () => {
  await native.close();
  await connection.close();
  await client.close();
  await here.close();
});

test('it is Stalled with the workflow and the cause; once it goes on its bell is rung', async () => {
  const temporal = new Client({ connection });
  const taskQueue = 'stuck';
  const workflowsPath = new URL('./stuck-workflow.ts', import.meta.url).pathname;
  const worker = await Worker.create({ connection: native, taskQueue, workflowsPath });
  const recorder = createEventRecorder({ client, controller: 'holdfast', instance: 'test' });
  const look = async (): Promise<string[]> => {
    const store = new ObjectStore<GameDeployment>();
    const { items, resourceVersion } = await client.list(gameDeployments, { namespace: 'default' });
    store.replace(items, resourceVersion);
    const stores = { gameDeployments: store, gameStatefulSets: new ObjectStore<GameStatefulSet>() };
    return tellBlockedRuns({ temporal, client, recorder, stores, nowMs: Date.now });
  };
  await worker.runUntil(async () => {
    const handle = await temporal.workflow.start('workload', { workflowId: ID, taskQueue });
    const conditionOf = async () => {
      await look();
      const object = await client.get(gameDeployments, REF);
      return object.status?.conditions?.find(({ type }) => type === 'Stalled');
    };
    // Temporal reports a run after its second failure in a row, which took 50 s here.
    const stalled = await eventually('the object says Stalled', conditionOf, { timeoutMs: 150_000, intervalMs: 1_000 });
    expect(stalled).toMatchObject({ status: 'True', reason: 'WorkflowTaskFailed' });
    expect(stalled.message).toContain(ID);
    await handle.terminate('the test is over');
  });
  await eventually('its bell is to be rung', look, { until: (keys) => keys.includes(ID) });
  await recorder.flush();
  const events = await here.kubectl(['get', 'events', '--field-selector', 'reason=WorkflowTaskFailed', '-o', 'name']);
  expect(events.trim().split('\n')).toHaveLength(1);
});
