/** The web provider against a real HTTP server that behaves well and badly. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebProvider } from '../../../crds/provider.ts';
import { ProviderScene, problemOf } from './provider-scene.ts';
import { measureWeb } from './web.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json =
  (body: unknown): Answer =>
  (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };
const redirect =
  (location: string): Answer =>
  (_request, response) => {
    response.writeHead(302, { location }).end();
  };

/** Says `start`, and then a little every now and then. */
const drip = (start: string, more: string) => (socket: Socket) => {
  socket.on('error', () => {}).resume();
  socket.write(start);
  const timer = setInterval(() => socket.write(more), 20);
  socket.on('close', () => clearInterval(timer));
};

const ANSWERS: Record<string, Answer> = {
  '/age': json({ age: 45, list: [1, 2], text: 'ready' }),
  '/plain': (_request, response) => response.setHeader('content-type', 'text/html').end('<html>down</html>'),
  '/empty': (_request, response) => response.end(),
  '/no-content': (_request, response) => response.writeHead(204).end(),
  '/broken': (_request, response) => response.writeHead(503).end('{"age": 45}'),
  '/not-modified': (_request, response) => response.writeHead(304).end(),
  '/silent': () => {},
  '/half': (_request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{"age"');
    response.socket?.destroy();
  },
  '/endless': (_request, response) => {
    const timer = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(timer));
  },
  '/huge': (_request, response) => response.end(JSON.stringify({ age: 'x'.repeat(2_000_000) })),
  '/flood': (_request, response) => {
    const chunk = Buffer.alloc(65_536, ' ');
    const pour = () => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
  },
  '/moved': redirect('/age'),
  '/loop': redirect('/loop'),
  '/away': redirect('http://127.0.0.2:1/age'),
  '/nowhere': redirect('http://'),
  '/echo': (request, response) => response.end(JSON.stringify(request.headers)),
};

let server: Server;
let origin: string;
const scene = new ProviderScene();

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname;
    ANSWERS[path]?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await scene.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const measure = (web: Partial<WebProvider>, signal = new AbortController().signal) =>
  measureWeb({ url: `${origin}/age`, timeoutSeconds: 2, jsonPath: '{$.age}', ...web }, scene.context({}, { signal }));

describe('what an answer holds', () => {
  const table: [title: string, web: Partial<WebProvider>, value: string][] = [
    ['94: a number, as text', {}, '45'],
    ['a string', { jsonPath: '{.text}' }, 'ready'],
    ['a list', { jsonPath: '{.list}' }, '[1,2]'],
    ['all of it without a path', { jsonPath: undefined }, '{"age":45,"list":[1,2],"text":"ready"}'],
  ];
  it.each(table)('%s', async (_title, web, value) => {
    expect(await measure(web)).toEqual({ value });
  });

  it('by a redirect on the same host', async () => {
    expect(await measure({ url: `${origin}/moved` })).toEqual({ value: '45' });
  });

  it('headers are sent, and credentials of the URL as Authorization', async () => {
    const url = `${origin.replace('http://', 'http://ana:s%20cret@')}/echo`;
    const headers = [{ key: 'X-Room', value: 'r 1' }];
    expect(await measure({ url, headers, jsonPath: "{['x-room']} {.authorization}" })).toEqual({
      value: `r 1 Basic ${Buffer.from('ana:s cret').toString('base64')}`,
    });
  });
});

