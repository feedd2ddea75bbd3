/** The provider prometheus against a real Prometheus behind TLS, basic auth and a bearer token; what it warns of; what takes too long. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PrometheusProvider } from '../../crds/provider.ts';
import { makeCertificate } from '../support/certificates.ts';
import { type Asking, ProviderCluster } from './provider-cluster.ts';
import { PASSWORD, SecurePrometheus, TOKEN, USER } from './secure-prometheus.ts';

let cluster: ProviderCluster;
let prometheus: SecurePrometheus;

beforeAll(async () => {
  cluster = await ProviderCluster.open(['prometheus']);
  prometheus = await SecurePrometheus.open(cluster.stack);
  const literals = {
    ...{ user: USER, password: PASSWORD, other: 'p4ssw0rd-of-nobody', token: TOKEN, 'wrong-token': 't0ken-of-nobody' },
    'ca.crt': prometheus.ca,
  };
  const values = Object.entries(literals).map(([key, value]) => `--from-literal=${key}=${value}`);
  await cluster.kubectl('create', 'secret', 'generic', 'prometheus', ...values);
});

afterAll(async () => {
  await prometheus.close();
  await cluster.close();
});

const key = (name: string) => ({ name: 'prometheus', key: name });
const ca = { caSecret: key('ca.crt') };
const basicAuth = (password = 'password') => ({ username: key('user'), password: key(password) });

const ask = (fields: Partial<PrometheusProvider>, asking: Asking = {}) =>
  cluster.measure({ prometheus: { address: prometheus.address, query: 'vector(1)', ...fields } }, asking);

const good = { successCondition: 'result[0] == 1' };

describe('is answered', () => {
  test('with basic auth, over TLS of an authority in a Secret', async () => {
    expect(await ask({ tls: ca, basicAuth: basicAuth() }, good)).toMatchObject({ phase: 'Successful', value: '[1]' });
  });

  test('with a bearer token, over TLS of an authority in the metric', async () => {
    const fields = { address: prometheus.proxyAddress, bearerTokenSecret: key('token'), tls: { ca: prometheus.ca } };
    expect(await ask(fields, good)).toMatchObject({ phase: 'Successful', value: '[1]' });
  });
});

describe('is an Error, and tells no Secret', () => {
  const queryOf = (address: string) => `provider.prometheus.address: POST ${address}/api/v1/query: `;
  const told = async (fields: Partial<PrometheusProvider>) => {
    const made = await ask(fields);
    expect(made.phase).toBe('Error');
    expect(JSON.stringify(made)).not.toMatch(/p4ssw0rd|t0ken/);
    return made.message;
  };

  test('a wrong password, and none', async () => {
    const want = `${queryOf(prometheus.address)}HTTP status 401`;
    expect(await told({ tls: ca, basicAuth: basicAuth('other') })).toBe(want);
    expect(await told({ tls: ca })).toBe(want);
  });

  test('a wrong token, which the server says back', async () => {
    const address = prometheus.proxyAddress;
    const message = await told({ address, tls: ca, bearerTokenSecret: key('wrong-token') });
    expect(message).toBe(`${queryOf(address)}HTTP status 401`);
  });

  test('an authority that is not known', async () => {
    const message = await told({ basicAuth: basicAuth() });
    expect(message).toMatch(/: the certificate is not trusted \(\w+\)$/);
  });

  test('plain HTTP to a server that wants TLS', async () => {
    const address = prometheus.address.replace('https', 'http');
    expect(await told({ address, basicAuth: basicAuth() })).toBe(`${queryOf(address)}HTTP status 400`);
  });

  test('a certificate that has expired', async () => {
    const later = makeCertificate({ name: 'another authority' });
    const expired = makeCertificate({ name: 'expired', issuer: later, notAfter: new Date(Date.now() - 60_000) });
    prometheus.useCertificate(expired);
    const message = await told({ tls: { ca: later.cert }, basicAuth: basicAuth() });
    expect(message).toBe(`${queryOf(prometheus.address)}the certificate has expired`);
  });
});

describe('what Prometheus says besides', () => {
  const ask = (query: string, asking: Asking = {}, fields: Partial<PrometheusProvider> = {}) => {
    const [address, tls] = [prometheus.proxyAddress, { ca: prometheus.ca }];
    return cluster.measure({ prometheus: { address, tls, bearerTokenSecret: key('token'), query, ...fields } }, asking);
  };
  const warning = expect.stringMatching(/(remote_read|error sending request).*connection refused/);

  test('a warning stands beside a success', async () => {
    const made = await ask('sum(up) or vector(1)', { successCondition: 'result[0] == 1' });
    expect(made).toMatchObject({ phase: 'Successful', value: '[1]', message: warning });
  });

  test('and beside what is no success', async () => {
    const failed = await ask('sum(up) or vector(1)', { successCondition: 'result[0] > 1' });
    expect(failed).toMatchObject({ phase: 'Failed', message: warning });
    expect(failed.message).toMatch(/^successCondition does not hold; /);
    const empty = await ask('up');
    expect(empty).toMatchObject({ phase: 'Inconclusive', value: '[]', message: warning });
    expect(empty.message).toMatch(/^the query finds no series; /);
  });

  test('M22: a query that takes too long is an Error within its time', async () => {
    const begun = performance.now();
    const made = await ask('sum(sum_over_time(vector(1)[30h:1ms]))', {}, { timeoutSeconds: 1 });
    expect(made).toMatchObject({ phase: 'Error' });
    expect(made.message).toMatch(/no answer within 1 s$|Prometheus refuses the query: /);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
