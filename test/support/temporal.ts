/** A real Temporal server for tests of workflows, with what such a test needs around it. Started through the devstack. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { type Devstack, startDevstack } from '../../devstack/stack.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts';
import { eventually } from './eventually.ts';

const NAMESPACE = 'default';
/** Names of processes and machines do not belong in exported histories. */
export const TEST_IDENTITY = 'holdfast-test';

export interface TemporalServer {
  stack: Devstack;
  client: Client;
  /** For workers. */
  native: NativeConnection;
  /** Runs the real CLI as a user types it; answers what it printed, refusals included. */
  cli(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the server and registers the search attributes. */
export async function startTemporal(): Promise<TemporalServer> {
  const stack = await startDevstack({ components: ['temporal'] });
  const address = `127.0.0.1:${stack.ports.temporal}`;
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const cli = (...args: string[]) => {
    const identity = args.includes('--identity') ? [] : ['--identity', TEST_IDENTITY];
    return runCli(stack.binaries.temporal, [...args, ...identity, '--address', address]);
  };
  for (const { name, type } of SEARCH_ATTRIBUTES) {
    await cli('operator', 'search-attribute', 'create', '--name', name, '--type', type);
  }
  await eventually('the search attributes are registered', async () => {
    const listed = await cli('operator', 'search-attribute', 'list');
    return SEARCH_ATTRIBUTES.every(({ name }) => listed.includes(name));
  });
  const stop = async () => {
    await connection.close();
    await native.close();
    await stack.stop();
  };
  return {
    stack,
    client: new Client({ connection, namespace: NAMESPACE, identity: TEST_IDENTITY }),
    native,
    cli,
    stop,
  };
}

async function runCli(command: string, args: string[]): Promise<string> {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { timeout: 30_000, maxBuffer: 1 << 26 });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '', message = '' } = error as { stdout?: string; stderr?: string; message?: string };
    return `${stdout}${stderr}` || message;
  }
}
