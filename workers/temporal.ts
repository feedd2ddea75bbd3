/** Connections to Temporal, configured as the Temporal CLI is: flags first, then TEMPORAL_* and its configuration file. */
import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import { CannotStart, sayError } from './startup-error.ts';

export interface TemporalTarget {
  temporalAddress?: string;
  temporalNamespace?: string;
  identity: string;
  /** How long the server may take to answer; 10 s when absent. */
  connectTimeoutMs?: number;
}

export interface TemporalConnections {
  client: Client;
  connection: Connection;
  namespace: string;
  address: string;
  close(): Promise<void>;
}

const DEFAULT_ADDRESS = '127.0.0.1:7233';
const CONNECT_TIMEOUT_MS = 10_000;

/** Where to connect and how. @throws CannotStart where the configuration cannot be read. */
function readTemporalOptions(target: Pick<TemporalTarget, 'temporalAddress' | 'temporalNamespace'>) {
  try {
    const { connectionOptions, namespace } = loadClientConnectConfig();
    const address = target.temporalAddress ?? connectionOptions.address ?? DEFAULT_ADDRESS;
    return {
      options: { ...connectionOptions, address },
      address,
      namespace: target.temporalNamespace ?? namespace ?? 'default',
    };
  } catch (cause) {
    throw new CannotStart(`The configuration of Temporal cannot be read: ${sayError(cause)}`, { cause, exitCode: 2 });
  }
}

/** @throws CannotStart when the server does not answer or does not have the namespace. */
export async function connectTemporal(target: TemporalTarget): Promise<TemporalConnections> {
  const { options, address, namespace } = readTemporalOptions(target);
  const connectTimeout = target.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  const { proxy: _, ...plain } = options;
  const connection = await reach(address, () => Connection.connect({ ...plain, connectTimeout }));
  try {
    await connection.withDeadline(Date.now() + connectTimeout, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (cause) {
    await connection.close();
    throw new CannotStart(`Temporal at ${address} refuses its namespace ${namespace}: ${sayError(cause)}`, { cause });
  }
  const client = new Client({ connection, namespace, identity: target.identity });
  return { client, connection, namespace, address, close: () => connection.close() };
}

/** The connection of workers. @throws CannotStart when the server does not answer. */
export async function connectWorkers(target: TemporalTarget): Promise<NativeConnection> {
  const { options, address } = readTemporalOptions(target);
  return await reach(address, () => NativeConnection.connect(options));
}

async function reach<T>(address: string, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (cause) {
    const why = sayError(cause);
    throw new CannotStart(`Temporal does not answer at ${address} (set TEMPORAL_ADDRESS): ${why}`, { cause });
  }
}