describe('a bad answer is one clear sentence', () => {
  const table: [path: string, sentence: string][] = [
    ['/broken', 'HTTP status 503'],
    ['/not-modified', 'HTTP status 304'],
    ['/plain', 'the answer is not JSON (text/html)'],
    ['/empty', 'the answer is not JSON (no content type)'],
    ['/no-content', 'the answer is not JSON (no content type)'],
    ['/half', 'the connection was closed before the answer was complete'],
    ['/huge', 'the answer is larger than 1048576 bytes'],
    ['/flood', 'the answer is larger than 1048576 bytes'],
    ['/loop', 'more than 5 redirects'],
    ['/away', 'a redirect to another host, which is not followed'],
    ['/nowhere', 'a redirect without a valid target'],
  ];
  it.each(table)('%s', async (path, sentence) => {
    const want = `provider.web.url: GET ${origin}${path}: ${sentence}`;
    expect(await problemOf(measure({ url: `${origin}${path}` }))).toBe(want);
  });

  it('a JSONPath that finds nothing', async () => {
    const want = 'provider.web.jsonPath: {$.nothing} finds nothing: there is no nothing';
    expect(await problemOf(measure({ jsonPath: '{$.nothing}' }))).toBe(want);
  });

  it.each(['/silent', '/endless'])('%s ends with its time', async (path) => {
    const want = `provider.web.url: GET ${origin}${path}: no answer within 1 s`;
    expect(await problemOf(measure({ url: `${origin}${path}`, timeoutSeconds: 1 }))).toBe(want);
  });

  it('nobody listens', async () => {
    const closed = createTcpServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const want = `provider.web.url: GET http://127.0.0.1:${port}/: the connection is refused`;
    expect(await problemOf(measure({ url: `http://127.0.0.1:${port}` }))).toBe(want);
  });

  it.each<[string, string, (socket: Socket) => void]>([
    ['that never ends its headers', 'http', drip('HTTP/1.1 200 OK\r\n', 'x')],
    ['that never begins TLS', 'https', (socket) => socket.resume()],
    [
      'that never ends a chunked body',
      'http',
      drip('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'),
    ],
  ])('a server %s', async (_title, scheme, serve) => {
    const slow = createTcpServer(serve);
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const url = `${scheme}://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const want = `provider.web.url: GET ${url}/: no answer within 1 s`;
    expect(await problemOf(measure({ url, timeoutSeconds: 1 }))).toBe(want);
    await new Promise((resolve) => slow.close(resolve));
  });

  it('a server whose error never ends is told as that error, or as slow: it holds nobody up', async () => {
    const slow = createTcpServer(drip('HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'));
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const problem = await problemOf(measure({ url, timeoutSeconds: 1 }));
    expect(problem).toBe(`provider.web.url: GET ${url}/: HTTP status 503`);
    await new Promise((resolve) => slow.close(resolve));
  });

  it('a server that speaks something else', async () => {
    const odd = createTcpServer((socket) => socket.resume().end('220 mail.example ESMTP\r\n'));
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
    expect(await problemOf(measure({ url }))).toBe(`provider.web.url: GET ${url}/: the answer is not HTTP`);
    await new Promise((resolve) => odd.close(resolve));
  });

  const refused: [url: string][] = [['ftp://localhost/x'], ['localhost:80'], [''], ['http://'], ['file:///etc/passwd']];
  it.each(refused)('the URL %j', async (url) => {
    expect(await problemOf(measure({ url }))).toBe('provider.web.url: this is not a valid http or https URL');
  });

  it('a header that cannot be sent', async () => {
    const headers = [{ key: 'x y', value: 'v' }];
    expect(await problemOf(measure({ headers }))).toBe(`provider.web.url: GET ${origin}/age: a header cannot be sent`);
  });
});

describe('what must not leak or linger', () => {
  it('neither query nor credentials are in the sentence', async () => {
    const url = `${origin.replace('http://', 'http://ana:secret@')}/broken?token=secret#secret`;
    expect(await problemOf(measure({ url }))).not.toContain('secret');
  });

  it('an aborted measurement throws the reason and is none', async () => {
    const cancelling = new AbortController();
    const measuring = measure({ url: `${origin}/silent` }, cancelling.signal);
    cancelling.abort(new Error('cancelled'));
    await expect(measuring).rejects.toThrow('cancelled');
  });

  it('the server still answers others after floods and endless answers', async () => {
    await Promise.all(Array.from({ length: 20 }, () => problemOf(measure({ url: `${origin}/flood` }))));
    expect(await measure({})).toEqual({ value: '45' });
    const probe = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await new Promise((resolve) => probe.once('connect', resolve));
    probe.destroy();
  });
});
