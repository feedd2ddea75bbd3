/**
 * The way to Temporal, looked at once a connection has failed: the SDK says only that a deadline passed, whether the server
 * is away for a moment or its certificate will never be accepted.
 */
import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { errorCode, isUntrusted, sayConnectionProblem } from '../kubernetes/connection-problems.ts';

type TLSConfig = Exclude<NativeConnectionOptions['tls'], boolean | null | undefined>;
export type TemporalWay = Pick<NativeConnectionOptions, 'tls'> & { address: string };

export interface Obstacle {
  /** A few words for a sentence. */
  problem: string;
  /** Until somebody changes something. */
  isFinal: boolean;
}

const WITHIN_MS = 5_000;
const DEFAULT_PORT = 7233;
/** What a client of HTTP/2 says first; a server answers with its settings. */
const HELLO = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
const SPEAKS_TLS: Obstacle = { problem: 'the server speaks TLS, and TEMPORAL_TLS is not set', isFinal: true };

/** What is in the way; undefined where nothing is found, or nothing answers. */
export async function findObstacle(way: TemporalWay): Promise<Obstacle | undefined> {
  let place: Place | undefined;
  const signal = AbortSignal.timeout(WITHIN_MS);
  try {
    place = placeOf(way.address);
    if (way.tls) return await tryTls(place, way.tls === true ? {} : way.tls, signal);
    await using(connectPlain(place), (socket) => once(socket, 'connect', { signal }));
    const isTls = await using(connectTls({ ...place, rejectUnauthorized: false }), async (socket) => {
      return await once(socket, 'secureConnect', { signal }).then(
        () => true,
        () => false,
      );
    });
    return isTls ? SPEAKS_TLS : undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    return { problem: sayConnectionProblem(error), isFinal: place === undefined || isFinal(error) };
  }
}

/** Certificates that are not accepted, and those of ours that are none. */
const isFinal = (error: unknown): boolean => isUntrusted(error) || /^ERR_OSSL_/.test(errorCode(error) ?? '');

async function tryTls(place: Place, tls: TLSConfig, signal: AbortSignal): Promise<undefined> {
  const { serverNameOverride, serverRootCACertificate: ca, clientCertPair } = tls;
  const options = {
    ...{
      ...place,
      ALPNProtocols: ['h2'],
      servername: serverNameOverride ?? (isIP(place.host) ? undefined : place.host),
    },
    ...(ca && { ca: Buffer.from(ca) }),
    ...(clientCertPair && { cert: Buffer.from(clientCertPair.crt), key: Buffer.from(clientCertPair.key) }),
  };
  await using(connectTls(options), async (socket) => {
    await once(socket, 'secureConnect', { signal });
    // A server that wants a certificate of ours says so only now.
    socket.write(HELLO);
    await once(socket, 'data', { signal });
  });
}

interface Place {
  host: string;
  port: number;
}

/** @throws Error where the address is none. */
function placeOf(address: string): Place {
  const { hostname, port } = new URL(address.includes('://') ? address : `grpc://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) };
}

async function using<T>(socket: Socket, use: (socket: Socket) => Promise<T>): Promise<T> {
  // What goes wrong later is nobody's any more.
  socket.on('error', () => {});
  try {
    return await use(socket);
  } finally {
    socket.destroy();
  }
}
