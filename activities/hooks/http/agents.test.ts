/** Connections: whom they trust, which addresses they refuse after resolving a name, and that they are used again. */
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderTls } from '../../../crds/provider.ts';
import { makeCertificate } from '../../../test/support/certificates.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ProviderScene, problemOf } from '../providers/provider-scene.ts';
import { measureWeb } from '../providers/web.ts';
import { HookAgents } from './agents.ts';

const authority = makeCertificate({ name: 'tests' });
const good = makeCertificate({ name: 'good', issuer: authority });
const expired = makeCertificate({ name: 'expired', issuer: authority, notAfter: new Date(Date.now() - 60_000) });
const servers: Server[] = [];
const scene = new ProviderScene();

const listen = async (server: Server): Promise<number> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

let goodPort: number;
let expiredPort: number;

beforeAll(async () => {
  const answer = (_request: unknown, response: { end(text: string): unknown }) => response.end('"fine"');
  goodPort = await listen(createServer(good, answer));
  expiredPort = await listen(createServer(expired, answer));
  scene.secrets.ca = { 'ca.crt': authority.cert, other: 'no certificate' };
});

afterAll(async () => {
  await scene.close();
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

describe('TLS', () => {
  const ask = (port: number, tls?: ProviderTls, host = '127.0.0.1') =>
    measureWeb({ url: `https://${host}:${port}/`, tls }, scene.context());

  it.each<[string, ProviderTls]>([
    ['a CA in the metric', { ca: authority.cert }],
    ['a CA in a Secret', { caSecret: { name: 'ca', key: 'ca.crt' } }],
    ['anybody', { insecureSkipVerify: true }],
  ])('trusts %s', async (_name, tls) => {
    expect(await ask(goodPort, tls)).toEqual({ value: 'fine' });
  });

  it('trusts nobody unknown, also after somebody else on the same host was trusted', async () => {
    expect(await ask(goodPort, { ca: authority.cert })).toEqual({ value: 'fine' });
    const problem = await problemOf(ask(goodPort));
    expect(problem).toContain(`provider.web.url: GET https://127.0.0.1:${goodPort}/: the certificate is not trusted (`);
  });

  it('says what is wrong with a certificate', async () => {
    const tls = { ca: authority.cert };
    expect(await problemOf(ask(expiredPort, tls))).toMatch(/the certificate has expired$/);
    expect(await ask(expiredPort, { insecureSkipVerify: true })).toEqual({ value: 'fine' });
    expect(await problemOf(ask(goodPort, tls, '127.0.0.2'))).toMatch(/the connection is refused$/);
  });

  it.each<[ProviderTls, string]>([
    [{ ca: 'hello' }, 'provider.web.tls.ca: there is no certificate in PEM'],
    [{ caSecret: { name: 'ca', key: 'other' } }, 'provider.web.tls.caSecret: there is no certificate in PEM'],
    [{ caSecret: { name: 'ca', key: 'none' } }, 'provider.web.tls.caSecret: Secret default/ca has no key none'],
    [{ caSecret: { name: 'gone', key: 'x' } }, 'provider.web.tls.caSecret: Secret default/gone does not exist'],
  ])('%j', async (tls, want) => {
    expect(await problemOf(ask(goodPort, tls))).toBe(want);
  });
});

describe('addresses', () => {
  it.each(['http://169.254.169.254/latest', 'http://[fe80::1]/', 'http://0xa9fea9fe/', 'http://[::ffff:a9fe:a9fe]/'])(
    '%s is not asked',
    async (url) => {
      expect(await problemOf(measureWeb({ url }, scene.context()))).toContain('which hooks may not ask');
    },
  );

  it('a name is judged by where it leads, each time that a connection is made', async () => {
    const strict = new ProviderScene({ deny: ['127.0.0.0/8', '::1'], allow: [] });
    const problem = await problemOf(measureWeb({ url: `https://localhost:${goodPort}/` }, strict.context()));
    expect(problem).toMatch(
      /the host leads to (127\.0\.0\.1|::1), which hooks may not ask \(--hook-deny, --hook-allow\)$/,
    );
    await strict.close();
  });

  it.each([
    ['ENOTFOUND', 'the host name is not known'],
    ['EAI_AGAIN', 'the host name could not be looked up'],
  ])('a name without an address (%s)', async (code, clause) => {
    const agents = new HookAgents(undefined, () => Promise.reject(Object.assign(new Error(code), { code })));
    const { ports, ...context } = scene.context();
    const measuring = measureWeb({ url: 'http://game.example/' }, { ...context, ports: { ...ports, agents } });
    expect(await problemOf(measuring)).toBe(`provider.web.url: GET http://game.example/: ${clause}`);
    await agents.close();
  });

  it('a certificate for another host', async () => {
    const agents = new HookAgents(undefined, async () => [{ address: '127.0.0.1', family: 4 }]);
    const { ports, ...context } = scene.context();
    const url = `https://game.example:${goodPort}/`;
    const measuring = measureWeb({ url, tls: { ca: authority.cert } }, { ...context, ports: { ...ports, agents } });
    expect(await problemOf(measuring)).toBe(`provider.web.url: GET ${url}: the certificate is for another host`);
    await agents.close();
  });

  it('nothing but what is allowed', async () => {
    const strict = new ProviderScene({ deny: [], allow: ['10.0.0.0/8'] });
    const problem = await problemOf(measureWeb({ url: `https://127.0.0.1:${goodPort}/` }, strict.context()));
    expect(problem).toContain('the host leads to 127.0.0.1');
    await strict.close();
  });
});

describe('connections', () => {
  it('are used again', async () => {
    let connections = 0;
    const server = createHttpServer((_request, response) => response.end('1'));
    server.on('connection', () => {
      connections += 1;
    });
    const port = await listen(server);
    for (let time = 0; time < 20; time += 1) await measureWeb({ url: `http://127.0.0.1:${port}/` }, scene.context());
    // A second one is made where the first is not yet free for the next question.
    expect(connections).toBeLessThanOrEqual(2);
  });

  it('of one host: those that get no answer hold up no other', async () => {
    let unanswered = 0;
    const server = createHttpServer(({ url }, response) => {
      if (url === '/good') response.end('1');
      else unanswered += 1;
    });
    const port = await listen(server);
    const giveUp = new AbortController();
    const ask = (path: string, signal?: AbortSignal) =>
      measureWeb(
        { url: `http://127.0.0.1:${port}${path}`, timeoutSeconds: 5 },
        scene.context({}, signal && { signal }),
      );
    const hung = Array.from({ length: 100 }, () => problemOf(ask('/never', giveUp.signal)));
    await eventually('all of them wait', () => unanswered === hung.length);
    expect(await ask('/good')).toEqual({ value: '1' });
    giveUp.abort(new Error('enough'));
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['enough']));
  });

  it('to one name: it is looked up once, however many wait for it, and anew for those who come later', async () => {
    const looked: string[] = [];
    const answers: (() => void)[] = [];
    const agents = new HookAgents(undefined, (name) => {
      looked.push(name);
      return new Promise((resolve) => answers.push(() => resolve([{ address: '127.0.0.1', family: 4 }])));
    });
    const { ports, ...context } = scene.context();
    const asking = { ...context, ports: { ...ports, agents } };
    const server = createHttpServer((_request, response) => response.setHeader('connection', 'close').end('1'));
    const url = `http://game.example:${await listen(server)}/`;
    for (const round of [1, 2]) {
      const measuring = Array.from({ length: 20 }, () => measureWeb({ url }, asking));
      await eventually('the name is looked up', () => looked.length === round);
      answers.pop()?.();
      expect(new Set((await Promise.all(measuring)).map((made) => JSON.stringify(made)))).toEqual(
        new Set(['{"value":"1"}']),
      );
    }
    expect(looked).toEqual(['game.example', 'game.example']);
    await agents.close();
  });

  it('a GET is sent once more where the server closes without an answer, a POST is not', async () => {
    let asked = 0;
    const server = createHttpServer((_request, response) => {
      asked += 1;
      if (asked === 1) response.socket?.destroy();
      else response.end('1');
    });
    const port = await listen(server);
    const url = `http://127.0.0.1:${port}/`;
    expect(await measureWeb({ url }, scene.context())).toEqual({ value: '1' });
    asked = 0;
    const problem = await problemOf(measureWeb({ url, method: 'POST' }, scene.context()));
    expect([problem, asked]).toEqual([
      `provider.web.url: POST ${url}: the connection was closed before the answer was complete`,
      1,
    ]);
  });

  it('those of sets of certificates that were used long ago are given up', async () => {
    const trusts = Array.from({ length: 40 }, () => ({ ca: makeCertificate({ name: 'one of many' }).cert }));
    const [first, ...others] = trusts.map((trust) => scene.agents.for(trust));
    expect(new Set(others).size).toBe(39);
    expect(scene.agents.for(trusts[0])).not.toBe(first);
    expect(scene.agents.for(trusts[39])).toBe(others.at(-1));
  });
});
