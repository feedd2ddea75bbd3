/** The whole operator beside a stack, as a person starts it: `holdfast install`, then `holdfast controller` as a child process. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findPorts } from './ports.ts';
import { type CrashListener, ServerProcess } from './process.ts';
import type { Devstack } from './stack.ts';
import { startWatchdog } from './watchdog.ts';

const ENTRY = join(dirname(import.meta.dirname), 'cli', 'main.ts');

export interface Operator {
  process: ServerProcess;
  /** Answers /metrics, /healthz and /readyz. */
  url: string;
  stop(): Promise<void>;
}

/** @throws Error with the last lines of its log when it does not come up. */
export async function startOperator(stack: Devstack, onCrash: CrashListener): Promise<Operator> {
  const connection = ['--kubeconfig', stack.kubeconfig, '--temporal-address', stack.env.TEMPORAL_ADDRESS ?? ''];
  await promisify(execFile)(process.execPath, ['--', ENTRY, 'install', ...connection]);
  const { metrics } = await findPorts(['metrics']);
  const listen = `127.0.0.1:${metrics}`;
  const watchdog = startWatchdog();
  const controller = new ServerProcess(
    {
      name: 'controller',
      command: process.execPath,
      args: ['--', ENTRY, 'controller', ...connection, '--listen', listen],
      logPath: join(stack.dir, 'logs', 'controller.log'),
      isReady: async () => (await fetch(`http://${listen}/readyz`)).ok,
    },
    watchdog,
    onCrash,
  );
  const stop = async () => {
    await controller.stop(15_000);
    watchdog.close();
  };
  try {
    await controller.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { process: controller, url: `http://${listen}`, stop };
}
