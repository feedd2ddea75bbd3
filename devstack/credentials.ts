/**
 * The files a cluster of one stack authenticates with: a token, the key of service accounts and the kubeconfig. They
 * protect nothing but a loopback port that lives as long as the stack.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';

export interface Credentials {
  token: string;
  tokenFile: string;
  serviceAccountKey: string;
  serviceAccountPublicKey: string;
  kubeconfig: string;
  /** Written by the apiserver at its first start: its own certificate, which is also the authority to trust. */
  certDir: string;
  caFile: string;
  server: string;
}

/** Writes the files into `dir`, or takes those of an earlier start from there. */
export function writeCredentials(dir: string, port: number): Credentials {
  const certDir = join(dir, 'certs');
  const files = {
    tokenFile: join(dir, 'tokens.csv'),
    serviceAccountKey: join(dir, 'service-account.key'),
    serviceAccountPublicKey: join(dir, 'service-account.pub'),
    kubeconfig: join(dir, 'kubeconfig'),
  };
  const caFile = join(certDir, 'apiserver.crt');
  const server = `https://127.0.0.1:${port}`;
  if (!existsSync(files.serviceAccountKey)) writeSecrets(files);
  const token = readFileSync(files.tokenFile, 'utf8').split(',')[0] ?? '';
  writeFileSync(files.kubeconfig, renderKubeconfig(server, caFile, token), { mode: 0o600 });
  return { ...files, token, certDir, caFile, server };
}

function writeSecrets(files: Record<'tokenFile' | 'serviceAccountKey' | 'serviceAccountPublicKey', string>): void {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  writeFileSync(files.tokenFile, `${randomBytes(24).toString('hex')},admin,admin,"system:masters"\n`, { mode: 0o600 });
  writeFileSync(files.serviceAccountPublicKey, publicKey);
  writeFileSync(files.serviceAccountKey, privateKey, { mode: 0o600 });
}

/** A kubeconfig with one cluster, one user and one context, all named devstack. */
export function renderKubeconfig(server: string, caFile: string, token: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'devstack',
    clusters: [{ name: 'devstack', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'devstack', user: { token } }],
    contexts: [{ name: 'devstack', context: { cluster: 'devstack', user: 'devstack', namespace: 'default' } }],
  });
}
