/** What the demo plays on: real servers, the operator, what the hooks ask, and clients to look at them. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@temporalio/client';
import { createKubernetesClient, type KubernetesClient } from '../../kubernetes/client.ts';
import { connectTemporal } from '../../workers/temporal.ts';
import { type Operator, startOperator } from '../operator.ts';
import type { CrashListener } from '../process.ts';
import { type Devstack, startDevstack } from '../stack.ts';
import { type LobbyAdmin, startLobbyAdmin } from './lobby-admin.ts';

export interface Stage {
  stack: Devstack;
  operator: Operator;
  admin: LobbyAdmin;
  cluster: KubernetesClient;
  temporal: Client;
  workload: { namespace: string; name: string };
  /** Of `performance.now()`, when the operator was ready. */
  startedAt: number;
  /** kubectl and temporal as a person types them: the command is shown, its answer is returned. */
  type(program: 'kubectl' | 'temporal', ...args: string[]): Promise<string>;
}

const ROOT = dirname(dirname(import.meta.dirname));
const NEEDED = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'temporal',
  'prometheus',
] as const;

/** Runs `play` on a stage and takes everything down again, however it ends. */
export async function onStage(say: (line: string) => void, play: (stage: Stage) => Promise<void>): Promise<void> {
  const ends: (() => Promise<void> | void)[] = [];
  const crash = Promise.withResolvers<never>();
  crash.promise.catch(() => {});
  const onCrash: CrashListener = (server) =>
    crash.reject(new Error(`${server.name} ended by itself; its last lines:\n${server.tail()}`));
  try {
    const stack = await startDevstack({ components: NEEDED, log: say, onCrash });
    ends.unshift(() => stack.stop());
    say('starting the operator');
    const operator = await startOperator(stack, onCrash);
    ends.unshift(() => operator.stop());
    const admin = await startLobbyAdmin();
    ends.unshift(() => admin.close());
    const cluster = createKubernetesClient({ kubeconfigPath: stack.kubeconfig, userAgent: 'holdfast-demo' });
    ends.unshift(() => cluster.close());
    const temporal = await connectTemporal({ temporalAddress: stack.env.TEMPORAL_ADDRESS, identity: 'demo' });
    ends.unshift(() => temporal.close());
    const workload = { namespace: 'default', name: 'lobby' };
    const stage = { stack, operator, admin, cluster, temporal: temporal.client, workload };
    await Promise.race([play({ ...stage, startedAt: performance.now(), type: typist(stack) }), crash.promise]);
  } finally {
    for (const end of ends) await end();
  }
}

function typist(stack: Devstack): Stage['type'] {
  return async (program, ...args) => {
    console.log(`\n$ ${[program, ...args].map(quote).join(' ')}`);
    const env = { ...process.env, ...stack.env };
    const { stdout } = await promisify(execFile)(stack.binaries[program], args, { cwd: ROOT, env });
    if (stdout !== '') process.stdout.write(stdout);
    return stdout;
  };
}

export const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`);
