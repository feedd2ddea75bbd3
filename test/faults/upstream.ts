/**
 * The API server behind the fault proxy: how to reach it, taken from a kubeconfig or given outright, and the kubeconfig
 * that leads clients to the proxy instead. Credentials go through unchanged; the proxy adds them only where a client cannot.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

/** Where the real API server is. `ca`, `cert` and `key` are PEM texts. */
export interface UpstreamTarget {
  url: string;
  ca?: string;
  cert?: string;
  key?: string;
  token?: string;
  skipTlsVerify?: boolean;
}

/** Opens requests to the API server over kept-alive HTTP/1.1 connections. */
export interface Upstream {
  token: string | undefined;
  request(options: Pick<RequestOptions, 'method' | 'path' | 'headers'>): ClientRequest;
  close(): void;
}

/** Makes the connection pool; nothing is opened before the first request. */
export function createUpstream(target: UpstreamTarget): Upstream {
  const url = new URL(target.url);
  const secure = url.protocol === 'https:';
  // Idle connections go before the server's own 90 s: a request that meets its closing would be a fault nobody armed.
  const pooling = { keepAlive: true, timeout: 30_000 };
  const agent = secure ? new HttpsAgent(pooling) : new HttpAgent(pooling);
  const open = secure ? httpsRequest : httpRequest;
  const base = { host: url.hostname, port: url.port || (secure ? 443 : 80), agent, ...tlsOptions(target) };
  return {
    token: target.token,
    request: (options) => open({ ...base, ...options }),
    close: () => agent.destroy(),
  };
}

function tlsOptions(target: UpstreamTarget) {
  const { ca, cert, key, skipTlsVerify = false } = target;
  return { ca, cert, key, rejectUnauthorized: !skipTlsVerify };
}

interface Kubeconfig {
  'current-context': string;
  contexts: { name: string; context: { cluster: string; user: string; namespace?: string } }[];
  clusters: { name: string; cluster: Record<string, unknown> & { server: string } }[];
  users: { name: string; user: Record<string, unknown> }[];
}

/**
 * Reads the current context of a kubeconfig file. Understands a token, client certificates and a CA, each inline or as a
 * file; no exec plugins.
 * @throws Error when the file has no usable current context.
 */
export function readUpstreamTarget(kubeconfigPath: string): UpstreamTarget {
  const config = parse(readFileSync(kubeconfigPath, 'utf8')) as Kubeconfig;
  const { cluster, user } = currentContext(config, kubeconfigPath);
  const pem = (from: Record<string, unknown>, field: string) => readPem(from, field, dirname(kubeconfigPath));
  return {
    url: cluster.server,
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
    token: typeof user.token === 'string' ? user.token : undefined,
    skipTlsVerify: cluster['insecure-skip-tls-verify'] === true,
  };
}

function currentContext(config: Kubeconfig, path: string) {
  const context = config.contexts?.find((entry) => entry.name === config['current-context'])?.context;
  const cluster = config.clusters?.find((entry) => entry.name === context?.cluster)?.cluster;
  if (!context || !cluster) throw new Error(`${path} has no current context with a cluster`);
  return { cluster, user: config.users?.find((entry) => entry.name === context.user)?.user ?? {} };
}

/** `<field>-data` holds base64, `<field>` names a file relative to the kubeconfig. */
function readPem(from: Record<string, unknown>, field: string, directory: string): string | undefined {
  const inline = from[`${field}-data`];
  if (typeof inline === 'string') return Buffer.from(inline, 'base64').toString('utf8');
  const file = from[field];
  return typeof file === 'string' ? readFileSync(resolve(directory, file), 'utf8') : undefined;
}

/** Writes a kubeconfig that leads to the proxy. Plain `http:` needs `insecure-skip-tls-verify` for client-node. */
export function writeProxyKubeconfig(path: string, url: string, token: string | undefined): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'fault-proxy',
    clusters: [{ name: 'fault-proxy', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'fault-proxy', user: token === undefined ? {} : { token } }],
    contexts: [{ name: 'fault-proxy', context: { cluster: 'fault-proxy', user: 'fault-proxy' } }],
  };
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
}
