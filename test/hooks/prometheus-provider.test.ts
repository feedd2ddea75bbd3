/** The provider prometheus against a real Prometheus, judged by conditions as people write them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PrometheusProvider } from '../../crds/provider.ts';
import { eventually } from '../support/eventually.ts';
import { type Asking, ProviderCluster } from './provider-cluster.ts';

let cluster: ProviderCluster;

beforeAll(async () => {
  cluster = await ProviderCluster.open(['prometheus']);
  await eventually('Prometheus has scraped itself', () => ask('up', { successCondition: 'result[0] == 1' }), {
    until: ({ phase }) => phase === 'Successful',
  });
});

afterAll(() => cluster.close());

const ask = (query: string, asking: Asking = {}, fields: Partial<PrometheusProvider> = {}) =>
  cluster.measure({ prometheus: { address: cluster.stack.env.PROMETHEUS_URL, query, ...fields } }, asking);

describe('an answer', () => {
  test.each<[string, string, string, string, string]>([
    ['a scalar is a number', 'scalar(vector(2.5))', 'result > 2 and result < 3', 'Successful', '2.5'],
    ['a vector is a list', 'vector(0.02)', 'len(result) == 1 and result[0] < 0.01', 'Failed', '[0.02]'],
    [
      'all of many',
      'label_replace(vector(1), "a", "b", "", "") or vector(2)',
      'all(result, {# > 0})',
      'Successful',
      '[1, 2]',
    ],
    ['infinite', 'vector(1) / 0', 'isInf(result[0])', 'Successful', '[Infinity]'],
    ['NaN', 'vector(0) / 0', 'result[0] < 1', 'Inconclusive', '[NaN]'],
    ['no series', 'no_such_metric', 'true', 'Inconclusive', '[]'],
  ])('%s', async (_name, query, successCondition, phase, value) => {
    expect(await ask(query, { successCondition })).toMatchObject({ phase, value });
  });

  test('no series may be given a value, or a meaning', async () => {
    const rate = 'sum(rate(no_such_metric[1m])) or vector(0)';
    expect(await ask(rate, { successCondition: 'result[0] < 0.01' })).toMatchObject({
      phase: 'Successful',
      value: '[0]',
    });
    expect(await ask('no_such_metric', {}, { emptyResult: 'Successful' })).toMatchObject({ phase: 'Successful' });
    const evaluated = await ask(
      'no_such_metric',
      { successCondition: 'len(result) == 0' },
      { emptyResult: 'Evaluate' },
    );
    expect(evaluated.phase).toBe('Successful');
  });

  test('holds arguments in query and address', async () => {
    const { PROMETHEUS_URL = '' } = cluster.stack.env;
    const asking = { arguments: { job: 'prometheus', at: PROMETHEUS_URL }, successCondition: 'result[0] == 1' };
    const made = await ask('up{job="{{ args.job }}"}', asking, { address: '{{ args.at }}/' });
    expect(made).toMatchObject({ phase: 'Successful', value: '[1]' });
  });
});

describe('an Error', () => {
  test.each<[string, string]>([
    ['sum(', 'provider.prometheus.query: Prometheus refuses the query: bad_data; '],
    ['up[1m]', 'provider.prometheus.query: the query answers with a matrix, only scalar and vector can be judged'],
    ['"text"', 'provider.prometheus.query: the query answers with a string, only scalar and vector can be judged'],
  ])('%s', async (query, message) => {
    expect(await ask(query)).toMatchObject({ phase: 'Error', message: expect.stringContaining(message) });
  });

  test('a condition that does not fit', async () => {
    const made = await ask('vector(1)', { successCondition: 'result > 0' });
    expect(made).toMatchObject({ phase: 'Error', message: expect.stringContaining('successCondition: ') });
  });

  test('nobody there, and somebody else', async () => {
    const address = `https://127.0.0.1:${cluster.stack.ports.apiserver}`;
    const tls = { insecureSkipVerify: true };
    const other = await ask('up', {}, { address, tls });
    expect(other.message).toBe(`provider.prometheus.address: POST ${address}/api/v1/query: HTTP status 403`);
    const unknown = await ask('up', {}, { address });
    expect(unknown.message).toMatch(/: the certificate is not trusted \(\w+\)$/);
  });

  test('a Prometheus that is stopped while it is asked, and one that was started again', async () => {
    const server = cluster.stack.process('prometheus');
    await server.kill();
    expect((await ask('up')).message).toMatch(/: the connection is refused$/);
    await server.start();
    expect((await ask('vector(1)')).phase).toBe('Successful');
  });
});
