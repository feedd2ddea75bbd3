/** What the web provider sends, with its Secrets, and which statuses it takes for good. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WebProvider } from '../../../crds/provider.ts';
import { ProviderScene, problemOf } from './provider-scene.ts';
import { measureWeb } from './web.ts';

interface Received {
  method: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

let server: Server;
let origin: string;
let received: Received[] = [];
const scene = new ProviderScene();

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    received.push({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() });
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/echo')
      response.setHeader('content-type', `${'x'.repeat(50)}${request.headers['x-token']}`).end('no');
    else if (pathname === '/moved') response.writeHead(307, { location: '/' }).end();
    else
      response.writeHead(Number(pathname.slice(1)) || 200).end(pathname === '/text' ? 'gone fishing' : '{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  scene.secrets.game = { token: 'hunter2-hunter2\n', empty: '', broken: 'a\nb' };
  scene.forbidden.add('hidden');
});

beforeEach(() => {
  received = [];
});

afterAll(async () => {
  await scene.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const measure = (web: Partial<WebProvider>, args = {}) =>
  measureWeb({ url: `${origin}/`, ...web }, scene.context(args));
const header = (name: string, key: string) => [{ key: 'X-Token', valueFrom: { secretKeyRef: { name, key } } }];

describe('what is sent', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('%s with a body that holds arguments', async (method) => {
    const body = '{"pod":"{{ args.PodName }}"}';
    await measure({ method, body, headers: [{ key: 'content-type', value: 'application/json' }] }, { PodName: 'p-0' });
    expect(received).toMatchObject([
      { method, body: '{"pod":"p-0"}', headers: { 'content-type': 'application/json' } },
    ]);
  });

  it('a header from a Secret, without the newline of the editor that wrote it', async () => {
    await measure({ headers: header('game', 'token') });
    expect(received[0]?.headers['x-token']).toBe('hunter2-hunter2');
  });

  it('a header in any script, as UTF-8', async () => {
    await measure({ headers: [{ key: 'X-Room', value: '{{ args.room }}' }] }, { room: '大厅 ü' });
    expect(Buffer.from(String(received[0]?.headers['x-room']), 'latin1').toString('utf8')).toBe('大厅 ü');
  });

  it.each<[string, string, string]>([
    ['gone', 'token', 'Secret default/gone does not exist'],
    ['game', 'other', 'Secret default/game has no key other'],
    ['game', 'constructor', 'Secret default/game has no key constructor'],
    ['game', 'empty', 'key empty of Secret default/game is empty'],
    ['hidden', 'token', 'Secret default/hidden may not be read by the controller'],
  ])('nothing where Secret %s has no good %s', async (name, key, message) => {
    const want = `provider.web.headers[0].valueFrom.secretKeyRef: ${message}`;
    expect(await problemOf(measure({ headers: header(name, key) }))).toBe(want);
    expect(received).toEqual([]);
  });

  it('nothing where a Secret cannot be a header, and its content is not told', async () => {
    const problem = await problemOf(measure({ headers: header('game', 'broken') }));
    expect(problem).toBe(`provider.web.url: GET ${origin}/: a header cannot be sent`);
  });

  it('a Secret that the server repeats in its content type is masked before that is cut', async () => {
    const problem = await problemOf(measure({ url: `${origin}/echo`, headers: header('game', 'token') }));
    expect(problem).toMatch(/the answer is not JSON \(x{50}\*\*\*\)$/);
  });

  it('a redirect of a POST is not followed', async () => {
    const problem = await problemOf(measure({ url: `${origin}/moved`, method: 'POST', body: 'x' }));
    expect(problem).toContain('a redirect of a POST, which is not followed');
    expect(received).toHaveLength(1);
  });
});

describe('statuses', () => {
  it.each<[string, Partial<WebProvider>, string]>([
    ['/404', { expectedStatuses: [404, 410] }, '404'],
    ['/503', { expectedStatuses: [503], jsonPath: '{.ok}' }, 'true'],
    ['/text', { expectedStatuses: [200] }, '200'],
    ['/204', { method: 'HEAD' }, '204'],
    ['/201', { method: 'POST' }, '{"ok":true}'],
  ])('%s is good with %j', async (path, web, value) => {
    expect(await measure({ url: `${origin}${path}`, ...web })).toEqual({ value });
  });

  it('one that is not expected is an Error, be it a good one otherwise', async () => {
    const problem = await problemOf(measure({ expectedStatuses: [202] }));
    expect(problem).toBe(`provider.web.url: GET ${origin}/: HTTP status 200`);
  });
});
