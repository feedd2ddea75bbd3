/** The prometheus provider against servers that answer as Prometheus does, wrongly, or not at all; test/hooks has a real one. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PrometheusProvider } from '../../../crds/provider.ts';
import { measurePrometheus } from './prometheus.ts';
import { ProviderScene, problemOf } from './provider-scene.ts';

let server: Server;
let origin: string;
let answer: { status?: number; text: string };
let asked: { url: string | undefined; headers: IncomingHttpHeaders; form: URLSearchParams };
const scene = new ProviderScene();

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    asked = { url: request.url, headers: request.headers, form: new URLSearchParams(body) };
    response.writeHead(answer.status ?? 200, { 'content-type': 'text/x-test' }).end(answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  scene.secrets.prometheus = { token: 't0ken', user: 'ana', password: 's3cret' };
});

afterAll(async () => {
  await scene.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const measure = (fields: Partial<PrometheusProvider> = {}, args = {}) =>
  measurePrometheus({ address: origin, query: 'up', ...fields }, scene.context(args));

const success = (resultType: string, result: unknown, more: object = {}) => ({
  text: JSON.stringify({ status: 'success', data: { resultType, result }, ...more }),
});
const vector = (...values: string[]) =>
  success(
    'vector',
    values.map((value) => ({ metric: {}, value: [1, value] })),
  );

describe('what is asked', () => {
  it('address and query hold arguments; the path of the address is kept', async () => {
    answer = vector('1');
    const address = '{{ args.at }}/tenant/';
    await measure(
      { address, query: 'up{pod="{{ args.PodName }}"}', timeoutSeconds: 7 },
      { at: origin, PodName: 'p&q=1' },
    );
    expect(asked.url).toBe('/tenant/api/v1/query');
    expect(Object.fromEntries(asked.form)).toEqual({ query: 'up{pod="p&q=1"}', timeout: '7s' });
  });

  it('an address that ends with slashes, or has very many of them', async () => {
    answer = vector('1');
    await measure({ address: `${origin}/tenant//?x=1#y` });
    expect(asked.url).toBe('/tenant/api/v1/query');
    const many = `http://127.0.0.1:1${'/'.repeat(500_000)}x`;
    expect(await problemOf(measure({ address: '{{ args.many }}' }, { many }))).toContain('/x/api/v1/query: ');
  });

  it('a bearer token and basic auth come from Secrets', async () => {
    answer = vector('1');
    const key = (name: string) => ({ name: 'prometheus', key: name });
    await measure({ bearerTokenSecret: key('token') });
    expect(asked.headers.authorization).toBe('Bearer t0ken');
    await measure({ basicAuth: { username: key('user'), password: key('password') } });
    expect(asked.headers.authorization).toBe(`Basic ${Buffer.from('ana:s3cret').toString('base64')}`);
    const problem = await problemOf(measure({ basicAuth: { username: key('user'), password: key('pass') } }));
    expect(problem).toBe('provider.prometheus.basicAuth.password: Secret default/prometheus has no key pass');
  });
});

describe('what an answer means', () => {
  it.each<[string, typeof answer, object]>([
    ['a scalar', success('scalar', [1, '2.5']), { value: 2.5, shown: '2.5' }],
    ['a vector', vector('1', '-0.5', '1e3'), { value: [1, -0.5, 1000], shown: '[1, -0.5, 1000]' }],
    ['infinite', vector('+Inf', '-Inf'), { value: [Infinity, -Infinity], shown: '[Infinity, -Infinity]' }],
    [
      'M17: NaN anywhere, whatever the conditions would say',
      vector('1', 'NaN'),
      { verdict: 'Inconclusive', message: 'a value is not a number (NaN)', shown: '[1, NaN]' },
    ],
    ['no series', vector(), { verdict: 'Inconclusive', message: 'the query finds no series', shown: '[]' }],
    [
      'warnings and infos',
      success('scalar', [1, '2'], {
        warnings: ['query\nprocessing was slow'],
        infos: ['metric might not be a counter'],
      }),
      { value: 2, shown: '2', note: 'query processing was slow; metric might not be a counter' },
    ],
    [
      'what is no warning',
      success('scalar', [1, '2'], { warnings: [{ toString: 1 }, null, 7, '', 'slow', ['x']], infos: { toString: 1 } }),
      { value: 2, shown: '2', note: 'slow' },
    ],
    [
      'warnings without end',
      success('scalar', [1, '2'], { warnings: Array(200_000).fill('w') }),
      { value: 2, shown: '2', note: Array(100).fill('w').join('; ').slice(0, 200) },
    ],
  ])('%s', async (_name, given, want) => {
    answer = given;
    expect(await measure()).toEqual(want);
  });

  it.each(['Successful', 'Failed', 'Error', 'Inconclusive'] as const)('no series may mean %s', async (emptyResult) => {
    answer = success('vector', [], { warnings: ['partial response'] });
    const message = 'the query finds no series; partial response';
    expect(await measure({ emptyResult })).toEqual({ verdict: emptyResult, message, shown: '[]' });
  });

  it('no series may be left to the conditions', async () => {
    answer = vector();
    expect(await measure({ emptyResult: 'Evaluate' })).toEqual({ value: [], shown: '[]' });
  });
});

describe('a bad answer is one clear sentence', () => {
  const address = 'provider.prometheus.address: POST ';
  const query = 'provider.prometheus.query: ';
  it.each<[string, typeof answer, string]>([
    [
      'a query that is none',
      { status: 400, text: '{"status":"error","errorType":"bad_data","error":"unexpected <eof>"}' },
      `${query}Prometheus refuses the query: bad_data; unexpected <eof>`,
    ],
    ['not Prometheus', { text: '{"age":45}' }, 'the answer is not that of a Prometheus (text/x-test)'],
    ['no JSON', { text: '<html>' }, 'the answer is not that of a Prometheus (text/x-test)'],
    ['null', { text: 'null' }, 'the answer is not that of a Prometheus (text/x-test)'],
    ['nothing', { text: '' }, 'the answer is not that of a Prometheus (text/x-test)'],
    ['not allowed', { status: 401, text: 'who are you, t0ken?' }, `${address}`],
    ['a proxy that finds nobody', { status: 503, text: 'no upstream' }, '/api/v1/query: HTTP status 503'],
    [
      'M23: a matrix',
      success('matrix', []),
      `${query}the query answers with a matrix, only scalar and vector can be judged`,
    ],
    ['a string', success('string', [1, 'x']), 'answers with a string, only'],
    ['no data', { text: '{"status":"success"}' }, 'answers with nothing, only'],
    [
      'data that is a text',
      { text: `{"status":"success","data":"${'x'.repeat(900_000)}"}` },
      'answers with nothing, only',
    ],
    ['an error that is an object', { text: '{"status":"error","error":{"toString":1}}' }, 'refuses the query: '],
    [
      'a histogram',
      success('vector', [{ metric: {}, histogram: [1, {}] }]),
      `${query}a series has no plain number, as of a histogram`,
    ],
    ['M23: a series that is null', success('vector', [null]), 'a series has no plain number'],
    ['too much', { text: ' '.repeat(2_000_000) }, 'the answer is larger than 1048576 bytes'],
  ])('%s', async (_name, given, want) => {
    answer = given;
    expect(await problemOf(measure())).toContain(want);
  });

  it('what it repeats is masked before it is cut', async () => {
    const long = 'x'.repeat(190);
    scene.secrets.prometheus!.long = 'a-token-that-is-longer-than-what-is-left-of-the-sentence';
    answer = {
      status: 400,
      text: JSON.stringify({ status: 'error', error: `${long} ${scene.secrets.prometheus!.long}` }),
    };
    const problem = await problemOf(measure({ bearerTokenSecret: { name: 'prometheus', key: 'long' } }));
    expect(problem).toMatch(/x{190} \*\*\*$/);
  });

  it('no valid address', async () => {
    const want = 'provider.prometheus.address: this is not a valid http or https URL';
    expect(await problemOf(measure({ address: 'prometheus:9090' }))).toBe(want);
  });
});
