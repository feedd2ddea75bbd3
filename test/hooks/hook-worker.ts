/** A worker for hook activities as a process of its own, so that a test can kill it. Configured by its environment. */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createHookActivities } from '../../activities/hooks/measure.ts';
import { createHookResources } from '../../activities/hooks/resources.ts';
import { createKubernetesClient } from '../../kubernetes/client.ts';
import { createEventRecorder } from '../../kubernetes/event-recorder.ts';
import { HOOK_QUEUE } from '../../workflows/queues.ts';
import { TEST_IDENTITY } from '../support/temporal.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });
const client = createKubernetesClient({ kubeconfigPath: process.env.KUBECONFIG });
const recorder = createEventRecorder({
  client,
  controller: 'holdfast.dev/test',
  instance: `hook-worker-${process.pid}`,
});
const log = { warn: (fields: object, message: string) => console.warn(message, fields) };
const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS });
const worker = await Worker.create({
  connection,
  identity: TEST_IDENTITY,
  taskQueue: HOOK_QUEUE,
  activities: createHookActivities({ client, recorder, log, nowMs: Date.now, ...createHookResources(client) }),
});
const running = worker.run();
process.on('SIGTERM', () => worker.shutdown());
process.stdout.write('ready\n');
await running;
await recorder.flush();
process.exit(0);
