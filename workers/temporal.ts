/** Connections to Temporal, configured as the Temporal CLI is: flags first, then TEMPORAL_* and its configuration file. */
import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import { CannotStart, sayError } from './startup-error.ts';
import { findObstacle, type TemporalWay } from './temporal-way.ts';

export interface TemporalTarget {
  temporalAddress?: string;
  temporalNamespace?: string;
  identity: string;
  /** Only what stands here counts: neither TEMPORAL_* nor the configuration file. */
  isAlone?: boolean;
  /** How long the server may take to answer; 10 s when absent. */
  connectTimeoutMs?: number;
}

export interface TemporalConnections {
  client: Client;
  connection: Connection;
  namespace: string;
  address: string;
  /** @throws when the server does not answer soon. */
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

const DEFAULT_ADDRESS = '127.0.0.1:7233';
const NOTHING_SAID: ClientConnectConfig = { connectionOptions: {} };
const CONNECT_TIMEOUT_MS = 10_000;
const PING_WITHIN_MS = 3_000;

/** Answers of gRPC that stay the same until somebody changes something: wrong namespace, wrong credentials, wrong server. */
const NOT_FOUND = 5;
const FINAL_CODES: ReadonlySet<number> = new Set([3, NOT_FOUND, 7, 12, 16]);

const isFinal = (error: unknown): boolean => isGrpcServiceError(error) && FINAL_CODES.has(error.code);

/** Temporal, or the way to it, is down for now; asking again later may be answered. */
export const mayHeal = (error: unknown): boolean =>
  error instanceof CannotStart ? error.isPassing : isGrpcServiceError(error) && !isFinal(error);

/** Where to connect and how. @throws CannotStart where the configuration cannot be read. */
function readTemporalOptions(target: Pick<TemporalTarget, 'temporalAddress' | 'temporalNamespace' | 'isAlone'>) {
  try {
    const { connectionOptions, namespace } = target.isAlone ? NOTHING_SAID : loadClientConnectConfig();
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
  const connection = await reach(options, () => Connection.connect({ ...plain, connectTimeout }));
  try {
    await connection.withDeadline(Date.now() + connectTimeout, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (cause) {
    await connection.close();
    const message = `Temporal at ${address} refuses its namespace ${namespace}: ${sayError(cause)}${wayOut(cause, namespace)}`;
    throw new CannotStart(message, { cause, isPassing: mayHeal(cause) });
  }
  const client = new Client({ connection, namespace, identity: target.identity });
  const ping = () =>
    connection.withDeadline(Date.now() + PING_WITHIN_MS, () => connection.workflowService.getSystemInfo({}));
  return { client, connection, namespace, address, ping, close: () => connection.close() };
}

/** What a person does about a namespace that is not there. */
function wayOut(cause: unknown, namespace: string): string {
  if (!isGrpcServiceError(cause) || cause.code !== NOT_FOUND) return '';
  const create = `temporal operator namespace create --namespace ${namespace} --retention 720h`;
  return `; create it with \`${create}\`, or name another one (TEMPORAL_NAMESPACE)`;
}

/** Thousands of messages of a kilobyte: packing them took a tenth of Temporal's processor time (docs/adr/0008). */
const UNPACKED = { grpcCompression: { codec: 'none' } } as const;

/** The connection of workers. @throws CannotStart when the server does not answer. */
export async function connectWorkers(target: TemporalTarget): Promise<NativeConnection> {
  const { options } = readTemporalOptions(target);
  return await reach(options, () => NativeConnection.connect({ ...options, ...UNPACKED }));
}

async function reach<T>(way: TemporalWay, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (cause) {
    const found = await findObstacle(way);
    const why = found === undefined ? sayError(cause) : found.problem;
    const message = `Temporal does not answer at ${way.address} (set TEMPORAL_ADDRESS): ${why}`;
    throw new CannotStart(message, { cause, isPassing: !isFinal(cause) && found?.isFinal !== true });
  }
}
