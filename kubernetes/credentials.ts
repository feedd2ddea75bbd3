/**
 * Where the apiserver is and how to prove who we are, out of a kubeconfig or the pod's service account. Loads
 * `@kubernetes/client-node` lazily (it costs 400 ms and 90 MB) and uses nothing of it but KubeConfig.
 */
import { createHash } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';

export interface KubeconfigSource {
  /** Without a path: `$KUBECONFIG`, the home directory or the pod's service account, in that order. */
  kubeconfigPath?: string;
  /** Without a context: the current one. */
  context?: string;
}

/** What a connection is made with. Two with the same fingerprint can share connections. */
export interface Connection {
  /** Scheme, host and port. */
  origin: string;
  /** Path under which the API lives; empty in most clusters. */
  basePath: string;
  proxyUrl: string | undefined;
  tls: { ca?: Buffer; cert?: Buffer; key?: Buffer; rejectUnauthorized?: boolean; servername?: string };
  headers: Record<string, string>;
  fingerprint: string;
}

/** Certificates and tokens are looked at again after this long; client-node itself re-reads token files each minute. */
const REREAD_AFTER_MS = 30_000;

/** The current credentials, re-read when old and after `invalidate`. */
export class Credentials {
  readonly #source: KubeconfigSource;
  #config: Promise<KubeConfig> | undefined;
  #connection: Promise<Connection> | undefined;
  #readAt = 0;

  constructor(source: KubeconfigSource) {
    this.#source = source;
  }

  /** @throws Error when there is no usable kubeconfig; the message says which. */
  current(): Promise<Connection> {
    if (this.#connection === undefined || performance.now() - this.#readAt > REREAD_AFTER_MS) {
      this.#readAt = performance.now();
      this.#connection = this.#read().catch((error: unknown) => {
        this.#connection = undefined;
        throw error;
      });
    }
    return this.#connection;
  }

  /** The server refused `refused`: read kubeconfig and token again, unless that has been done since. */
  async invalidate(refused: Connection): Promise<void> {
    if ((await this.#connection) !== refused) return;
    this.#config = undefined;
    this.#connection = undefined;
  }

  async #read(): Promise<Connection> {
    this.#config ??= loadKubeConfig(this.#source);
    try {
      return await readConnection(await this.#config);
    } catch (error) {
      this.#config = undefined;
      throw error;
    }
  }
}

async function loadKubeConfig(source: KubeconfigSource): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (source.kubeconfigPath === undefined) config.loadFromDefault();
  else config.loadFromFile(source.kubeconfigPath);
  if (source.context !== undefined) config.setCurrentContext(source.context);
  return config;
}

async function readConnection(config: KubeConfig): Promise<Connection> {
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`kubeconfig has no cluster for context "${config.getCurrentContext()}"`);
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const url = new URL(cluster.server);
  const tls = definedOnly({
    ca: options.ca as Buffer | undefined,
    cert: options.cert as Buffer | undefined,
    key: options.key as Buffer | undefined,
    rejectUnauthorized: options.rejectUnauthorized,
    servername: options.servername,
  });
  const known = { origin: url.origin, basePath: url.pathname.replace(/\/+$/, ''), proxyUrl: cluster.proxyUrl, tls };
  return { ...known, headers: headersOf(options), fingerprint: fingerprintOf(known) };
}

function headersOf(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value !== undefined) headers[name.toLowerCase()] = String(value).trim();
  }
  if (options.auth) headers.authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return headers;
}

function fingerprintOf(known: Omit<Connection, 'headers' | 'fingerprint'>): string {
  const hash = createHash('sha256').update(JSON.stringify([known.origin, known.proxyUrl ?? '']));
  const { ca, cert, key, rejectUnauthorized, servername } = known.tls;
  for (const part of [ca, cert, key]) hash.update(part ?? '').update('\0');
  return hash.update(JSON.stringify([rejectUnauthorized ?? true, servername ?? ''])).digest('hex');
}

function definedOnly<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Partial<T>;
}
