/** A Secret that a hook sends stands nowhere: not in the object, its events, the workflow, nor what the worker writes. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Metric } from '../../crds/metric.ts';
import { eventually } from '../support/eventually.ts';
import { HookScene } from './hook-scene.ts';
import { textsIn } from './told.ts';

const TOKEN = 'hunter2-"quoted"-hunter2';
const PASSWORD = 'p4ssw0rd-p4ssw0rd';
const FORMS = [TOKEN, PASSWORD, `ana:${PASSWORD}`].flatMap((secret) => [
  secret,
  Buffer.from(secret).toString('base64'),
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
]);

let scene: HookScene;
let server: Server;
/** What the server was sent as `x-token` and `authorization`, so that it is known to be sent at all. */
const received: string[] = [];

/** Says back whatever it is told, as debugging servers do. */
beforeAll(async () => {
  scene = await HookScene.open();
  server = createServer((request, response) => {
    const told = [request.headers['x-token'], request.headers.authorization].join(' ');
    received.push(told);
    const isQuery = request.url?.includes('/api/v1/query') === true;
    if (isQuery) response.writeHead(400).end(JSON.stringify({ status: 'error', errorType: 'bad', error: told }));
    else response.end(JSON.stringify({ told }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const values = [`--from-literal=token=${TOKEN}`, '--from-literal=user=ana', `--from-literal=password=${PASSWORD}`];
  await scene.kubectl('create', 'secret', 'generic', 'game', ...values);
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await scene.close();
});

const key = (name: string) => ({ name: 'game', key: name });

/** Each metric ends in another way; all of them have the server's echo in hand. */
function metrics(): Metric[] {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const headers = [{ key: 'X-Token', valueFrom: { secretKeyRef: key('token') } }];
  const web = { web: { url: origin, headers, jsonPath: '{.told}' } };
  const basicAuth = { username: key('user'), password: key('password') };
  return [
    { name: 'judged', provider: web, interval: '1s', count: 2, failureLimit: 1, successCondition: 'result == "no"' },
    { name: 'misjudged', provider: web, interval: '1s', consecutiveErrorLimit: 3, successCondition: 'result > 1' },
    {
      name: 'refused',
      provider: { prometheus: { address: origin, query: 'up', basicAuth } },
      consecutiveErrorLimit: 2,
    },
  ];
}

test('no value of a Secret is told to anybody but the server', async () => {
  const handle = await scene.start('keeps', { metrics: metrics() });
  expect(await handle.result()).toMatchObject({ phase: 'Failed' });
  const run = await scene.kubectl('get', 'hookrun', 'keeps', '-o', 'yaml');
  const events = await eventually('the events are there', () => scene.kubectl('get', 'events', '-o', 'yaml'), {
    until: (text) => text.includes('hook run: Failed'),
  });
  const described = await scene.temporal('workflow', 'describe', '-w', handle.workflowId);
  const history = textsIn(await handle.fetchHistory());
  const told = [run, events, described, history, scene.workerOutput.join('')];
  // The test looks at the right places: there the echo stands, masked.
  expect(run).toContain('***');
  expect(history).toContain('metric judged failed 2 times');
  expect([received.some((text) => text.includes(TOKEN)), received.some((text) => text.includes('Basic '))]).toEqual([
    true,
    true,
  ]);
  for (const text of told) expect(FORMS.filter((form) => text.includes(form))).toEqual([]);
});
