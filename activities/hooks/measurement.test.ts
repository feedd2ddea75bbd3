/** What is told of a measurement whose value holds a Secret. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeMeasurement } from './measurement.ts';
import { ProviderScene } from './providers/provider-scene.ts';
import { SecretReader } from './secrets.ts';

const TOKEN = 'this-token-is-told-to-the-server-and-to-nobody-else';
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
    [
      'successCondition',
      { successCondition: 'asInt(result) > 1' },
      'Error',
      'successCondition: asInt cannot read a text',
    ],
    [
      'failureCondition',
      { failureCondition: 'asFloat(result) > 1' },
      'Error',
      'failureCondition: asFloat cannot read a text',
    ],
  ])('%s %j is %s', async (_name, conditions, phase, message) => {
    const made = await measure(conditions);
    expect(made).toMatchObject({ phase, value: '***' });
    expect(made.message ?? '').toContain(message);
    expect(JSON.stringify(made)).not.toContain('this-token');
  });
});

describe('a fault of ours', () => {
  const metric = { name: 'm', provider: { web: { url: 'http://127.0.0.1/' } } };
  const breaking = (signal: AbortSignal) => {
    const { ports, ...order } = scene.context();
    const warnings: unknown[] = [];
    const log = { warn: (...said: unknown[]) => void warnings.push(said) };
    const secrets = {
      open: () => {
        throw new TypeError(`cannot read ${TOKEN}`);
      },
    };
    const made = makeMeasurement(metric, order, { ...ports, log, secrets: secrets as never }, signal);
    return { made, warnings };
  };

  it('is an Error that names it and no more, and is logged with the place', async () => {
    const { made, warnings } = breaking(new AbortController().signal);
    expect(await made).toMatchObject({ phase: 'Error', message: 'a fault of Holdfast: TypeError' });
    expect(warnings).toMatchObject([[{ fault: 'TypeError', hookRun: 'run', metric: 'm' }, 'a measurement broke down']]);
    expect(JSON.stringify(warnings)).toContain('measurement.test.ts');
    expect(JSON.stringify([await made, warnings])).not.toContain(TOKEN);
  });

  it('is none where the measurement was given up', async () => {
    await expect(breaking(AbortSignal.abort(new Error('given up'))).made).rejects.toThrow('given up');
  });
});
