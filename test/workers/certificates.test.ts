/** What keeps a controller from starting for good, and what it waits for: real servers whose certificates are not right. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createSecureServer, type SecureServerOptions } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { createKubernetesClient } from '../../kubernetes/client.ts';
import { readClusterUid } from '../../workers/cluster.ts';
import { CannotStart } from '../../workers/startup-error.ts';
import { connectTemporal } from '../../workers/temporal.ts';
import { makeCertificate } from '../support/certificates.ts';

const authority = makeCertificate({ name: 'authority' });
const good = makeCertificate({ name: 'good', issuer: authority });
const expired = makeCertificate({ name: 'old', issuer: authority, notAfter: new Date(Date.now() - 60_000) });
const foreign = makeCertificate({ name: 'foreign' });
/** Reserved: nobody has it. */
const NO_HOST = 'api.nowhere.invalid';
const NO_HOST_SAID = /host api\.nowhere\.invalid.* \((?:ENOTFOUND|EAI_AGAIN)\)/;

let dir: string;
const servers: Server[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-certificates-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close();
  rmSync(dir, { recursive: true });
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  // A client that ends the handshake is no fault of the server.
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const refusalOf = async (attempt: Promise<unknown>): Promise<CannotStart> => {
  const error = await attempt.then(
    () => new Error('it was accepted'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CannotStart)) throw error;
  return error;
};

describe('the API server', () => {
  /** What a start says that trusts the authority, and calls the server by `name`. */
  async function start(server: string, name?: string): Promise<CannotStart> {
    const path = join(dir, 'kubeconfig');
    const cluster = {
      server,
      'certificate-authority-data': Buffer.from(authority.cert).toString('base64'),
      ...(name !== undefined && { 'tls-server-name': name }),
    };
    const context = { name: 'here', context: { cluster: 'here', user: 'me' } };
    const users = [{ name: 'me', user: { token: 'secret' } }];
    const config = { clusters: [{ name: 'here', cluster }], contexts: [context], users, 'current-context': 'here' };
    writeFileSync(path, stringify({ apiVersion: 'v1', kind: 'Config', ...config }));
    const client = createKubernetesClient({ kubeconfigPath: path });
    return await refusalOf(readClusterUid(client)).finally(() => client.close());
  }
  const at = (port: number) => `https://127.0.0.1:${port}`;

  test.each([
    ['is expired', expired, undefined, /certificate not accepted: certificate has expired \(CERT_HAS_EXPIRED\)/],
    ['is of another authority', foreign, undefined, /certificate not accepted: .+ \([A-Z_]+\)/],
    ['is for another host', good, 'other.example', /certificate not accepted: .*other\.example.*ALTNAME_INVALID\)/],
  ])('whose certificate %s ends the start, with the reason', async (_, certificate, name, want) => {
    const error = await start(at(await listening(createHttps(certificate))), name);
    expect(error.message).toMatch(want);
    expect(error.isPassing).toBe(false);
  });

  test('that does not speak TLS ends the start', async () => {
    const error = await start(at(await listening(createHttp())));
    expect(error.message).toContain('the server does not speak TLS');
    expect(error.isPassing).toBe(false);
  });

  test('whose name nobody knows yet is waited for, and the name is said', async () => {
    const error = await start(`https://${NO_HOST}:6443`);
    expect(error.message).toMatch(NO_HOST_SAID);
    expect(error.isPassing).toBe(true);
  });

  test('that is not there is waited for', async () => {
    const error = await start('https://127.0.0.1:1');
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.isPassing).toBe(true);
  });
});

describe('Temporal', () => {
  /** What a start says that has these settings of the Temporal CLI. */
  async function start(temporalAddress: string, settings: Record<string, string>): Promise<CannotStart> {
    for (const [name, value] of Object.entries({ TEMPORAL_CONFIG_FILE: join(dir, 'none'), ...settings }))
      vi.stubEnv(name, value);
    return await refusalOf(connectTemporal({ temporalAddress, identity: 'test', connectTimeoutMs: 500 }));
  }
  const at = (port: number) => `127.0.0.1:${port}`;
  const trusting = { TEMPORAL_TLS_SERVER_CA_CERT_DATA: authority.cert };
  const secure = (options: SecureServerOptions) => createSecureServer(options) as unknown as Server;

  const refused: [string, () => Server, Record<string, string>, RegExp][] = [
    [
      'has an expired certificate',
      () => secure(expired),
      trusting,
      /: certificate not accepted: .*\(CERT_HAS_EXPIRED\)/,
    ],
    ['has a certificate of another authority', () => secure(foreign), trusting, /: certificate not accepted: /],
    [
      'has a certificate for another host',
      () => secure(good),
      { ...trusting, TEMPORAL_TLS_SERVER_NAME: 'other.example' },
      /certificate not accepted: .*other\.example/,
    ],
    [
      'wants a certificate of ours',
      () => secure({ ...good, requestCert: true, rejectUnauthorized: true, ca: authority.cert }),
      trusting,
      /: the server does not accept our certificate/,
    ],
    ['does not speak TLS', () => createHttp(), { TEMPORAL_API_KEY: 'secret' }, /: the server does not speak TLS/],
    ['speaks TLS, which is not set', () => secure(good), {}, /: the server speaks TLS, and TEMPORAL_TLS is not set/],
    [
      'is asked with a certificate that is none',
      () => secure(good),
      { TEMPORAL_TLS_CLIENT_CERT_DATA: 'nonsense', TEMPORAL_TLS_CLIENT_KEY_DATA: 'nonsense' },
      /PEM/,
    ],
  ];
  test.each(refused)('that %s ends the start, with the reason', async (_, open, settings, want) => {
    const error = await start(at(await listening(open())), settings);
    expect(error.message).toMatch(want);
    expect(error.message).not.toContain('secret');
    expect(error.isPassing).toBe(false);
  });

  test('whose name nobody knows yet is waited for, and the name is said', async () => {
    const error = await start(`${NO_HOST}:7233`, {});
    expect(error.message).toMatch(NO_HOST_SAID);
    expect(error.isPassing).toBe(true);
  });

  test.each([{}, trusting])('that is not there is waited for', async (settings) => {
    const error = await start('127.0.0.1:1', settings);
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.isPassing).toBe(true);
  });
});
