/** Servers that do everything wrong that a hook may meet, and say back the token that they were sent wherever they can. */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { makeCertificate } from '../support/certificates.ts';

/** What one server does, and the clause in which a hook tells of it. */
export interface BadWay {
  name: string;
  clause: string;
  serve: (answer: RequestListener) => Server;
  /** It listens no more when it is asked. */
  isGone?: boolean;
  answer?: (response: ServerResponse, token: string) => void;
}

const http = (answer: RequestListener): Server => createHttpServer(answer);
const authority = makeCertificate({ name: 'bad authority' });

/** By HTTP, in the body or the head of an answer. */
const answering = (name: string, clause: string, answer: BadWay['answer']): BadWay => ({
  name,
  clause,
  serve: http,
  answer,
});

const ANSWERS: BadWay[] = [
  answering('slow', 'no answer within 1 s', () => {}),
  answering('endless', 'no answer within 1 s', (response, token) => {
    const timer = setInterval(() => response.write(`${token} `), 5);
    response.on('close', () => clearInterval(timer));
  }),
  answering('huge', 'the answer is larger than 1048576 bytes', (response, token) => {
    response.end(`{"age":"${token.repeat(200_000)}"}`);
  }),
  answering('flooding', 'the answer is larger than 1048576 bytes', (response, token) => {
    const chunk = Buffer.alloc(65_536, token);
    const pour = () => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
  }),
  answering('half', 'the connection was closed before the answer was complete', (response, token) => {
    response.writeHead(200, { 'content-length': 1_000 }).write(token);
    response.socket?.destroy();
  }),
  answering('unwilling', 'HTTP status 503', (response, token) => response.writeHead(503, token).end(token)),
  answering('leading away', 'a redirect', (response, token) => {
    response.writeHead(302, { location: `http://127.0.0.2:1/${token}` }).end();
  }),
  answering('of another type', '(text/html; charset=***)', (response, token) => {
    response.setHeader('content-type', `text/html; charset=${token}`).end(`<html>${token}</html>`);
  }),
  answering('without a type', '(no content type)', (response, token) => response.end(token)),
];

const OTHERS: BadWay[] = [
  { name: 'that is gone', clause: 'the connection is refused', serve: http, isGone: true },
  {
    name: 'no HTTP',
    clause: 'the answer is not HTTP',
    serve: () =>
      createTcpServer((socket) =>
        socket
          .on('error', () => {})
          .resume()
          .end('220 ESMTP\r\n'),
      ),
  },
  {
    name: 'with an expired certificate',
    clause: 'the certificate has expired',
    serve: (answer) =>
      createHttpsServer(
        makeCertificate({ name: 'old', issuer: authority, notAfter: new Date(Date.now() - 60_000) }),
        answer,
      ),
  },
  {
    name: 'with a certificate of nobody known',
    clause: 'the certificate is not trusted',
    serve: (answer) => createHttpsServer(makeCertificate({ name: 'unknown' }), answer),
  },
];

export const BAD_WAYS: readonly BadWay[] = [...ANSWERS, ...OTHERS];

/** For what speaks TLS: of the one that is trusted all but the time is right. */
export const BAD_AUTHORITY = authority.cert;

/** All of them, listening. */
export class BadServers {
  readonly #servers = new Map<BadWay, Server>();
  readonly #ports = new Map<BadWay, number>();
  /** What was sent as `x-token` or `authorization`, in the order of arrival. */
  readonly received: string[] = [];

  static async open(): Promise<BadServers> {
    const servers = new BadServers();
    await Promise.all(BAD_WAYS.map((way) => servers.#start(way)));
    return servers;
  }

  async #start(way: BadWay): Promise<void> {
    const server = way.serve((request, response) => {
      const token = tokenIn(request);
      this.received.push(token);
      response.on('error', () => {});
      way.answer?.(response, token);
    });
    server.on('error', () => {});
    this.#servers.set(way, server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#ports.set(way, (server.address() as AddressInfo).port);
    if (way.isGone) await new Promise((resolve) => server.close(resolve));
  }

  originOf(way: BadWay): string {
    return `${way.clause.includes('certificate') ? 'https' : 'http'}://127.0.0.1:${this.#ports.get(way)}`;
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) {
      if ('closeAllConnections' in server) (server as { closeAllConnections(): void }).closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}

const tokenIn = ({ headers }: IncomingMessage): string =>
  String(headers['x-token'] ?? headers.authorization?.replace('Bearer ', ''));
