/**
 * The whole operator beside a stack, as a person starts it: `holdfast install`, then `holdfast controller` as a child
 * process. The demo and the bench run on it; both end with everything taken down.
 */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@temporalio/client';
import { createKubernetesClient, type KubernetesClient } from '../kubernetes/client.ts';
import { connectTemporal } from '../workers/temporal.ts';
import type { Log } from './build.ts';
import { childEnvironment } from './child-environment.ts';
import { findPorts } from './ports.ts';
import { type CrashListener, ServerProcess } from './process.ts';
import { type Devstack, type DevstackOptions, startDevstack } from './stack.ts';
import { startWatchdog } from './watchdog.ts';

const ENTRY = join(dirname(import.meta.dirname), 'cli', 'main.ts');

export interface Operator {
  stack: Devstack;
  /** The controller. */
  controller: ServerProcess;
  cluster: KubernetesClient;
  temporal: Client;
}

interface OperatorOptions extends Pick<DevstackOptions, 'components' | 'nodes' | 'audit'> {
  log: Log;
  /** Of the client: the audit log tells who wrote by it. */
  userAgent: string;
  /** Ends all of it early; `withOperator` then throws its reason. */
  signal: AbortSignal;
}

/**
 * Starts everything, runs `use`, and takes everything down, however it ended.
 * @throws Error of `use`, or with the last lines of a server that ended by itself.
 */
export async function withOperator(
  { log, userAgent, signal, ...options }: OperatorOptions,
  use: (operator: Operator) => Promise<void>,
): Promise<void> {
  const ends: End[] = [];
  const trouble = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => trouble.reject(signal.reason));
  trouble.promise.catch(() => {});
  const onCrash: CrashListener = (server) =>
    trouble.reject(new Error(`${server.name} ended by itself; its last lines:\n${server.tail()}`));
  try {
    const stack = await startDevstack({ ...options, log, onCrash, signal });
    ends.unshift(() => stack.stop());
    log('starting the operator');
    const controller = await Promise.race([startController(stack, ends, onCrash), trouble.promise]);
    const cluster = createKubernetesClient({ kubeconfigPath: stack.kubeconfig, userAgent });
    ends.unshift(() => cluster.close());
    const temporal = await connectTemporal({ ...temporalOf(stack), identity: userAgent });
    ends.unshift(() => temporal.close());
    await Promise.race([use({ stack, controller, cluster, temporal: temporal.client }), trouble.promise]);
  } finally {
    for (const end of ends) await end();
  }
}

type End = () => Promise<void> | void;

/** Whatever this machine says of another Temporal does not count. */
const temporalOf = ({ env }: Devstack) => ({
  ...{ temporalAddress: env.TEMPORAL_ADDRESS ?? '', temporalNamespace: 'default', isAlone: true },
});

async function startController(stack: Devstack, ends: End[], onCrash: CrashListener): Promise<ServerProcess> {
  const { temporalAddress, temporalNamespace } = temporalOf(stack);
  const temporal = ['--temporal-address', temporalAddress, '--temporal-namespace', temporalNamespace];
  const connection = ['--kubeconfig', stack.kubeconfig, ...temporal];
  const env = childEnvironment(stack.env);
  await promisify(execFile)(process.execPath, ['--', ENTRY, 'install', ...connection], { env });
  const { metrics } = await findPorts(['metrics']);
  const listen = `127.0.0.1:${metrics}`;
  const spec = {
    ...{ name: 'controller', command: process.execPath, env: stack.env },
    args: ['--', ENTRY, 'controller', ...connection, '--listen', listen],
    logPath: join(stack.dir, 'logs', 'controller.log'),
    isReady: async () => (await fetch(`http://${listen}/readyz`)).ok,
  };
  const watchdog = startWatchdog();
  ends.unshift(() => watchdog.close());
  const controller = new ServerProcess(spec, watchdog, onCrash);
  ends.unshift(() => controller.stop(15_000));
  await controller.start();
  return controller;
}
