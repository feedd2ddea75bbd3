/** Rows W and M22 of progressive-delivery §2.7: from what a server answers to what the measurement is. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Metric } from '../../crds/metric.ts';
import { makeMeasurement } from './measurement.ts';
import { ProviderScene } from './providers/provider-scene.ts';
import { SecretReader } from './secrets.ts';

const scene = new ProviderScene();
let server: Server;
let origin: string;

/** By path: status and body. */
const ANSWERS: Record<string, [status: number, body: string]> = {
  '/value': [200, '{"state":"ready","items":[5,6]}'],
  '/one': [200, '1'],
  '/zero': [200, '0'],
  '/choices': [300, '{"state":"ready"}'],
  '/bad': [400, '{"state":"ready"}'],
  '/empty': [200, ''],
  '/api/v1/query': [422, '{"status":"error","errorType":"execution","error":"too many samples"}'],
};

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const [status, body] = ANSWERS[url] ?? [404, ''];
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await scene.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function measure(provider: Metric['provider'], conditions: Partial<Metric>) {
  const { ports, ...order } = scene.context();
  const secrets = new SecretReader(ports.client, Date.now);
  return makeMeasurement({ name: 'm', provider, ...conditions }, order, { ...ports, secrets }, order.signal);
}

type Row = [row: string, url: () => string, jsonPath: string | undefined, conditions: Partial<Metric>, phase: string];
const at = (path: string) => () => `${origin}${path}`;
const ready = { successCondition: 'result == "ready"' };

it.each<Row>([
  ['W1: S true on what the path finds', at('/value'), '{.state}', ready, 'Successful'],
  [
    'W2: S false, F false',
    at('/value'),
    '{.state}',
    { successCondition: 'result == "x"', failureCondition: 'result == "y"' },
    'Inconclusive',
  ],
  ['W3: body 1', at('/one'), undefined, { successCondition: 'asInt(result) > 0' }, 'Successful'],
  ['W4: body 0', at('/zero'), undefined, { successCondition: 'asInt(result) > 0' }, 'Failed'],
  ['W6: status 300, the condition would hold', at('/choices'), '{.state}', ready, 'Error'],
  ['W6: status 400, the condition would hold', at('/bad'), '{.state}', ready, 'Error'],
  ['W7: another scheme', () => 'gopher://127.0.0.1/', undefined, { successCondition: 'true' }, 'Error'],
  ['W7: nobody listens', () => 'http://127.0.0.1:1/', undefined, { successCondition: 'true' }, 'Error'],
  // game-workloads §3.5 wins: what is no JSON is no answer.
  ['W8: an empty body, S true', at('/empty'), undefined, { successCondition: 'true' }, 'Error'],
  ['W9: an empty body, S asks for x', at('/empty'), undefined, { successCondition: 'result == "x"' }, 'Error'],
  ['W12: the path finds nothing', at('/value'), '{.gone}', { successCondition: 'true' }, 'Error'],
])('%s', async (_row, url, jsonPath, conditions, phase) => {
  expect(await measure({ web: { url: url(), jsonPath } }, conditions)).toMatchObject({ phase });
});

it('M22: Prometheus refuses the query', async () => {
  const made = await measure({ prometheus: { address: origin, query: 'up' } }, { successCondition: 'true' });
  expect(made).toMatchObject({ phase: 'Error', message: expect.stringContaining('too many samples') });
});
