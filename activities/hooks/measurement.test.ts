/** What is told of a measurement whose value holds a Secret. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeMeasurement } from './measurement.ts';
import { ProviderScene } from './providers/provider-scene.ts';
import { SecretReader } from './secrets.ts';

/** Longer than what an expression quotes of a value. */
const TOKEN = 'this-token-is-longer-than-the-forty-characters-that-an-expression-quotes';
const scene = new ProviderScene();
let server: Server;

beforeAll(async () => {
  scene.secrets.game = { token: TOKEN };
  server = createServer((request, response) => response.end(JSON.stringify({ told: `${request.headers['x-token']}` })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await scene.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function measure(conditions: { successCondition?: string; failureCondition?: string }) {
  const { ports, ...order } = scene.context();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const headers = [{ key: 'X-Token', valueFrom: { secretKeyRef: { name: 'game', key: 'token' } } }];
  const metric = { name: 'm', provider: { web: { url, headers, jsonPath: '{.told}' } }, ...conditions };
  const secrets = new SecretReader(ports.client, Date.now);
  return makeMeasurement(metric, order, { ...ports, secrets }, order.signal);
}

describe('the conditions see the value, nobody else does', () => {
  it.each<[string, object, string, string]>([
    ['successCondition', { successCondition: `result == "${TOKEN}"` }, 'Successful', ''],
    ['successCondition', { successCondition: 'result == ""' }, 'Failed', 'successCondition does not hold'],
    ['successCondition', { successCondition: 'asInt(result) > 1' }, 'Error', 'successCondition: it cannot be judged; '],
    [
      'failureCondition',
      { failureCondition: 'asFloat(result) > 1' },
      'Error',
      'failureCondition: it cannot be judged; ',
    ],
  ])('%s %j is %s', async (_name, conditions, phase, message) => {
    const made = await measure(conditions);
    expect(made).toMatchObject({ phase, value: '***' });
    expect(made.message ?? '').toContain(message);
    expect(JSON.stringify(made)).not.toContain('this-token');
  });
});
