/** HTTP for those who watch the process: /metrics, /healthz, /readyz. Nothing else is answered. */
import { createServer, type ServerResponse } from 'node:http';
import { CannotStart, sayError } from './startup-error.ts';

export interface HealthSource {
  /** What keeps the process from being alive, or from being ready; empty when it is. */
  unhealthy(): string[];
  unready(): string[];
  metrics(): Promise<{ contentType: string; text: string }>;
}

export interface HealthServer {
  /** `http://host:port`, with the port that was taken. */
  url: string;
  stop(): Promise<void>;
}

/** @throws CannotStart when the address cannot be listened on. */
export async function startHealthServer(
  listen: { host: string; port: number },
  source: HealthSource,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '/', response, source).catch((error: unknown) => say(response, 500, sayError(error)));
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(listen.port, listen.host, resolve);
  try {
    await listening;
  } catch (cause) {
    throw new CannotStart(`Cannot listen on ${listen.host}:${listen.port} (--listen): ${sayError(cause)}`, { cause });
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : listen.port;
  return {
    url: `http://${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function answer(url: string, response: ServerResponse, source: HealthSource): Promise<void> {
  switch (url.split('?', 1)[0]) {
    case '/healthz':
      return sayProblems(response, source.unhealthy());
    case '/readyz':
      return sayProblems(response, source.unready());
    case '/metrics': {
      const { contentType, text } = await source.metrics();
      response.setHeader('content-type', contentType);
      response.end(text);
      return;
    }
    default:
      say(response, 404, 'not found: /metrics, /healthz and /readyz are answered');
  }
}

function sayProblems(response: ServerResponse, problems: string[]): void {
  if (problems.length === 0) say(response, 200, 'ok');
  else say(response, 503, problems.join('\n'));
}

function say(response: ServerResponse, status: number, text: string): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
